// `_Exit` and `abort` run nothing of what `atexit` was told.
// assertions: SAFE
#include <assert.h>
#include <stdlib.h>

static void never(void) {
  assert(0);
}

int main(int argc, char **argv) {
  atexit(never);
  if (argc > 1)
    _Exit(1);
  abort();
}
