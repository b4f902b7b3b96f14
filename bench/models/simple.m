-- Simple(N) of FQ, section 1.1, with N threads, for rumur.
-- A script may replace the number in the next declaration.
const
  N: 4;

-- The control points are those of simple.tw, the end included. The mutex is
-- undefined while nobody holds it.

type
  Wid: scalarset(N);
  Point: enum { acquire, store, add, check, free, finished };

var
  x: 0..1;
  m: Wid;
  at: array [Wid] of Point;

startstate begin
  x := 1;
  undefine m;
  for w: Wid do at[w] := acquire; end;
end;

ruleset w: Wid do
  rule "acquire(m)" at[w] = acquire & isundefined(m) ==> begin
    m := w;
    at[w] := store;
  end;

  rule "x = 0" at[w] = store ==> begin
    x := 0;
    at[w] := add;
  end;

  rule "x = x + 1" at[w] = add ==> begin
    x := x + 1;
    at[w] := check;
  end;

  rule "assert x > 0" at[w] = check ==> begin
    assert x > 0;
    at[w] := free;
  end;

  rule "release(m)" at[w] = free ==> begin
    assert m = w;
    undefine m;
    at[w] := finished;
  end;
end;

invariant "clean" isundefined(m) -> x = 1;

invariant "no race on x"
  forall v: Wid do
    forall w: Wid do
      v = w
      | !((at[v] = store | at[v] = add) & (at[w] = store | at[w] = add | at[w] = check))
    end
  end;
