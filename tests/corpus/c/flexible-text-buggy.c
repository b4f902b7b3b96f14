// There is no room for the zero at the end of the text.
// memory: UNSAFE
#include <stdlib.h>
#include <string.h>

struct message {
  unsigned length;
  char text[];
};

int main(void) {
  const char *text = "abcd";
  struct message *made = malloc(sizeof *made + strlen(text));
  if (!made)
    return 1;
  strcpy(made->text, text);
  free(made);
  return 0;
}
