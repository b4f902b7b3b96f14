-- The binary counter of CART, example 1.12.2, with N threads, for rumur.
-- A script may replace the number in the next declaration.
const
  N: 3;

-- The three kinds of thread are one, as in binary-counter.tw. The threads are
-- not interchangeable, so there is no scalarset. The digit of a thread is its
-- control point.

type
  Tid: 1..N;

var
  t: 0..N;
  one: array [Tid] of boolean;

startstate begin
  t := 1;
  for i: Tid do one[i] := false; end;
end;

ruleset i: Tid do
  rule "zero" !one[i] & t = i ==> begin
    t := 1;
    one[i] := true;
  end;

  rule "one" one[i] & t = i ==> begin
    if i = N then t := 0; else t := i + 1; end;
    one[i] := false;
  end;
end;

invariant "wrapped" t = 0 -> forall i: Tid do !one[i] end;
