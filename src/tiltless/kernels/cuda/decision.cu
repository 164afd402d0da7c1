// Regret matching and updates at one decision, for one hand; rows of actions are `width` apart in
// the tables, and vectors of children `step` apart in reach and cfv.
// Twin: share_reach and mean_value in twin.py.

// The opponent's reach of each child; learning adds it to the average strategy.
__device__ __forceinline__ void share_reach(const float *source, float *average, int width,
                                            int actions, float here, float *child, int step,
                                            bool learns, float keep) {
  float weight[MOST_ACTIONS], total = 0.f;
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) {
      weight[a] = fmaxf(source[(i64)a * width], 0.f);
      total += weight[a];
    }
  float share = total > 0.f ? here / total : 0.f;
  float even = total > 0.f ? 0.f : here * (1.f / actions);
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) {
      float x = weight[a] * share + even;
      child[a * step] = x;
      if (learns) average[(i64)a * width] = average[(i64)a * width] * keep + x;
    }
}

// The value of a node of the traverser, and the regrets of its actions if it learns.
__device__ __forceinline__ float mean_value(const float *source, float *regret, int width,
                                            int actions, const float *child, int step, bool best,
                                            bool learns, const float *rules) {
  float weight[MOST_ACTIONS], cfv[MOST_ACTIONS];
  float total = 0.f, mean = 0.f, every = 0.f, most = 0.f;
#pragma unroll
  for (int a = 0; a < MOST_ACTIONS; a++)
    if (a < actions) {
      cfv[a] = child[a * step];
      weight[a] = best ? 0.f : source[(i64)a * width];
      float w = fmaxf(weight[a], 0.f);
      total += w;
      mean += w * cfv[a];
      every += cfv[a];
      most = a ? fmaxf(most, cfv[a]) : cfv[a];
    }
  if (best) return most;
  float value = total > 0.f ? mean / total : every * (1.f / actions);
  if (learns) {  // where source is regret
    float up = rules[UP], down = rules[DOWN];
#pragma unroll
    for (int a = 0; a < MOST_ACTIONS; a++)
      if (a < actions) {
        float old = weight[a], next = old * (old > 0.f ? up : down) + (cfv[a] - value);
        regret[(i64)a * width] = rules[FLOORED] > 0.f ? fmaxf(next, 0.f) : next;
      }
  }
  return value;
}
