// The arguments of all kernels; tiltless/kernels/cuda/structs.py describes the fields.
// IP is player 0, OOP player 1; p is the traverser, o = 1 - p the opponent.

typedef unsigned short u16;
typedef unsigned char u8;
typedef long long i64;

#define FULL 0xffffffffu
#define NO_HAND 0xffff
enum { ACTOR, FIRST, ACTIONS, ROW };                  // columns of Street::node
enum { LEARN, BEST, AVERAGE };                        // modes of a pass
enum { ENTER, SHARE, FOLDED, SHOWN, MEAN, LEAVE };    // steps of Program::step
enum { UP, DOWN, FLOORED, KEEP, RULES };              // columns of rules

struct Street {
  const int *node, *slot, *end, *count, *width;
  const i64 *row, *hand;
  const u16 *info;
  const int *card_at;
  const u16 *card_hand;
  const i64 *reach_at, *cfv_at;
  const u8 *locked;
  const int *parent;
  const i64 *enter_at;
  const u16 *enter_hand;
  const int *pair_at, *pair_child;
  const i64 *pair_map;
  const u16 *child_hand;
  float *reach, *cfv;
  i64 nodes, roots, ends;
};

struct Tables {
  float *regret, *average;
};

struct Program {
  const int *step;
  const float *pay;
  const int *work;
  float *spill;
  i64 reach_slots, cfv_slots;
};
