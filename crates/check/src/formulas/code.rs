//! The points of a thread's code, with calls inlined, and what the proof says of them.

use crate::predicate::Predicate;
use std::collections::BTreeMap;
use threadwise_evidence::ThreadFormulas;
use threadwise_ir::{EdgeId, Op, Point, Program, RoutineId, TemplateId};
use threadwise_logic::Term;

/// More points than this are not looked at.
const MAX_POINTS: usize = 50_000;

pub(crate) struct Spot {
    pub(crate) point: Point,
    /// The routine of each frame, the thread's own first.
    pub(crate) routines: Vec<RoutineId>,
    /// No other thread moves here.
    pub(crate) inside_step: bool,
    /// The edges that leave it, and where they lead.
    pub(crate) next: Vec<(EdgeId, usize)>,
    /// The code is cut here: what is known here is this and nothing else.
    pub(crate) cut: Option<Vec<Predicate>>,
    /// What the proof says here beside that.
    pub(crate) remarks: Vec<Predicate>,
}

impl Spot {
    /// The routine whose locals are seen here.
    pub(crate) fn innermost(&self) -> RoutineId {
        *self.routines.last().expect("there is the thread's own routine")
    }
}

/// All points that control can come to; the first is the entry.
pub(crate) struct Code {
    pub(crate) spots: Vec<Spot>,
    numbers: BTreeMap<Point, usize>,
    /// The points of which the proof says something, in its order: by these numbers they are known.
    listed: Vec<Point>,
    /// Whether the thread rests only at points of which something is said.
    only_listed: bool,
}

impl Code {
    pub(crate) fn new(program: &Program, template: TemplateId, formulas: &ThreadFormulas) -> Result<Code, String> {
        let entry = program.routine(program.template(template).body).entry;
        let mut numbers: BTreeMap<Point, usize> = BTreeMap::from([(Point::at(entry), 0)]);
        let listed = formulas.points.iter().map(|said| said.point.clone()).collect();
        let only_listed = formulas.closure == 0;
        let mut code =
            Code { spots: vec![spot(program, Point::at(entry))], numbers: BTreeMap::new(), listed, only_listed };
        let mut done = 0;
        while done < code.spots.len() {
            let point = code.spots[done].point.clone();
            for &edge in &program.location(point.location).edges {
                let target = follow(program, &point, edge)?;
                let number = *numbers.entry(target.clone()).or_insert(code.spots.len());
                if number == code.spots.len() {
                    code.spots.push(spot(program, target));
                }
                code.spots[done].next.push((edge, number));
            }
            if code.spots.len() > MAX_POINTS {
                return Err("the code has too many points once calls are inlined".to_string());
            }
            done += 1;
        }
        code.numbers = numbers;
        Ok(code)
    }

    /// The spot at a point, if control can come there.
    pub(crate) fn spot_at(&self, point: &Point) -> Option<usize> {
        self.numbers.get(point).copied()
    }

    /// The number by which formulas know a point: its place in the proof, or, if nothing is said of it, one that no other has.
    pub(crate) fn number_of(&self, point: &Point) -> Term {
        let listed = self.listed.iter().position(|other| other == point);
        let number = listed.or_else(|| Some(self.listed.len() + self.spot_at(point)?));
        Term::int(number.map_or(-1, |number| number as i64))
    }

    /// The spots where others may see the thread.
    pub(crate) fn resting(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.spots.len()).filter(|&spot| self.may_rest_at(spot))
    }

    /// Where a spot is in the text.
    pub(crate) fn place(&self, program: &Program, spot: usize) -> String {
        program.source.locate(program.location(self.spots[spot].point.location).span)
    }

    /// Whether a piece ends at a spot.
    pub(crate) fn ends(&self, spot: usize) -> bool {
        self.spots[spot].cut.is_some() || !self.may_rest_at(spot) && !self.spots[spot].inside_step
    }

    /// Whether a thread may be seen at a spot: without steps of the environment in between, only where something is said.
    pub(crate) fn may_rest_at(&self, spot: usize) -> bool {
        !self.spots[spot].inside_step && (!self.only_listed || self.spots[spot].cut.is_some())
    }

    /// Whether pieces are single steps.
    pub(crate) fn is_cut_everywhere(&self) -> bool {
        self.only_listed && !self.spots.iter().any(|spot| spot.inside_step && spot.cut.is_some())
    }

    /// Where pieces start.
    pub(crate) fn cuts(&self) -> Vec<usize> {
        (0..self.spots.len()).filter(|&spot| self.spots[spot].cut.is_some()).collect()
    }

    /// The points from a start up to the next cuts, each after those that lead to it; the cuts themselves
    /// are left out. An error if there is a cycle.
    pub(crate) fn piece(&self, start: usize) -> Result<Vec<usize>, String> {
        let mut left = Vec::new();
        let mut state = vec![Visit::New; self.spots.len()];
        state[start] = Visit::Open;
        let mut stack = vec![(start, 0)];
        while let Some((number, next)) = stack.pop() {
            let Some(&(_, target)) = self.spots[number].next.get(next) else {
                state[number] = Visit::Left;
                left.push(number);
                continue;
            };
            stack.push((number, next + 1));
            if self.ends(target) {
                continue;
            }
            match state[target] {
                Visit::New => {
                    state[target] = Visit::Open;
                    stack.push((target, 0));
                }
                Visit::Open => return Err("the proof says nothing of a loop".to_string()),
                Visit::Left => {}
            }
        }
        left.reverse();
        Ok(left)
    }
}

#[derive(Clone, Copy)]
enum Visit {
    New,
    Open,
    Left,
}

fn spot(program: &Program, point: Point) -> Spot {
    Spot {
        routines: point.routines(program),
        inside_step: point.is_inside_step(program),
        point,
        next: Vec::new(),
        cut: None,
        remarks: Vec::new(),
    }
}

fn follow(program: &Program, point: &Point, id: EdgeId) -> Result<Point, String> {
    let edge = program.edge(id);
    let mut calls = point.calls.clone();
    let location = match &edge.op {
        Op::Command(_) => edge.to,
        Op::Call { routine, .. } => {
            if point.routines(program).contains(routine) {
                return Err("a procedure calls itself".to_string());
            }
            calls.push(id);
            program.routine(*routine).entry
        }
        Op::Return(_) => {
            let call = calls.pop().ok_or("a thread returns from no call")?;
            program.edge(call).to
        }
    };
    Ok(Point { calls, location })
}
