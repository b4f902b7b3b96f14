// A state machine by enumerations, function pointers and strings.
//
// assertions: SAFE
#include <assert.h>
typedef enum { IDLE, RUN = 10, STOP } state;
typedef struct fsm { state s; state (*step)(struct fsm *, char); } fsm;
static state st(fsm *f, char c) {
  switch (f->s) {
    case IDLE: if (c == 'r') return RUN;
    break;
    case RUN: switch (c) {
      case 's': return STOP;
      default: return RUN;
    }
    case STOP: break;
  }
  return f->s;
}

int main(void) {
  fsm f = { .step = st };
  const char *in = "xrys";
  for (; *in; ++in) f.s = f.step(&f, *in);
  assert(f.s == STOP && STOP == 11);
  long long big = 1LL << 40;
  switch (big) {
    case 1LL << 40: break;
    default: assert(0);
  }
  return 0;
}
