//! LockBitCnt, the worked example of THREADER, section 7: the clauses of figure 13 (b) and (c) without
//! their control, the tree of (d), and the predicates of (e) and (f).

use num_traits::{One, Zero};
use std::collections::BTreeMap;
use std::convert::Infallible;
use threadwise_horn::{
    Application, HornClause, Linear, Rational, Solution, Symbol, annot_pred, find_proof, linear_atoms, mk_tree,
    solve_linear_hc,
};
use threadwise_logic::{SmtSort, Term, Var};

const LOCK: Var = Var(0);
const CNT: Var = Var(1);
const LOCK_AFTER: Var = Var(2);
const CNT_AFTER: Var = Var(3);
const FRESH: u32 = 100;

const M1: Symbol = Symbol(1);
const M2: Symbol = Symbol(2);
const M3: Symbol = Symbol(3);
const M4: Symbol = Symbol(4);
const N1: Symbol = Symbol(11);
const N2: Symbol = Symbol(12);
const N3: Symbol = Symbol(13);
const E1: Symbol = Symbol(21);
const E2: Symbol = Symbol(22);

fn never_ended() -> Result<(), Infallible> {
    Ok(())
}

fn solve(clauses: &[HornClause], formals: &BTreeMap<Symbol, Vec<Var>>) -> Option<Solution> {
    solve_linear_hc(clauses, formals, FRESH, &never_ended).expect("nothing ends it")
}

fn int(var: Var) -> Term {
    Term::var(var, SmtSort::Int)
}

fn is(var: Var, value: i64) -> Term {
    int(var).equals(Term::int(value))
}

fn same(var: Var, after: Var) -> Term {
    int(var).equals(int(after))
}

fn clause(body: &[(Symbol, &[Var])], constraint: &[Term], head: Option<(Symbol, &[Var])>) -> HornClause {
    let application = |(symbol, args): &(Symbol, &[Var])| Application { symbol: *symbol, args: args.to_vec() };
    let mut atoms = Vec::new();
    let whole = Term::all(constraint);
    linear_atoms(&whole, &|_| None, &mut atoms).expect("linear");
    HornClause { body: body.iter().map(application).collect(), constraint: atoms, head: head.as_ref().map(application) }
}

/// `cnt + 1 == cnt' && 1 <= cnt' && lock' == lock`
fn rho0() -> [Term; 3] {
    let increment = int(CNT).plus(Term::int(1)).equals(int(CNT_AFTER));
    [increment, Term::int(1).le(int(CNT_AFTER)), same(LOCK, LOCK_AFTER)]
}

/// `lock == 0 && lock' == 1 && cnt' == cnt`: ρ1 and, as `cnt` is a local of the first thread, ρ2 with its frame.
fn take() -> [Term; 3] {
    [is(LOCK, 0), is(LOCK_AFTER, 1), same(CNT, CNT_AFTER)]
}

const V: &[Var] = &[LOCK, CNT];
const AFTER: &[Var] = &[LOCK_AFTER, CNT_AFTER];
const BOTH: &[Var] = &[LOCK, CNT, LOCK_AFTER, CNT_AFTER];

/// Figure 13 (b): m1 -ρ0-> m2 -ρ1-> m3 -e2-> m4, n1 -ρ2-> n2 -e1-> n3; e1 from ρ1 at m2, e2 from ρ2 at n1.
fn plain() -> Vec<HornClause> {
    let init = [is(LOCK, 0), is(CNT, 0)];
    vec![
        clause(&[], &init, Some((M1, V))),
        clause(&[(M1, V)], &rho0(), Some((M2, AFTER))),
        clause(&[(M2, V)], &take(), Some((M3, AFTER))),
        clause(&[], &init, Some((N1, V))),
        clause(&[(N1, V)], &take(), Some((N2, AFTER))),
        clause(&[(M2, V)], &take(), Some((E1, BOTH))),
        clause(&[(N2, V), (E1, BOTH)], &[], Some((N3, AFTER))),
        clause(&[(N1, V)], &take(), Some((E2, BOTH))),
        clause(&[(M3, V), (E2, BOTH)], &[same(CNT, CNT_AFTER)], Some((M4, AFTER))),
        clause(&[(M4, V), (N3, V)], &[], None),
    ]
}

/// Figure 13 (c): states of the second thread and transitions speak of `lock` only.
fn modular() -> Vec<HornClause> {
    let (g, g_after, g_both): (&[Var], &[Var], &[Var]) = (&[LOCK], &[LOCK_AFTER], &[LOCK, LOCK_AFTER]);
    let take2 = [is(LOCK, 0), is(LOCK_AFTER, 1)];
    vec![
        clause(&[], &[is(LOCK, 0), is(CNT, 0)], Some((M1, V))),
        clause(&[(M1, V)], &rho0(), Some((M2, AFTER))),
        clause(&[(M2, V)], &take(), Some((M3, AFTER))),
        clause(&[], &[is(LOCK, 0)], Some((N1, g))),
        clause(&[(N1, g)], &take2, Some((N2, g_after))),
        clause(&[(M2, V)], &take(), Some((E1, g_both))),
        clause(&[(N2, g), (E1, g_both)], &[], Some((N3, g_after))),
        clause(&[(N1, g)], &take2, Some((E2, g_both))),
        clause(&[(M3, V), (E2, g_both)], &[same(CNT, CNT_AFTER)], Some((M4, AFTER))),
        clause(&[(M4, V), (N3, g)], &[], None),
    ]
}

fn formals(clauses: &[HornClause]) -> BTreeMap<Symbol, Vec<Var>> {
    let heads = clauses.iter().filter_map(|clause| clause.head.as_ref());
    heads
        .map(|head| {
            let formals: &[Var] = match head.args.len() {
                4 => BOTH,
                2 if head.symbol == E1 || head.symbol == E2 => &[LOCK, LOCK_AFTER],
                2 => V,
                _ => &[LOCK],
            };
            (head.symbol, formals.to_vec())
        })
        .collect()
}

fn text(atoms: &[Linear]) -> Vec<String> {
    let names = ["lock", "cnt", "lock'", "cnt'"];
    let shown = |atom: &Linear| {
        let mut parts: Vec<String> =
            atom.coefficients.iter().map(|(v, c)| format!("{c}·{}", names[v.index()])).collect();
        parts.push(atom.constant.to_string());
        format!("{} <= 0", parts.join(" + "))
    };
    atoms.iter().map(shown).collect()
}

/// Whether each clause holds under the solution: its body and constraint contradict the head's negation.
fn solves(clauses: &[HornClause], formals: &BTreeMap<Symbol, Vec<Var>>, solution: &Solution) -> bool {
    let of = |application: &Application| -> Vec<Linear> {
        let to: BTreeMap<Var, Var> =
            formals[&application.symbol].iter().copied().zip(application.args.clone()).collect();
        let atoms = solution.get(&application.symbol).cloned().unwrap_or_default();
        atoms.iter().map(|atom| atom.rename(&|var| to[&var])).collect()
    };
    clauses.iter().all(|clause| {
        let mut given: Vec<Linear> = clause.body.iter().flat_map(of).collect();
        given.extend(clause.constraint.iter().cloned());
        let wanted = clause.head.as_ref().map_or(vec![Linear::contradiction()], of);
        wanted.iter().all(|atom| {
            // The negation of `e <= 0` over the integers is `1 - e <= 0`.
            let mut negation = Linear { constant: Rational::one(), ..Linear::default() };
            negation.add(&-Rational::one(), atom);
            find_proof(&[&given[..], &[negation]].concat(), &never_ended).expect("nothing ends it").is_some()
        })
    })
}

#[test]
fn the_tree_has_the_nodes_of_figure_13_d() {
    let tree = mk_tree(&plain(), FRESH).expect("a tree");
    assert_eq!(tree.nodes.len(), 26);
    let leaves = tree.nodes.iter().filter(|node| node.children.is_empty()).count();
    assert_eq!(leaves, 13, "each of the 13 relations and the root has one leaf");
    let counted =
        |symbol| tree.nodes.iter().filter(|n| n.application.as_ref().is_some_and(|a| a.symbol == symbol)).count();
    assert_eq!([M1, M2, M3, M4, N1, N2, N3, E1, E2].map(counted), [2, 2, 1, 1, 2, 1, 1, 1, 1]);
}

#[test]
fn plain_clauses_are_solved() {
    let clauses = plain();
    let formals = formals(&clauses);
    let solution = solve(&clauses, &formals).expect("satisfiable");
    assert!(solves(&clauses, &formals, &solution), "{solution:?}");
}

/// The paper's proof for (b): `1 <= cnt³`, `cnt³ <= cnt²` and `cnt² <= 0` with weight 1, and the predicates
/// that ANNOTPRED makes of it.
#[test]
fn the_papers_weights_give_the_predicates_of_figure_13_e() {
    let clauses = plain();
    let tree = mk_tree(&clauses, FRESH).expect("a tree");
    let atoms = tree.atoms();
    // The atoms by node: `1 <= cnt` is at the leaf of the m2 above m3, `cnt <= cnt` at that of m3, `cnt <= 0`
    // at that of the n1 above e2.
    let node_of = |symbols: &[Symbol]| {
        let mut at = 0;
        for symbol in symbols {
            let is = |child: &&usize| tree.nodes[**child].application.as_ref().is_some_and(|a| a.symbol == *symbol);
            at = *tree.nodes[at].children.iter().find(is).expect("the child is there");
        }
        at
    };
    let mut proof = vec![Rational::zero(); atoms.len()];
    let mut weigh = |node: usize, wanted: &dyn Fn(&Linear) -> bool| {
        let leaf = tree.nodes[node].children[0];
        let start: usize = tree.nodes[..leaf].iter().map(|node| node.atoms.len()).sum();
        let at = tree.nodes[leaf].atoms.iter().position(wanted).expect("the atom is there");
        proof[start + at] = Rational::one();
    };
    let m2 = node_of(&[M4, M3, M2]);
    let cnt_of = |node: usize| tree.nodes[node].application.as_ref().expect("inner").args[1];
    let (cnt2, cnt3) = (cnt_of(node_of(&[M4, M3])), cnt_of(m2));
    weigh(m2, &|atom| atom.coefficients.len() == 1 && atom.coefficients.get(&cnt3) == Some(&-Rational::one()));
    weigh(node_of(&[M4, M3]), &|atom| {
        atom.coefficients.get(&cnt3) == Some(&Rational::one())
            && atom.coefficients.get(&cnt2) == Some(&-Rational::one())
    });
    let n1 = node_of(&[M4, E2, N1]);
    let cnt_n = cnt_of(n1);
    assert_eq!(cnt_n, cnt2, "e2 and m3 share the state before the step");
    weigh(n1, &|atom| atom.coefficients.get(&cnt_n) == Some(&Rational::one()) && atom.coefficients.len() == 1);
    let pred = annot_pred(&tree, &proof);
    assert_eq!(pred[0].tightened(), Linear::contradiction());
    let at_least_one =
        |var| Linear { coefficients: BTreeMap::from([(var, -Rational::one())]), constant: Rational::one() };
    let at_most_zero = |var| Linear { coefficients: BTreeMap::from([(var, Rational::one())]), ..Linear::default() };
    assert_eq!(pred[m2], at_least_one(cnt3), "SOL(m2) is 1 <= cnt");
    assert_eq!(pred[node_of(&[M4, M3])], at_least_one(cnt2), "SOL(m3) is 1 <= cnt");
    assert_eq!(pred[n1], at_most_zero(cnt2), "SOL(n1) is cnt <= 0");
    assert_eq!(pred[node_of(&[M4, E2])], at_most_zero(cnt2), "SOL(e2) is cnt <= 0");
    assert_eq!(pred[node_of(&[N3])], Linear::zero());
}

/// Figure 13 (f): without `cnt` in the environment only `lock` is left to contradict itself.
#[test]
fn modular_clauses_are_solved_by_predicates_about_the_lock() {
    let clauses = modular();
    let formals = formals(&clauses);
    let solution = solve(&clauses, &formals).expect("satisfiable");
    assert!(solves(&clauses, &formals, &solution), "{solution:?}");
    let speaks_of_cnt = |atom: &Linear| atom.coefficients.keys().any(|var| [CNT, CNT_AFTER].contains(var));
    assert!(!solution.values().flatten().any(speaks_of_cnt), "{solution:?}");
    let lock_is = |symbol: Symbol, expected: &[&str]| {
        let found = text(&solution[&symbol]);
        assert!(found.iter().any(|atom| expected.contains(&atom.as_str())), "{symbol:?}: {found:?}");
    };
    // Either thread's critical state may carry the proof, as the two are alike.
    let carried_by_first = text(&solution[&M3]).contains(&"-1·lock + 1 <= 0".to_string());
    if carried_by_first {
        lock_is(M3, &["-1·lock + 1 <= 0"]);
        lock_is(E2, &["1·lock + 0 <= 0"]);
    } else {
        lock_is(N2, &["-1·lock + 1 <= 0"]);
        lock_is(E1, &["1·lock + 0 <= 0"]);
    }
}

/// HC1 of LockBit (section 2.1) has no solution about data alone: both threads can have taken the bit. HC3 of LockId
/// (section 2.2) has one, `lock == 1` against `lock == 2`, and so has HC4, its modular form.
#[test]
fn first_refinements_of_lock_bit_and_lock_id() {
    let tuple = |second: i64| {
        let g: &[Var] = &[LOCK];
        let after: &[Var] = &[LOCK_AFTER];
        vec![
            clause(&[], &[is(LOCK, 0)], Some((M1, g))),
            clause(&[(M1, g)], &[is(LOCK, 0), is(LOCK_AFTER, 1)], Some((M2, after))),
            clause(&[], &[is(LOCK, 0)], Some((N1, g))),
            clause(&[(N1, g)], &[is(LOCK, 0), is(LOCK_AFTER, second)], Some((N2, after))),
            clause(&[(M2, g), (N2, g)], &[], None),
        ]
    };
    let lock_bit = tuple(1);
    assert_eq!(solve(&lock_bit, &formals(&lock_bit)), None);
    let lock_id = tuple(2);
    let solution = solve(&lock_id, &formals(&lock_id)).expect("satisfiable");
    assert!(solves(&lock_id, &formals(&lock_id), &solution));
    assert_eq!(text(&solution[&M2]), ["1·lock + -1 <= 0"], "lock <= 1");
    assert_eq!(text(&solution[&N2]), ["-1·lock + 2 <= 0"], "2 <= lock");
}
