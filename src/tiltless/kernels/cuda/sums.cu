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

// sums[c]: the reach of all hands that hold card c. prefix: if not null, at (at[c] - at[0] + c) the
// sums over the first 0, 1, 2, ... of these hands. One warp takes a card.
__device__ __forceinline__ void card_sums(const float *reach, const int *at, const u16 *hand,
                                          float *sums, float *prefix) {
  int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  for (int c = threadIdx.x >> 5; c < 52; c += warps) {
    int begin = at[c], n = at[c + 1] - begin;
    float *out = prefix ? prefix + (begin - at[0] + c) : 0;
    float base = 0.f;
    for (int k = 0; k < n; k += 32) {
      bool in = k + lane < n;
      float x = in ? reach[hand[begin + k + lane]] : 0.f;
      if (prefix) {
        float upto = base + warp_prefix(x), below = before(upto, base);
        if (in) out[k + lane] = below;
        base = __shfl_sync(FULL, upto, 31);
      } else {
        base += warp_sum(x);
      }
    }
    if (lane == 0) {
      sums[c] = base;
      if (prefix) out[n] = base;
    }
  }
}

// The reach of all hands: each of them holds two cards.
__device__ __forceinline__ float total_of(const float *sums) {
  int lane = threadIdx.x & 31;
  return 0.5f * warp_sum(sums[lane] + (lane < 20 ? sums[lane + 32] : 0.f));
}
