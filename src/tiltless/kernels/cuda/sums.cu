// Sums over the hands of a block, by warp and by card. Every thread of the block takes part.
// Twin: card_sums in twin.py.

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

// N neighbouring numbers, in one store where the card has one.
template <int N>
__device__ __forceinline__ void put(float *to, const float *from) {
  if (N == 2) {
    *(float2 *)to = make_float2(from[0], from[1]);
  } else if (N % 4 == 0) {
#pragma unroll
    for (int k = 0; k < N; k += 4)
      *(float4 *)(to + k) = make_float4(from[k], from[k + 1], from[k + 2], from[k + 3]);
  } else {
#pragma unroll
    for (int k = 0; k < N; k++) to[k] = from[k];
  }
}

// sums[c]: the reach of all hands that hold card c, 51 at most. One warp takes a card, a lane two
// hands.
__device__ __forceinline__ void card_sums(const float *reach, const int *at, const u16 *hand,
                                          float *sums) {
  int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  for (int c = threadIdx.x >> 5; c < 52; c += warps) {
    int begin = at[c], n = at[c + 1] - begin;
    float x = lane < n ? reach[hand[begin + lane]] : 0.f;
    float y = lane + 32 < n ? reach[hand[begin + lane + 32]] : 0.f;
    float all = warp_sum(x + y);
    if (lane == 0) sums[c] = all;
  }
}

// The reach of all hands: each of them holds two cards.
__device__ __forceinline__ float total_of(const float *sums) {
  int lane = threadIdx.x & 31;
  return 0.5f * warp_sum(sums[lane] + (lane < 20 ? sums[lane + 32] : 0.f));
}
