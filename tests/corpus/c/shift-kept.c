// No bit is lost that counts; unsigned numbers may lose theirs.
// overflow: SAFE
int main(void) {
  int value = 7, count = 28;
  unsigned all = 7;
  long wide = value;
  return (value << count) + (int)(all << 29) + (int)(wide << count >> 28) - (value << 28);
}
