//! The points of a thread's code, with calls inlined, and what the proof says of them.

use std::collections::BTreeMap;
use threadwise_evidence::{PointAssertion, ThreadContract};
use threadwise_ir::{EdgeId, Expr, Op, Point, Program, RoutineId, TemplateId};

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
    pub(crate) cut: Option<Vec<Expr>>,
    /// What the proof says here beside that.
    pub(crate) claims: Vec<Expr>,
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
}

impl Code {
    pub(crate) fn new(program: &Program, template: TemplateId, contract: &ThreadContract) -> Result<Code, String> {
        let entry = program.routine(program.template(template).body).entry;
        let mut numbers: BTreeMap<Point, usize> = BTreeMap::from([(Point::at(entry), 0)]);
        let mut code = Code { spots: vec![spot(program, Point::at(entry))] };
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
        let find = |assertion: &PointAssertion| numbers.get(&assertion.point).copied();
        for assertion in &contract.loops {
            // What is said of points that control cannot come to does not matter.
            let Some(number) = find(assertion) else { continue };
            code.spots[number].cut.get_or_insert_default().extend(assertion.holds.iter().cloned());
        }
        for assertion in &contract.points {
            let Some(number) = find(assertion) else { continue };
            code.spots[number].claims.extend(assertion.holds.iter().cloned());
        }
        Ok(code)
    }

    /// Where pieces start: at the entry and at the cuts.
    pub(crate) fn starts(&self) -> Vec<usize> {
        let cut = |number: &usize| self.spots[*number].cut.is_some() && *number != 0;
        [0].into_iter().chain((0..self.spots.len()).filter(cut)).collect()
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
            if self.spots[target].cut.is_some() {
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
        claims: Vec::new(),
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
