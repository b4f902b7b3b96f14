// A text behind its length, in as much memory as it takes.
// assertions: SAFE
// memory: SAFE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct message {
  unsigned length;
  char text[];
};

struct message *message(const char *text) {
  size_t length = strlen(text);
  struct message *made = malloc(sizeof *made + length + 1);
  if (!made)
    exit(1);
  made->length = length;
  strcpy(made->text, text);
  return made;
}

int main(void) {
  struct message *hello = message("abc");
  assert(hello->length == 3 && hello->text[1] == 'b' && hello->text[3] == 0);
  free(hello);
  return 0;
}
