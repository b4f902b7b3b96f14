// expect: UNSAFE
// A lock that the second user takes even if it is taken.

shared free taken

thread P
  free out -> taken in
  * in -> free out

thread Q
  * out -> taken in
  * in -> free out

init free out out
error * in in
