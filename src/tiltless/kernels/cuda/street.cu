// Flop and turn: a thread takes a hand on a board, and goes through all nodes. It reads the tables of
// AT_ONCE nodes before it uses any. Its column of reach or values is in shared memory as well, if
// that is given (in_shared). Twins: the functions of the same names in twin.py.

#define AT_ONCE 4

struct Decision {  // of a list of nodes, in shared memory
  int node, row, actions, first, actor, slot, first_slot, learns;
};

// The decisions of a list, by all threads of a block.
__device__ __forceinline__ void find_decisions(const Street &here, const int *level, int nodes,
                                               int b, int p, bool learn, Decision *out) {
  const int *slot = here.slot + p * here.nodes;
  for (int i = threadIdx.x; i < nodes; i += blockDim.x) {
    int n = level[i];
    const int *node = here.node + 4 * n;
    bool locked = here.locked[b * here.nodes + n];
    out[i] = {n, node[ROW], node[ACTIONS], node[FIRST], node[ACTOR], slot[n], slot[node[FIRST]],
              locked ? 2 : learn};
  }
  __syncthreads();
}

// The opponent's reach of all nodes: of the roots, from the ends of the street above, then of the
// children of each of its decisions. level: these decisions, parents first. Grid: boards, tiles.
extern "C" __global__ void down(const Street *here_, const Street *above_, const Tables *tables_,
                                const float *rules, const int *level, int nodes, int p, int mode,
                                int in_shared) {
  extern __shared__ float shared[];
  const Street here = *here_, above = *above_;
  const Tables tables = *tables_;
  int b = blockIdx.x, j = blockIdx.y * blockDim.x + threadIdx.x, o = 1 - p;
  int width = here.width[2 * b + o], roots = (int)here.roots, step = blockDim.x;
  Decision *decision = (Decision *)shared;
  find_decisions(here, level, nodes, b, p, mode == LEARN, decision);
  if (j >= width) return;
  float *reach = here.reach + here.reach_at[2 * b + p] + j;
  float *column = (float *)(decision + nodes) + threadIdx.x;
  if (!in_shared) column = reach, step = width;
  int parent = here.parent[b];
  bool dealt = j < here.count[2 * b + o];
  const float *from = above.reach + above.reach_at[2 * parent + p];
  if (dealt) from += here.enter_hand[here.enter_at[2 * b + o] + j];
#pragma unroll 4
  for (int r = 0; r < roots; r++) {
    i64 end = above.slot[p * above.nodes + above.end[r]];
    float x = dealt ? from[end * above.width[2 * parent + o]] : 0.f;
    column[r * step] = reach[(i64)r * width] = x;
  }
  const float *source = (mode == LEARN ? tables.regret : tables.average) + here.row[2 * b + o] + j;
  float *average = tables.average + here.row[2 * b + o] + j, keep = rules[KEEP];
  for (int i = 0; i < nodes; i += AT_ONCE) {
    float weight[AT_ONCE][MOST_ACTIONS], old[AT_ONCE][MOST_ACTIONS];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        const Decision &d = decision[i + k];
        read_actions(source + d.row * width, width, d.actions, weight[k]);
        if (mode == LEARN) read_actions(average + d.row * width, width, d.actions, old[k]);
      }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        const Decision &d = decision[i + k];
        float *child = column + d.first_slot * step;
        share_reach(weight[k], old[k], average + d.row * width, width, d.actions,
                    column[d.slot * step], child, step, d.learns == 1, keep);
        if (in_shared)
          for (int a = 0; a < d.actions; a++)
            reach[(i64)(d.first_slot + a) * width] = child[a * step];
      }
  }
}

// The values after folds. pay: [2][nodes]. Grid: boards x folds; a block takes all hands.
extern "C" __global__ void folds(const Street *here_, const int *level, const float *pay,
                                 int nodes, int p) {
  __shared__ float sums[52];
  const Street here = *here_;
  int b = blockIdx.x / nodes, i = blockIdx.x % nodes, n = level[i], o = 1 - p;
  const float *reach = here.reach + here.reach_at[2 * b + p] +
                       (i64)here.slot[p * here.nodes + n] * here.width[2 * b + o];
  card_sums(reach, here.card_at + 53 * (2 * b + o), here.card_hand, sums);
  __syncthreads();
  float total = total_of(sums), amount = pay[p * nodes + i];
  int count = here.count[2 * b + p], width = here.width[2 * b + p];
  const u16 *info = here.info + 8 * here.hand[2 * b + p];
  float *cfv = here.cfv + here.cfv_at[2 * b + p] + (i64)n * width;
  for (int h = threadIdx.x; h < width; h += blockDim.x) {
    float x = 0.f;
    if (h < count) {
      int cards = info[8 * h + 6], same = info[8 * h + 7];
      x = total - sums[cards & 255] - sums[cards >> 8] + (same == NO_HAND ? 0.f : reach[same]);
    }
    cfv[h] = amount * x;
  }
}

// The values of the street ends: the mean over the cards to come. Grid: boards x ends, tiles.
extern "C" __global__ void collect(const Street *here_, const Street *below_, float share, int p) {
  __shared__ i64 from[64], way[64];  // of each card, 49 at most
  const Street here = *here_, below = *below_;
  int ends = (int)here.ends, b = blockIdx.x / ends, r = blockIdx.x % ends;
  int h = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + p];
  int first = below.pair_at[b], cards = below.pair_at[b + 1] - first;
  for (int c = threadIdx.x; c < cards; c += blockDim.x) {
    int child = below.pair_child[first + c];
    from[c] = below.cfv_at[2 * child + p] + (i64)r * below.width[2 * child + p];
    way[c] = below.pair_map[2 * (first + c) + p];
  }
  __syncthreads();
  if (h >= width) return;
  float sum = 0.f;
  for (int c = 0; c < cards; c += 8) {
    u16 k[8];
    float x[8];
#pragma unroll
    for (int i = 0; i < 8; i++) k[i] = c + i < cards ? below.child_hand[way[c + i] + h] : NO_HAND;
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = k[i] == NO_HAND ? 0.f : below.cfv[from[c + i] + k[i]];
#pragma unroll
    for (int i = 0; i < 8; i++) sum += share * x[i];
  }
  here.cfv[here.cfv_at[2 * b + p] + (i64)here.end[r] * width + h] = sum;
}

// The values of all decisions, and the traverser's regrets. level: the decisions, children first.
// Grid: boards, tiles.
extern "C" __global__ void up(const Street *here_, const Tables *tables_, const float *rules,
                              const int *level, int nodes, int p, int mode, int in_shared) {
  extern __shared__ float shared[];
  const Street here = *here_;
  const Tables tables = *tables_;
  int b = blockIdx.x, h = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + p];
  int all = (int)here.nodes, step = blockDim.x;
  Decision *decision = (Decision *)shared;
  find_decisions(here, level, nodes, b, p, mode == LEARN, decision);
  if (h >= width) return;
  float *cfv = here.cfv + here.cfv_at[2 * b + p] + h;
  float *column = (float *)(decision + nodes) + threadIdx.x;
  if (in_shared) {
    for (int n = 0; n < all; n += 8) {
      float x[8];
#pragma unroll
      for (int k = 0; k < 8; k++) x[k] = n + k < all ? cfv[(i64)(n + k) * width] : 0.f;
#pragma unroll
      for (int k = 0; k < 8; k++)
        if (n + k < all) column[(n + k) * step] = x[k];
    }
  } else {
    column = cfv, step = width;
  }
  float *source = (mode == LEARN ? tables.regret : tables.average) + here.row[2 * b + p] + h;
  float up = rules[UP], down = rules[DOWN], floored = rules[FLOORED];
  for (int i = 0; i < nodes; i += AT_ONCE) {
    float weight[AT_ONCE][MOST_ACTIONS];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes && decision[i + k].actor == p) {
        const Decision &d = decision[i + k];
        read_actions(source + d.row * width, width, d.actions, weight[k]);
      }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        const Decision &d = decision[i + k];
        const float *child = column + d.first * step;
        float value = 0.f;
        if (d.actor != p)
          for (int a = 0; a < d.actions; a++) value += child[a * step];
        else
          value = mean_value(weight[k], source + d.row * width, width, d.actions, child, step,
                             mode == BEST && d.learns != 2, d.learns == 1, up, down, floored);
        column[d.node * step] = cfv[(i64)d.node * width] = value;
      }
  }
}

// The values at the root of the first board, put aside until they are read. Grid: tiles.
extern "C" __global__ void keep(const Street *here_, float *kept, int at, int p) {
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  if (h < here_->width[p]) kept[at + h] = here_->cfv[here_->cfv_at[p] + h];
}
