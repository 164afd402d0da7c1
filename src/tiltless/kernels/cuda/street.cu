// Flop and turn: a thread takes a hand on a board, and goes through all nodes. It reads the tables of
// AT_ONCE nodes before it uses any. Twins: the functions of the same names in twin.py.

#define AT_ONCE 4

// The opponent's reach of all nodes: of the roots, from the ends of the street above, then of the
// children of each of its decisions. level: these decisions, parents first. Grid: boards, tiles.
extern "C" __global__ void down(const Street *here_, const Street *above_, const Tables *tables_,
                                const float *rules, const int *level, int nodes, int p, int mode) {
  const Street here = *here_, above = *above_;
  const Tables tables = *tables_;
  int b = blockIdx.x, j = blockIdx.y * blockDim.x + threadIdx.x, o = 1 - p;
  int width = here.width[2 * b + o];
  if (j >= width) return;
  const int *slot = here.slot + p * here.nodes;
  float *reach = here.reach + here.reach_at[2 * b + p] + j;
  int parent = here.parent[b];
  bool dealt = j < here.count[2 * b + o];
  const float *from = above.reach + above.reach_at[2 * parent + p];
  if (dealt) from += here.enter_hand[here.enter_at[2 * b + o] + j];
  for (int r = 0; r < here.roots; r++) {
    i64 end = above.slot[p * above.nodes + above.end[r]];
    reach[(i64)r * width] = dealt ? from[end * above.width[2 * parent + o]] : 0.f;
  }
  const float *source = (mode == LEARN ? tables.regret : tables.average) + here.row[2 * b + o] + j;
  float *average = tables.average + here.row[2 * b + o] + j;
  for (int i = 0; i < nodes; i += AT_ONCE) {
    float weight[AT_ONCE][MOST_ACTIONS], old[AT_ONCE][MOST_ACTIONS];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        const int *node = here.node + 4 * level[i + k];
        i64 at = (i64)node[ROW] * width;
        read_actions(source + at, width, node[ACTIONS], weight[k]);
        if (mode == LEARN) read_actions(average + at, width, node[ACTIONS], old[k]);
      }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        int n = level[i + k];
        const int *node = here.node + 4 * n;
        bool learns = mode == LEARN && !here.locked[b * here.nodes + n];
        share_reach(weight[k], old[k], average + (i64)node[ROW] * width, width, node[ACTIONS],
                    reach[(i64)slot[n] * width], reach + (i64)slot[node[FIRST]] * width, width,
                    learns, rules[KEEP]);
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
  const Street here = *here_, below = *below_;
  int ends = (int)here.ends, b = blockIdx.x / ends, r = blockIdx.x % ends;
  int h = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + p];
  if (h >= width) return;
  float sum = 0.f;
  for (int pair = below.pair_at[b]; pair < below.pair_at[b + 1]; pair++) {
    int child = below.pair_child[pair], k = below.child_hand[below.pair_map[2 * pair + p] + h];
    if (k != NO_HAND)
      sum += share * below.cfv[below.cfv_at[2 * child + p] + (i64)r * below.width[2 * child + p] + k];
  }
  here.cfv[here.cfv_at[2 * b + p] + (i64)here.end[r] * width + h] = sum;
}

// The values of all decisions, and the traverser's regrets. level: the decisions, children first.
// Grid: boards, tiles.
extern "C" __global__ void up(const Street *here_, const Tables *tables_, const float *rules,
                              const int *level, int nodes, int p, int mode) {
  const Street here = *here_;
  const Tables tables = *tables_;
  int b = blockIdx.x, h = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + p];
  if (h >= width) return;
  float *cfv = here.cfv + here.cfv_at[2 * b + p] + h;
  const float *source = (mode == LEARN ? tables.regret : tables.average) + here.row[2 * b + p] + h;
  float *regret = tables.regret + here.row[2 * b + p] + h;
  for (int i = 0; i < nodes; i += AT_ONCE) {
    float weight[AT_ONCE][MOST_ACTIONS];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        const int *node = here.node + 4 * level[i + k];
        if (node[ACTOR] == p)
          read_actions(source + (i64)node[ROW] * width, width, node[ACTIONS], weight[k]);
      }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k < nodes) {
        int n = level[i + k];
        const int *node = here.node + 4 * n;
        const float *child = cfv + (i64)node[FIRST] * width;
        float value = 0.f;
        if (node[ACTOR] != p) {
          for (int a = 0; a < node[ACTIONS]; a++) value += child[(i64)a * width];
        } else {
          bool locked = here.locked[b * here.nodes + n];
          value = mean_value(weight[k], regret + (i64)node[ROW] * width, width, node[ACTIONS],
                             child, width, mode == BEST && !locked, mode == LEARN && !locked,
                             rules[UP], rules[DOWN], rules[FLOORED]);
        }
        cfv[(i64)n * width] = value;
      }
  }
}

// The values at the root of the first board, put aside until they are read. Grid: tiles.
extern "C" __global__ void keep(const Street *here_, float *kept, int at, int p) {
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  if (h < here_->width[p]) kept[at + h] = here_->cfv[here_->cfv_at[p] + h];
}
