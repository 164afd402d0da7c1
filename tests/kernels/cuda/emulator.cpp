// A CUDA device on one core, for tests without a card: each thread of a block is a fiber, barriers
// and shuffles hand over to the next. A warp runs as far as it can before another does, so that a
// missing barrier shows. The kernels are included as they are.
// A block whose threads wait for each other in vain, or that writes beyond its shared memory, ends
// the launch with an error code.

#include <math.h>
#include <string.h>
#include <ucontext.h>
#include <functional>
#include <string>
#include <vector>

struct uint4 { unsigned x, y, z, w; };
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
struct Index { int x, y; };
static Index threadIdx, blockIdx, blockDim;
alignas(16) float shared[1 << 16];

#define __device__
#define __forceinline__ inline
#define __global__
#define __launch_bounds__(threads, blocks)
#define __shared__ static

static std::vector<ucontext_t> fibers;
static std::vector<char> finished;
static ucontext_t scheduler;
static int running, alive, arrived, phase, progress;
static int warp_arrived[64], warp_phase[64];
static float lanes[64][32];

static void yield_fiber() {
  swapcontext(&fibers[running], &scheduler);
}
static void pause_fiber(int *counter, int *turn, int all) {
  int mine = *turn;
  progress++;
  if (++*counter == all) { *counter = 0; ++*turn; return; }
  while (*turn == mine) yield_fiber();
}
static void __syncthreads() { pause_fiber(&arrived, &phase, alive); }
static void warp_barrier() {
  int w = threadIdx.x >> 5;
  pause_fiber(&warp_arrived[w], &warp_phase[w], 32);
}
static float exchange(float x, int from) {
  int w = threadIdx.x >> 5;
  lanes[w][threadIdx.x & 31] = x;
  warp_barrier();
  float y = lanes[w][from];
  warp_barrier();
  return y;
}
static float __shfl_sync(unsigned, float x, int from) { return exchange(x, from & 31); }
static float __shfl_xor_sync(unsigned, float x, int bits) { return exchange(x, (threadIdx.x & 31) ^ bits); }
static float __shfl_up_sync(unsigned, float x, int by) {
  int lane = threadIdx.x & 31;
  return exchange(x, lane >= by ? lane - by : lane);
}

#include "kernels.cu"

static std::function<void()> body;
static void fiber() {
  body();
  finished[running] = 1;
  alive--;
  progress++;
  swapcontext(&fibers[running], &scheduler);
}

static int run_block(int threads) {
  static std::vector<std::vector<char>> stacks;
  static bool backward;
  while ((int)stacks.size() < threads) stacks.emplace_back(1 << 16);
  fibers.assign(threads, ucontext_t());
  finished.assign(threads, 0);
  alive = threads; arrived = phase = progress = 0;
  memset(warp_arrived, 0, sizeof warp_arrived);
  memset(warp_phase, 0, sizeof warp_phase);
  for (int t = 0; t < threads; t++) {
    getcontext(&fibers[t]);
    fibers[t].uc_stack.ss_sp = stacks[t].data();
    fibers[t].uc_stack.ss_size = stacks[t].size();
    fibers[t].uc_link = &scheduler;
    makecontext(&fibers[t], fiber, 0);
  }
  while (alive) {
    int before = progress, warps = (threads + 31) / 32;
    backward = !backward;
    for (int i = 0; i < warps; i++) {
      int warp = backward ? warps - 1 - i : i, last;
      do {
        last = progress;
        for (int t = 32 * warp; t < 32 * warp + 32 && t < threads; t++) {
          if (finished[t]) continue;
          running = t; threadIdx.x = t;
          swapcontext(&scheduler, &fibers[t]);
        }
      } while (progress != last);
    }
    if (alive && progress == before) return 1;  // nobody arrived anywhere
  }
  return 0;
}

template <class T> static T at(void **arguments, int i) { return *(T *)arguments[i]; }
#define S(i) at<const Street *>(a, i)
#define R(i) at<const float *>(a, i)
#define N(i) at<const int *>(a, i)
#define I(i) at<int>(a, i)
#define T(i) at<const Tables *>(a, i)

extern "C" int emulate(const char *name, int x, int y, int threads, int bytes, void **a) {
  std::string kernel = name;
  if (kernel == "down") body = [=] { down(S(0), S(1), T(2), R(3), N(4), I(5), I(6), I(7), I(8)); };
  else if (kernel == "folds") body = [=] { folds(S(0), N(1), R(2), I(3), I(4)); };
  else if (kernel == "collect") body = [=] { collect(S(0), S(1), at<float>(a, 2), I(3)); };
  else if (kernel == "up") body = [=] { up(S(0), T(1), R(2), N(3), I(4), I(5), I(6), I(7)); };
  else if (kernel == "keep") body = [=] { keep(S(0), at<float *>(a, 1), I(2), I(3)); };
  else if (kernel == "lift") body = [=] { lift(T(0), at<const i64 *>(a, 1), at<float>(a, 2), I(3)); };
  else if (kernel == "river") body = [=] { river(S(0), S(1), T(2), at<const Program *>(a, 3), R(4), I(5), I(6)); };
  else if (kernel == "root_values") body = [=] { root_values(S(0), S(1), at<double *>(a, 2), I(3)); };
  else return 2;
  blockDim = {threads, 1};
  for (int i = bytes / 4; i < bytes / 4 + 64; i++) shared[i] = 12345.f;
  for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++)
      if (run_block(threads)) return 1;
  for (int i = bytes / 4; i < bytes / 4 + 64; i++) if (shared[i] != 12345.f) return 3;
  return 0;
}
