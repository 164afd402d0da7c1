// Sums over the hands of a block: by warp, by card, and prefix sums in order of strength.
// Every thread of the block takes part. Twins: card_sums and prefix_sums in twin.py.

__device__ __forceinline__ float warp_prefix(float x) {  // inclusive
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    float y = __shfl_up_sync(FULL, x, step);
    if (lane >= step) x += y;
  }
  return x;
}

__device__ __forceinline__ float before(float inclusive, float first) {  // exclusive
  float y = __shfl_up_sync(FULL, inclusive, 1);
  return threadIdx.x & 31 ? y : first;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int step = 16; step; step >>= 1) x += __shfl_xor_sync(FULL, x, step);
  return x;
}

// sums[c]: the reach of all hands that hold card c, 51 at most. prefix: if not null, at
// (at[c] - at[0] + c) the sums over the first 0, 1, 2, ... of these hands. One warp takes a card, a
// lane two hands.
__device__ __forceinline__ void card_sums(const float *reach, const int *at, const u16 *hand,
                                          float *sums, float *prefix) {
  int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  for (int c = threadIdx.x >> 5; c < 52; c += warps) {
    int begin = at[c], n = at[c + 1] - begin;
    float x = lane < n ? reach[hand[begin + lane]] : 0.f;
    float y = lane + 32 < n ? reach[hand[begin + lane + 32]] : 0.f;
    float all;
    if (!prefix) {
      all = warp_sum(x + y);
    } else {
      float low = warp_prefix(x), high = n > 32 ? warp_prefix(y) : 0.f;  // n is that of the warp
      float half = __shfl_sync(FULL, low, 31), below = before(low, 0.f);
      float *out = prefix + (begin - at[0] + c);
      if (lane < n) out[lane] = below;
      all = half;
      if (n > 32) {
        high += half;
        below = before(high, half);
        if (lane + 32 < n) out[lane + 32] = below;
        all = __shfl_sync(FULL, high, 31);
      }
      if (lane == 0) out[n] = all;
    }
    if (lane == 0) sums[c] = all;
  }
}

// The reach of all hands: each of them holds two cards.
__device__ __forceinline__ float total_of(const float *sums) {
  int lane = threadIdx.x & 31;
  return 0.5f * warp_sum(sums[lane] + (lane < 20 ? sums[lane + 32] : 0.f));
}
