// The last street, fused: a block takes a board and some of its roots, and goes through the betting
// depth first. Reach and values stay in shared memory; thread t has the hands t, t + blockDim.x, ...
// (HANDS of them) of both players, so that only terminals need barriers.
// Twin: river in twin.py; tiltless/postflop/device/program.py writes the steps.

struct Sums {                // of one terminal
  float *below, *prefix;     // [stride + 1] in order of strength; by card, see card_sums
  float *card, *warp;        // [52]; [64]
};

// Prefix sums of reach in order of strength, into sums.below; returns the total. `own` is read
// between the barriers, so that reach may be overwritten when this function returns.
__device__ __forceinline__ float prefix_sums(const float *reach, const int *at, const u16 *hand,
                                             const Sums &sums, const uint4 *info, float *twin) {
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
  float upto[HANDS];
  __syncthreads();  // reach is complete, and the sums of the last terminal have been read
#pragma unroll
  for (int k = 0; k < HANDS; k++) {
    upto[k] = warp_prefix(reach[k * blockDim.x + t]);
    if (lane == 31) sums.warp[k * warps + warp] = upto[k];
    int same = info[k].w >> 16;
    twin[k] = same == NO_HAND ? 0.f : reach[same];
  }
  card_sums(reach, at, hand, sums.card, sums.prefix);
  __syncthreads();
  int n = HANDS * warps;
  float one = warp_prefix(lane < n ? sums.warp[lane] : 0.f), half = __shfl_sync(FULL, one, 31);
  float two = half + warp_prefix(lane + 32 < n ? sums.warp[lane + 32] : 0.f);
  float total = __shfl_sync(FULL, two, 31), first = before(one, 0.f), last = before(two, half);
#pragma unroll
  for (int k = 0; k < HANDS; k++) {
    int g = k * warps + warp;
    float base = __shfl_sync(FULL, g < 32 ? first : last, g & 31);
    sums.below[k * blockDim.x + t] = base + before(upto[k], 0.f);
  }
  if (t == 0) sums.below[HANDS * blockDim.x] = total;
  __syncthreads();
  return total;
}

extern "C" __global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
river(const Street *here_, const Street *above_, const Tables *tables_, const Program *program_,
      const float *rules, int p, int mode) {
  extern __shared__ float shared[];
  const Street here = *here_;
  const Program program = *program_;
  const Tables tables = *tables_;
  int t = threadIdx.x, stride = HANDS * blockDim.x, o = 1 - p;
  int b = program.work[3 * blockIdx.x], last = program.work[3 * blockIdx.x + 2];
  int count = here.count[2 * b + p], width = here.width[2 * b + p];
  int their_count = here.count[2 * b + o], their_width = here.width[2 * b + o];
  Sums sums;
  sums.below = shared;
  sums.card = sums.below + stride + 1;
  sums.warp = sums.card + 52;
  sums.prefix = sums.warp + 64;
#if SPILL
  float *reach = program.spill + blockIdx.x * (program.reach_slots + program.cfv_slots) * stride;
#else
  float *reach = sums.prefix + 2 * stride + 52;
#endif
  float *cfv = reach + program.reach_slots * stride;
  const int *card_at = here.card_at + 53 * (2 * b + o);
  const float *source = mode == LEARN ? tables.regret : tables.average;
  i64 row = here.row[2 * b + p], their_row = here.row[2 * b + o];
  uint4 info[HANDS];
#pragma unroll
  for (int k = 0; k < HANDS; k++) {
    int h = k * blockDim.x + t;
    const uint4 *all = (const uint4 *)here.info + here.hand[2 * b + p];
    info[k] = h < count ? all[h] : make_uint4(0, 0, 0, (unsigned)NO_HAND << 16);
  }
  for (int i = program.work[3 * blockIdx.x + 1]; i < last; i++) {
    const int *step = program.step + 8 * i;
    const float *pay = program.pay + 4 * i;
    int kind = step[0];
    if (kind == ENTER) {  // root, reach slot
      const Street above = *above_;
      int parent = here.parent[b], slot = above.slot[p * above.nodes + above.end[step[1]]];
      const float *from =
          above.reach + above.reach_at[2 * parent + p] + (i64)slot * above.width[2 * parent + o];
      const u16 *way = here.enter_hand + here.enter_at[2 * b + o];
      for (int j = t; j < stride; j += blockDim.x)
        reach[step[2] * stride + j] = j < their_count ? from[way[j]] : 0.f;
    } else if (kind == SHARE) {  // node, row, actions, reach slot, first child's slot, +-1
      bool learns = mode == LEARN && !here.locked[b * here.nodes + step[1]];
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int j = k * blockDim.x + t;
        i64 at = their_row + (i64)step[2] * their_width + j;
        float *child = reach + step[5] * stride + j;
        if (j < their_width)
          share_reach(source + at, tables.average + at, their_width, step[3],
                      reach[step[4] * stride + j], child, step[6] * stride, learns, rules[KEEP]);
        else
          for (int a = 0; a < step[3]; a++) child[a * step[6] * stride] = 0.f;
      }
    } else if (kind == FOLDED) {  // node, reach slot, cfv slot, whether to add
      const float *there = reach + step[2] * stride;
      float twin[HANDS];
      __syncthreads();
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int same = info[k].w >> 16;
        twin[k] = same == NO_HAND ? 0.f : there[same];
      }
      card_sums(there, card_at, here.card_hand, sums.card, 0);
      __syncthreads();
      float total = total_of(sums.card);
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * blockDim.x + t, one = info[k].w & 255, two = info[k].w >> 8 & 255;
        float others = total - sums.card[one] - sums.card[two] + twin[k];
        float *out = cfv + step[3] * stride + h;
        float x = h < count ? pay[0] * others : 0.f;
        *out = step[4] ? *out + x : x;
      }
    } else if (kind == SHOWN) {  // node, reach slot, cfv slot, whether to add, slot of a fold or -1
      float twin[HANDS];
      float total = prefix_sums(reach + step[2] * stride, card_at, here.card_hand, sums, info, twin);
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * blockDim.x + t, one = info[k].w & 255, two = info[k].w >> 8 & 255;
        float below = sums.below[info[k].x & 65535] - sums.prefix[info[k].y & 65535] -
                      sums.prefix[info[k].y >> 16];
        float upto = sums.below[info[k].x >> 16] - sums.prefix[info[k].z & 65535] -
                     sums.prefix[info[k].z >> 16];
        float others = total - sums.card[one] - sums.card[two];
        float x = pay[0] * (below + upto) + pay[1] * others + pay[2] * twin[k];
        float *out = cfv + step[3] * stride + h;
        x = h < count ? x : 0.f;
        *out = step[4] ? *out + x : x;
        if (step[5] >= 0)
          cfv[step[5] * stride + h] = h < count ? pay[3] * (others + twin[k]) : 0.f;
      }
    } else if (kind == MEAN) {  // node, row, actions, first child's slot, +-1, cfv slot, add
      bool locked = here.locked[b * here.nodes + step[1]];
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * blockDim.x + t;
        i64 at = row + (i64)step[2] * width + h;
        float x = 0.f;
        if (h < width)
          x = mean_value(source + at, tables.regret + at, width, step[3],
                         cfv + step[4] * stride + h, step[5] * stride, mode == BEST && !locked,
                         mode == LEARN && !locked, rules);
        float *out = cfv + step[6] * stride + h;
        *out = step[7] ? *out + x : x;
      }
    } else {  // LEAVE: root, cfv slot
      float *out = here.cfv + here.cfv_at[2 * b + p] + (i64)step[1] * width;
      for (int h = t; h < width; h += blockDim.x) out[h] = cfv[step[2] * stride + h];
    }
  }
}
