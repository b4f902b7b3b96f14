// A constant variable is changed through a pointer.
// memory: UNSAFE
static const int limits[2] = {1, 2};

static void set(int *at) {
  *at = 3;
}

int main(void) {
  set((int *)&limits[1]);
  return limits[1];
}
