// The array at the end of the struct has three elements, and the fourth is set.
// memory: UNSAFE
#include <stdlib.h>

struct buffer {
  int count;
  int data[];
};

int main(void) {
  struct buffer *buffer = malloc(sizeof *buffer + 3 * sizeof(int));
  if (!buffer)
    return 1;
  buffer->count = 3;
  for (int i = 0; i <= buffer->count; i++)
    buffer->data[i] = i;
  free(buffer);
  return 0;
}
