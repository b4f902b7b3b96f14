//! Who may show the signs of a pattern, and who of them at the same time.

use crate::Threads;
use crate::facts::{SetId, Sets};
use crate::flow::Code;
use crate::model::Model;
use crate::read::key;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::{Element, Fact, Key};
use threadwise_ir::{
    Edge, EdgeId, Expr, ExprKind, LocationId, Op, Program, PropertyId, Region, SharedId, Sign, TemplateId, Update,
    VarRef,
};

/// What holds where the step began that goes through a location; nothing where the location is the beginning.
pub(crate) type Since = Vec<Option<SetId>>;

/// For each location of a code what held where the step began; nothing is known inside of the steps of callers.
pub(crate) fn since(model: &Model<'_>, sets: &mut Sets, code: &Code, is_inside: bool) -> Since {
    let program = model.program;
    let routine = program.routine(code.routine);
    let number = |location: LocationId| location.index() - routine.locations.start as usize;
    let mut since: Since = vec![None; code.at.len()];
    let is_inner = |location: LocationId| program.location(location).transient;
    let mut open = vec![routine.entry];
    since[number(routine.entry)] = is_inner(routine.entry).then_some(SetId::EMPTY);
    open.extend(program.locations_of(code.routine).map(|(id, _)| id).filter(|id| code.at[number(*id)].is_some()));
    while let Some(location) = open.pop() {
        let Some(at) = code.at[number(location)] else { continue };
        let here = match (is_inside, is_inner(location)) {
            (true, _) => Some(SetId::EMPTY),
            (false, true) => since[number(location)],
            (false, false) => Some(at),
        };
        let Some(here) = here else { continue };
        for &id in &program.location(location).edges {
            let edge = program.edge(id);
            let to = number(edge.to);
            if !is_inner(edge.to) || matches!(edge.op, Op::Return(_)) {
                continue;
            }
            let new = if matches!(edge.op, Op::Call { .. }) { SetId::EMPTY } else { here };
            let now = since[to].map_or(new, |before| sets.meet(before, new));
            if since[to] != Some(now) {
                since[to] = Some(now);
                open.push(edge.to);
            }
        }
    }
    since
}

/// Which codes of a thread run inside of steps of their callers.
pub(crate) fn inside(program: &Program, codes: &[Code]) -> Vec<bool> {
    let mut inside = vec![false; codes.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (number, code) in codes.iter().enumerate() {
            for (edge, &callee) in &code.calls {
                let is_inner = inside[number] || program.location(program.edge(*edge).from).transient;
                changed |= is_inner && !inside[callee];
                inside[callee] |= is_inner;
            }
        }
    }
    inside
}

/// Who shows a sign: the thread, what holds where its step begins and where it shows it, the keys of the element, and
/// whether the step begins there.
type Show = (TemplateId, SetId, SetId, Vec<Key>, bool);

/// For each sign of each pattern who shows it, each with an edge by which it does.
pub(crate) type Shows = BTreeMap<(PropertyId, usize), BTreeMap<Show, EdgeId>>;

/// Everything that threads show.
pub(crate) fn shows(model: &Model<'_>, threads: &Threads, sinces: &[Vec<Since>]) -> Shows {
    let asked = Asked::new(model.program);
    let mut shows = Shows::new();
    for (index, codes) in threads.iter().enumerate() {
        let is_inside = inside(model.program, codes);
        for (number, code) in codes.iter().enumerate() {
            let place = |location: LocationId| {
                let local = location.index() - model.program.routine(code.routine).locations.start as usize;
                let at = code.at[local]?;
                let is_inner = model.program.location(location).transient;
                let since = match (is_inside[number], is_inner) {
                    (true, _) => SetId::EMPTY,
                    (false, true) => sinces[index][number][local].unwrap_or(SetId::EMPTY),
                    (false, false) => at,
                };
                Some((TemplateId(index as u32), since, at, !is_inside[number] && !is_inner))
            };
            for (id, edge) in model.program.edges_of(code.routine) {
                let Some((thread, since, at, at_once)) = place(edge.from) else { continue };
                for (property, which, sign) in asked.by(model.program, edge) {
                    if sign.is_shown_by(edge) {
                        for keys in keys_shown(sign, edge) {
                            let by_sign = shows.entry((property, which)).or_default();
                            by_sign.entry((thread, since, at, keys, at_once)).or_insert(id);
                        }
                    }
                }
            }
            results(model, codes, &is_inside, (TemplateId(index as u32), number), &asked, &mut shows);
        }
    }
    shows
}

/// What returns show by storing the results of the calls in a code.
fn results(
    model: &Model<'_>,
    codes: &[Code],
    inside: &[bool],
    (thread, number): (TemplateId, usize),
    asked: &Asked,
    shows: &mut Shows,
) {
    for (&call, &callee) in &codes[number].calls {
        let edge = model.program.edge(call);
        let is_inner = inside[number] || model.program.location(edge.from).transient;
        let signs = asked.by(model.program, edge).into_iter().filter(|(_, _, sign)| sign.is_shown_by_result(edge));
        for (property, which, _) in signs {
            let locations = model.program.locations_of(codes[callee].routine).zip(&codes[callee].at);
            for ((_, location), at) in locations {
                let Some(at) = *at else { continue };
                if location.edges.iter().any(|&id| matches!(model.program.edge(id).op, Op::Return(_))) {
                    let at_once = !is_inner && !location.transient;
                    let since = if at_once { at } else { SetId::EMPTY };
                    let by_sign = shows.entry((property, which)).or_default();
                    by_sign.entry((thread, since, at, Vec::new(), at_once)).or_insert(call);
                }
            }
        }
    }
}

/// Which patterns ask about which variables.
struct Asked(BTreeMap<SharedId, BTreeSet<PropertyId>>);

impl Asked {
    fn new(program: &Program) -> Asked {
        let mut asked: BTreeMap<SharedId, BTreeSet<PropertyId>> = BTreeMap::new();
        for (id, pattern) in program.patterns() {
            for var in pattern.signs().iter().flat_map(|sign| &region(sign).vars) {
                asked.entry(*var).or_default().insert(id);
            }
        }
        Asked(asked)
    }

    /// The signs about variables that an edge mentions.
    fn by<'p>(&self, program: &'p Program, edge: &Edge) -> Vec<(PropertyId, usize, &'p Sign)> {
        let mut vars = Vec::new();
        edge.op.walk_expressions(&mut |e| {
            if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = e.kind {
                vars.push(var);
            }
        });
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => vars.extend(assignments.iter().map(|(place, _)| place.var)),
                Update::Action { frame, .. } => vars.extend(frame.iter().copied()),
            },
            Op::Call { result, .. } => vars.extend(result.iter().map(|place| place.var)),
            Op::Return(_) => {}
        }
        let of_var = |var: VarRef| match var {
            VarRef::Shared(var) => self.0.get(&var),
            VarRef::Local(_) => None,
        };
        let ids: BTreeSet<PropertyId> = vars.into_iter().filter_map(of_var).flatten().copied().collect();
        let signs = |id: PropertyId| program.property(id).pattern().into_iter().flat_map(|pattern| pattern.signs());
        ids.into_iter().flat_map(|id| signs(id).enumerate().map(move |(which, sign)| (id, which, sign))).collect()
    }
}

fn region(sign: &Sign) -> &Region {
    match sign {
        Sign::Accesses(region) | Sign::Writes(region) => region,
    }
}

fn keys_shown(sign: &Sign, edge: &Edge) -> Vec<Vec<Key>> {
    let (region, writes_only) = match sign {
        Sign::Accesses(region) => (region, false),
        Sign::Writes(region) => (region, true),
    };
    match &edge.op {
        Op::Command(command) if region.depth > 0 => {
            let told = |keys: Vec<&Expr>| keys.into_iter().map_while(key).collect();
            region.parts_of(command, writes_only).into_iter().map(told).collect()
        }
        _ => vec![Vec::new()],
    }
}

/// Two edges by which different threads may meet a pattern, in words.
pub(crate) fn race(model: &Model<'_>, sets: &mut Sets, shows: &Shows) -> Option<String> {
    let ids: Vec<(PropertyId, usize)> =
        model.program.patterns().map(|(id, pattern)| (id, pattern.signs().len())).collect();
    ids.into_iter().find_map(|(id, count)| {
        let of = |sign: usize| shows.get(&(id, sign)).filter(|shows| !shows.is_empty());
        if (0..count).any(|sign| of(sign).is_none()) {
            return None;
        }
        let mut found = None;
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            let var = common_variable(model.program, id, [a, b]);
            match meeting(model, sets, var, of(a)?, of(b)?) {
                None => return None,
                Some((one, other)) => {
                    found =
                        found.or(Some([(a, one), (b, other)].map(|(sign, show)| words(model, sets, id, sign, show))));
                }
            }
        }
        let name = model.program.property(id).wording.name().unwrap_or("a pattern");
        Some(match found {
            Some([one, other]) => format!("`{name}` may race: {one}, and {other}"),
            None => format!("`{name}` may be met by one thread"),
        })
    })
}

/// Who meets whom.
type Meeting<'s> = ((&'s Show, EdgeId), (&'s Show, EdgeId));

fn meeting<'s>(
    model: &Model<'_>,
    sets: &mut Sets,
    var: Option<SharedId>,
    ones: &'s BTreeMap<Show, EdgeId>,
    others: &'s BTreeMap<Show, EdgeId>,
) -> Option<Meeting<'s>> {
    for (one, edge) in ones {
        for (other, of_other) in others {
            let (a, b) = (one.0, other.0);
            let differ = one.3.iter().zip(&other.3).any(|(x, y)| differ_between(*x, *y));
            let by_element = |var| differ || lock_elements(model, sets, var, one, other);
            let together = model.may_both_be(a, b)
                && !var.is_some_and(by_element)
                && !sets.exclude(model, (one.2, a), (other.1, b))
                && !sets.exclude(model, (one.1, a), (other.2, b));
            if together {
                return Some(((one, *edge), (other, *of_other)));
            }
        }
    }
    None
}

/// The variable of whose elements two signs are; nothing where they are about different ones.
fn common_variable(program: &Program, id: PropertyId, signs: [usize; 2]) -> Option<SharedId> {
    let all = program.property(id).pattern()?.signs();
    let [one, other] = signs.map(|sign| region(&all[sign]));
    one.vars.first().copied().filter(|_| (&one.vars, one.depth) == (&other.vars, other.depth))
}

/// Whether each of the two has the lock with the same key as the element that it accesses.
fn lock_elements(model: &Model<'_>, sets: &Sets, var: SharedId, one: &Show, other: &Show) -> bool {
    let keys = one.3.iter().zip(&other.3).zip(model.keys(var));
    (one.4 || other.4)
        && keys.into_iter().any(|((own, of_other), sort)| {
            model.locks.iter().any(|lock| {
                let holds = |set: SetId, key: Key| {
                    let element = Element { var: VarRef::Shared(lock.owner), keys: vec![key] };
                    sets.has(set, &Fact::Holds(element))
                };
                model.keys(lock.owner) == [sort] && holds(one.2, *own) && holds(other.2, *of_other)
            })
        })
}

fn differ_between(a: Key, b: Key) -> bool {
    match (a, b) {
        (Key::Number(a), Key::Number(b)) => a != b,
        (Key::Thread(a), Key::Thread(b)) => a != b,
        (Key::Me, Key::Me) => true,
        _ => false,
    }
}

/// `W writes it at f.tw:3:5 holding m`
fn words(
    model: &Model<'_>,
    sets: &Sets,
    id: PropertyId,
    sign: usize,
    ((thread, _, at, _, _), edge): (&Show, EdgeId),
) -> String {
    let program = model.program;
    let does = match program.property(id).pattern().map(|pattern| &pattern.signs()[sign]) {
        Some(Sign::Writes(_)) => "writes",
        Some(Sign::Accesses(_)) | None => "accesses",
    };
    let held: Vec<String> = sets.get(*at).iter().filter_map(|fact| held(model, fact)).collect();
    let held = if held.is_empty() { "without a lock".to_string() } else { format!("holding {}", held.join(", ")) };
    let place = program.source.locate(program.edge(edge).span);
    format!("`{}` {does} it at {place} {held}", program.template(*thread).name)
}

fn held(model: &Model<'_>, fact: &Fact) -> Option<String> {
    match fact {
        Fact::Holds(Element { var: VarRef::Shared(var), keys })
        | Fact::Reads(Element { var: VarRef::Shared(var), keys }) => {
            let element = if keys.is_empty() { "" } else { "[…]" };
            Some(format!("`{}{element}`", model.name(*var)))
        }
        _ => None,
    }
}
