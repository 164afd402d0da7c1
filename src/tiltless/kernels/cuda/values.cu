// Values of whole ranges. Twin: root_values in twin.py.

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
