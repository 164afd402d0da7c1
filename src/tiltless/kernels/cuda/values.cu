// Values of whole ranges, and trembles. Twins: root_values and lift in twin.py.

// For each board the sum over the traverser's hands of range times value at root 0, in 64 bits.
// Grid: boards; 128 threads.
extern "C" __global__ void root_values(const Street *here_, const Street *deal_, double *out,
                                       int p) {
  __shared__ double part[128];
  const Street here = *here_, deal = *deal_;
  int b = blockIdx.x, t = threadIdx.x, width = here.width[2 * b + p];
  const float *cfv = here.cfv + here.cfv_at[2 * b + p];
  const float *range = deal.reach + deal.reach_at[2 * b + 1 - p];  // the opponent sees the range of p
  double sum = 0;
  for (int h = t; h < width; h += 128) sum += (double)cfv[h] * range[h];
  part[t] = sum;
  __syncthreads();
  for (int step = 64; step; step >>= 1) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[b] = part[0];
}

// Tremble: regrets raised to at least share / n of the sum of those above 0. rows: [decisions][2],
// where the rows of a decision begin, and its number of actions n. Grid: decisions, tiles of hands.
extern "C" __global__ void lift(const Tables *tables_, const i64 *rows, float share, int width) {
  int h = blockIdx.y * blockDim.x + threadIdx.x, actions = (int)rows[2 * blockIdx.x + 1];
  if (h >= width) return;
  float *regret = tables_->regret + rows[2 * blockIdx.x] + h, total = 0.f;
  for (int a = 0; a < actions; a++) total += fmaxf(regret[(i64)a * width], 0.f);
  float least = total * (share / actions);
  for (int a = 0; a < actions; a++)
    regret[(i64)a * width] = fmaxf(regret[(i64)a * width], least);
}
