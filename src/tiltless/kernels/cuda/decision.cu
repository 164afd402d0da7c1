// Regret matching and updates at one decision, for one hand; rows of actions are `width` apart in
// the tables, and vectors of children `step` apart in reach and cfv. Tables are read first, all
// actions and all hands of a thread at once, because the card waits for each read.
// Twin: share_reach and mean_value in twin.py.

#define LEAST_TOTAL 1e-30f  // of tiltless/kernels/postflop/decision.py

__device__ __forceinline__ void read_actions(const float *from, int width, int actions, float *to) {
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) to[a] = from[a * width];
}

// The opponent's reach of each child; learning adds it to the average strategy.
__device__ __forceinline__ void share_reach(const float *read, const float *old, float *average,
                                            int width, int actions, float here, float *child,
                                            int step, bool learns, float keep) {
  float total = 0.f;
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) total += fmaxf(read[a], 0.f);
  bool some = total > LEAST_TOTAL;  // dividing by less might overflow
  float share = some ? here / total : 0.f;
  float even = some ? 0.f : here * (1.f / actions);
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) {
      float x = fmaxf(read[a], 0.f) * share + even;
      child[a * step] = x;
      if (learns) average[a * width] = old[a] * keep + x;
    }
}

// The value of a node of the traverser, and the regrets of its actions if it learns.
__device__ __forceinline__ float mean_value(const float *read, float *regret, int width,
                                            int actions, const float *child, int step, bool best,
                                            bool learns, float up, float down, float floored) {
  float cfv[MOST_ACTIONS], total = 0.f, mean = 0.f, every = 0.f, most = 0.f;
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) {
      cfv[a] = child[a * step];
      float w = best ? 0.f : fmaxf(read[a], 0.f);
      total += w;
      mean += w * cfv[a];
      every += cfv[a];
      most = a ? fmaxf(most, cfv[a]) : cfv[a];
    }
  if (best) return most;
  float value = total > 0.f ? mean / total : every * (1.f / actions);
  if (learns) {  // where regrets were read
#pragma unroll
    for (int a = 0; a < MOST_ACTIONS; a++)
      if (a < actions) {
        float old = read[a], next = old * (old > 0.f ? up : down) + (cfv[a] - value);
        regret[a * width] = floored > 0.f ? fmaxf(next, 0.f) : next;
      }
  }
  return value;
}
