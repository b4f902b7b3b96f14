// A text in the program is no array of one's own.
// memory: UNSAFE
int main(void) {
  char *text = "abc";
  text[0] = 'x';
  return 0;
}
