// The last street, fused: a block takes a board and some of its roots, and goes through the betting
// depth first. Reach and values stay in shared memory; thread t has the hands t, t + THREADS, ...
// (HANDS of them) of both players, so that only terminals need barriers.
// Twin: river in twin.py; tiltless/postflop/device/program.py writes the steps.

// Sums of one terminal. The lists of the hands with each card stand one after the other, so that one
// prefix sum over all of them has the sums of any part of any list as a difference.
struct Sums {
  float *cards;         // [2 STRIDE + 4]: before each place in the lists, and after the last
  float *below;         // [STRIDE + 4]: before each hand in order of strength, and after the last
  float *all, *both;    // [32] each: of the warps
};

#define STRIDE (HANDS * THREADS)  // numbers in a slot

struct alignas(16) Hand {  // of the traverser
  unsigned order;      // the opponent's weaker hands, and those that are not stronger
  unsigned low, high;  // where these end in the lists of its two cards
  unsigned cards;      // the two cards, and the opponent's hand with the same ones or NO_HAND
};

__device__ __forceinline__ Hand find_hand(uint4 info) {
  unsigned lists = (info.w & 255) | (info.w >> 8 & 255) << 16;
  return {info.x, info.y - lists, info.z - lists, info.w};  // places counted one more for each list
}

// The sums of a terminal; returns the reach of all hands. hand, held: of this thread, THREADS apart;
// held: the hands at two neighbouring places of the lists, from place 2 HANDS t on. Reach is read between the barriers, and so are the twins, so that it may be
// overwritten when this function returns.
template <bool SHOWDOWN>
__device__ __forceinline__ float terminal_sums(const float *reach, const unsigned *held,
                                               const Sums &sums, const Hand *hand, float *twin) {
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = THREADS >> 5;
  float own[HANDS], place[2 * HANDS], upto = 0.f, listed = 0.f;
  __syncthreads();  // reach is complete, and the sums of the last terminal have been read
#pragma unroll
  for (int k = 0; k < HANDS; k++) {
    unsigned same = hand[k * THREADS].cards >> 16, pair = held[k * THREADS];
    twin[k] = same == NO_HAND ? 0.f : reach[same];
    unsigned first = pair & 65535, second = pair >> 16;
    float x = first == NO_HAND ? 0.f : reach[first], y = second == NO_HAND ? 0.f : reach[second];
    place[2 * k] = listed;
    place[2 * k + 1] = listed + x;
    listed = place[2 * k + 1] + y;
    if (SHOWDOWN) {
      own[k] = upto;
      upto += reach[HANDS * t + k];
    }
  }
  float both = warp_prefix(listed), all = SHOWDOWN ? warp_prefix(upto) : 0.f;
  if (lane == 31) {
    sums.both[warp] = both;
    if (SHOWDOWN) sums.all[warp] = all;
  }
  __syncthreads();
  float to = warp_prefix(lane < warps ? sums.both[lane] : 0.f);
  float base = __shfl_sync(FULL, to, warp - 1), end = __shfl_sync(FULL, to, 31), total = 0.5f * end;
  base = (warp ? base : 0.f) + before(both, 0.f);
#pragma unroll
  for (int k = 0; k < 2 * HANDS; k++) place[k] += base;
  put<2 * HANDS>(sums.cards + 2 * HANDS * t, place);
  if (t == 0) sums.cards[2 * STRIDE] = end;
  if (SHOWDOWN) {
    to = warp_prefix(lane < warps ? sums.all[lane] : 0.f);
    base = __shfl_sync(FULL, to, warp - 1);
    total = __shfl_sync(FULL, to, 31);
    base = (warp ? base : 0.f) + before(all, 0.f);
#pragma unroll
    for (int k = 0; k < HANDS; k++) own[k] += base;
    put<HANDS>(sums.below + HANDS * t, own);
    if (t == 0) sums.below[STRIDE] = total;
  }
  __syncthreads();
  return total;
}

// The sums of both lists of a hand: the whole of them, and up to places in them.
struct Listed {
  float whole, low, high;
};

__device__ __forceinline__ Listed listed(const float *cards, const u16 *list, const Hand &hand) {
  int one = hand.cards & 255, two = hand.cards >> 8 & 255;
  float first = cards[list[one]], second = cards[list[two]];
  return {(cards[list[one + 1]] - first) + (cards[list[two + 1]] - second),
          (cards[hand.low & 65535] - first) + (cards[hand.low >> 16] - second),
          (cards[hand.high & 65535] - first) + (cards[hand.high >> 16] - second)};
}

struct Block {  // what every thread needs now and then, so that it takes no registers
  const int4 *step;
  const float4 *pay;
  const u8 *locked;
  const float *entered;        // the parent board's reach on the street above
  const int *slot, *end;       // of the street above
  const u16 *way;
  float *out;
  float up, down, floored, keep;
  int first, last, their_count, their_parent_width;
  u16 list[54];                // where the list of each card begins
};

extern "C" __global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
river(const Street *here, const Street *above, const Tables *tables, const Program *program,
      const float *rules, int p, int mode) {
  extern __shared__ float shared[];
  __shared__ Block block;
  int t = threadIdx.x, o = 1 - p;
  int b = program->work[3 * blockIdx.x];
  const int *card_at = here->card_at + 53 * (2 * b + o);
  if (t == 0) {
    int parent = here->parent[b];
    block.step = (const int4 *)program->step;
    block.pay = (const float4 *)program->pay;
    block.locked = here->locked + b * here->nodes;
    block.entered = above->reach + above->reach_at[2 * parent + p];
    block.slot = above->slot + p * above->nodes;
    block.end = above->end;
    block.way = here->enter_hand + here->enter_at[2 * b + o];
    block.out = here->cfv + here->cfv_at[2 * b + p];
    block.up = rules[UP], block.down = rules[DOWN];
    block.floored = rules[FLOORED], block.keep = rules[KEEP];
    block.first = program->work[3 * blockIdx.x + 1];
    block.last = program->work[3 * blockIdx.x + 2];
    block.their_count = here->count[2 * b + o];
    block.their_parent_width = above->width[2 * parent + o];
  }
  for (int c = t; c < 53; c += THREADS) block.list[c] = card_at[c] - card_at[0];
  const int count = here->count[2 * b + p], width = here->width[2 * b + p];
  const int their_width = here->width[2 * b + o];
  Sums sums;
  sums.cards = shared;
  sums.below = sums.cards + 2 * STRIDE + 4;
  sums.all = sums.below + STRIDE + 4;
  sums.both = sums.all + 32;
  Hand *hand = (Hand *)(sums.both + 32) + t;  // not in registers, which are few
  unsigned *held = (unsigned *)(hand - t + STRIDE) + t;
#if SPILL
  float *reach = program->spill + blockIdx.x * (program->reach_slots + program->cfv_slots) * STRIDE;
#else
  float *reach = (float *)(held - t + STRIDE);
#endif
  float *cfv = reach + (int)program->reach_slots * STRIDE;
  float *average = tables->average + here->row[2 * b + o];  // the opponent's
  float *theirs = mode == LEARN ? tables->regret + here->row[2 * b + o] : average;
  float *own = (mode == LEARN ? tables->regret : tables->average) + here->row[2 * b + p];
#pragma unroll
  for (int k = 0; k < HANDS; k++) {
    int h = k * THREADS + t, place = card_at[0] + 2 * (HANDS * t + k), end = card_at[52];
    const uint4 *all = (const uint4 *)here->info + here->hand[2 * b + p];
    hand[k * THREADS] = find_hand(h < count ? all[h] : make_uint4(0, 0, 0, (unsigned)NO_HAND << 16));
    unsigned pair = place < end ? here->card_hand[place] : NO_HAND;
    held[k * THREADS] = pair | (place + 1 < end ? here->card_hand[place + 1] : NO_HAND) << 16;
  }
  __syncthreads();
  for (int i = block.first; i < block.last; i++) {
    const int4 one = block.step[2 * i];
    int kind = one.x, n = one.y;
    if (kind == ENTER) {  // root, reach slot
      const float *from = block.entered + (i64)block.slot[block.end[n]] * block.their_parent_width;
      for (int j = t; j < STRIDE; j += THREADS)
        reach[one.z * STRIDE + j] = j < block.their_count ? from[block.way[j]] : 0.f;
    } else if (kind == SHARE) {  // node, row, actions, reach slot, first child's slot, +-1
      const int4 two = block.step[2 * i + 1];
      int actions = one.w, children = two.y * STRIDE, apart = two.z * STRIDE;
      float weight[HANDS][MOST_ACTIONS], old[HANDS][MOST_ACTIONS];
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int j = k * THREADS + t;
        if (j < their_width) {
          int at = one.z * their_width + j;
          read_actions(theirs + at, their_width, actions, weight[k]);
          if (mode == LEARN) read_actions(average + at, their_width, actions, old[k]);
        }
      }
      bool learns = mode == LEARN && !block.locked[n];
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int j = k * THREADS + t;
        float *child = reach + children + j;
        if (j < their_width)
          share_reach(weight[k], old[k], average + one.z * their_width + j, their_width, actions,
                      reach[two.x * STRIDE + j], child, apart, learns, block.keep);
        else
          for (int a = 0; a < actions; a++) child[a * apart] = 0.f;
      }
    } else if (kind == FOLDED) {  // node, reach slot, cfv slot, whether to add
      float twin[HANDS];
      float total = terminal_sums<false>(reach + one.z * STRIDE, held, sums, hand, twin);
      const float pay = block.pay[i].x;
      const int out = block.step[2 * i].w * STRIDE, add = block.step[2 * i + 1].x;
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * THREADS + t;
        float others = total - listed(sums.cards, block.list, hand[k * THREADS]).whole + twin[k];
        float x = h < count ? pay * others : 0.f;
        cfv[out + h] = add ? cfv[out + h] + x : x;
      }
    } else if (kind == SHOWN) {  // node, reach slot, cfv slot, whether to add, slot of a fold or -1
      float twin[HANDS];
      float total = terminal_sums<true>(reach + one.z * STRIDE, held, sums, hand, twin);
      const float4 pay = block.pay[i];
      const int4 two = block.step[2 * i + 1];
      const int out = block.step[2 * i].w * STRIDE;
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * THREADS + t;
        Listed with = listed(sums.cards, block.list, hand[k * THREADS]);
        float below = sums.below[hand[k * THREADS].order & 65535] - with.low;
        float upto = sums.below[hand[k * THREADS].order >> 16] - with.high;
        float others = total - with.whole;
        float x = pay.x * (below + upto) + pay.y * others + pay.z * twin[k];
        x = h < count ? x : 0.f;
        cfv[out + h] = two.x ? cfv[out + h] + x : x;
        if (two.y >= 0) cfv[two.y * STRIDE + h] = h < count ? pay.w * (others + twin[k]) : 0.f;
      }
    } else if (kind == MEAN) {  // node, row, actions, first child's slot, +-1, cfv slot, add
      const int4 two = block.step[2 * i + 1];
      int actions = one.w, children = two.x * STRIDE, apart = two.y * STRIDE;
      bool locked = block.locked[n];
      float weight[HANDS][MOST_ACTIONS];
      if (mode != BEST || locked) {
#pragma unroll
        for (int k = 0; k < HANDS; k++) {
          int h = k * THREADS + t;
          if (h < width) read_actions(own + one.z * width + h, width, actions, weight[k]);
        }
      }
#pragma unroll
      for (int k = 0; k < HANDS; k++) {
        int h = k * THREADS + t;
        float x = 0.f;
        if (h < width)
          x = mean_value(weight[k], own + one.z * width + h, width, actions, cfv + children + h,
                         apart, mode == BEST && !locked, mode == LEARN && !locked, block.up,
                         block.down, block.floored);
        float *out = cfv + two.z * STRIDE + h;
        *out = two.w ? *out + x : x;
      }
    } else {  // LEAVE: root, cfv slot
      float *out = block.out + (i64)n * width;
      for (int h = t; h < width; h += THREADS) out[h] = cfv[one.z * STRIDE + h];
    }
  }
}
