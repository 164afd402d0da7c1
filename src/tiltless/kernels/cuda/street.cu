// Flop and turn, level by level: a block takes a node on a board, a thread a hand.
// Twins: the functions of the same names in twin.py.

// The reach of the roots, from the ends of the street above. Grid: boards x roots, tiles of hands.
extern "C" __global__ void enter(const Street *here_, const Street *above_, int p) {
  const Street here = *here_, above = *above_;
  int roots = (int)here.roots, b = blockIdx.x / roots, r = blockIdx.x % roots, o = 1 - p;
  int j = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + o];
  if (j >= width) return;
  int parent = here.parent[b], slot = above.slot[p * above.nodes + above.end[r]];
  const float *from =
      above.reach + above.reach_at[2 * parent + p] + (i64)slot * above.width[2 * parent + o];
  float x = 0.f;
  if (j < here.count[2 * b + o]) x = from[here.enter_hand[here.enter_at[2 * b + o] + j]];
  here.reach[here.reach_at[2 * b + p] + (i64)r * width + j] = x;
}

// The reach of the children of a level's nodes of the opponent. Grid: boards x nodes, tiles.
extern "C" __global__ void down(const Street *here_, const Tables *tables_, const float *rules,
                                const int *level, int nodes, int p, int mode) {
  const Street here = *here_;
  const Tables tables = *tables_;
  int b = blockIdx.x / nodes, n = level[blockIdx.x % nodes], o = 1 - p;
  int j = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + o];
  if (j >= width) return;
  const int *node = here.node + 4 * n, *slot = here.slot + p * here.nodes;
  i64 at = here.row[2 * b + o] + (i64)node[ROW] * width + j;
  float *reach = here.reach + here.reach_at[2 * b + p] + j;
  bool learns = mode == LEARN && !here.locked[b * here.nodes + n];
  share_reach((mode == LEARN ? tables.regret : tables.average) + at, tables.average + at, width,
              node[ACTIONS], reach[(i64)slot[n] * width],
              reach + (i64)slot[node[FIRST]] * width, width, learns, rules[KEEP]);
}

// The values after folds. pay: [2][nodes]. Grid: boards x folds; a block takes all hands.
extern "C" __global__ void folds(const Street *here_, const int *level, const float *pay,
                                 int nodes, int p) {
  __shared__ float sums[52];
  const Street here = *here_;
  int b = blockIdx.x / nodes, i = blockIdx.x % nodes, n = level[i], o = 1 - p;
  const float *reach = here.reach + here.reach_at[2 * b + p] +
                       (i64)here.slot[p * here.nodes + n] * here.width[2 * b + o];
  card_sums(reach, here.card_at + 53 * (2 * b + o), here.card_hand, sums, 0);
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

// The values of a level's decisions, and the traverser's regrets. Grid: boards x nodes, tiles.
extern "C" __global__ void up(const Street *here_, const Tables *tables_, const float *rules,
                              const int *level, int nodes, int p, int mode) {
  const Street here = *here_;
  const Tables tables = *tables_;
  int b = blockIdx.x / nodes, n = level[blockIdx.x % nodes];
  int h = blockIdx.y * blockDim.x + threadIdx.x, width = here.width[2 * b + p];
  if (h >= width) return;
  const int *node = here.node + 4 * n;
  float *cfv = here.cfv + here.cfv_at[2 * b + p] + h;
  const float *child = cfv + (i64)node[FIRST] * width;
  float value = 0.f;
  if (node[ACTOR] != p) {
    for (int a = 0; a < node[ACTIONS]; a++) value += child[(i64)a * width];
  } else {
    i64 at = here.row[2 * b + p] + (i64)node[ROW] * width + h;
    bool locked = here.locked[b * here.nodes + n];
    value = mean_value((mode == LEARN ? tables.regret : tables.average) + at, tables.regret + at,
                       width, node[ACTIONS], child, width, mode == BEST && !locked,
                       mode == LEARN && !locked, rules);
  }
  cfv[(i64)n * width] = value;
}

// The values at the root of the first board, put aside until they are read. Grid: tiles.
extern "C" __global__ void keep(const Street *here_, float *kept, int at, int p) {
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  if (h < here_->width[p]) kept[at + h] = here_->cfv[here_->cfv_at[p] + h];
}
