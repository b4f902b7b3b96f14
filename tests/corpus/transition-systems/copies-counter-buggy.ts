// expect: UNSAFE
// Three copies count up without a bound that anybody looks at.

shared n0 n1 n2 n3

thread W[3]
  n0 start -> n1 done
  n1 start -> n2 done
  n2 start -> n3 done

init n0 start^3
error n3 done^3
