//! How control moves between steps.
//!
//! `loop`, `goto`, `break`, `continue`, blocks and labels are not steps: a thread never rests
//! before one of them but glides on to the statement they lead to. So the points where a thread
//! can rest are the places of real statements and the end of the routine, and two of them are the
//! same exactly if their paths are.

use crate::state::Frame;
use crate::tree::{Kind, Path, Program, Turn, start_of_routine};
use crate::value::{Fault, Name, unsupported};
use std::collections::{BTreeMap, BTreeSet};

impl Frame {
    /// To the next statement of the same block.
    pub(crate) fn advance(&mut self) {
        self.last_turn().index += 1;
    }

    /// To the start of a block of the statement at hand.
    pub(crate) fn enter(&mut self, program: &Program, block: usize) -> Result<(), Fault> {
        self.path.push(Turn { block, index: 0 });
        let scope = program.routines[self.routine].block(&self.path).fresh_scope()?;
        self.scopes.push(scope);
        Ok(())
    }

    /// Out of the innermost block, back to the statement that contains it.
    fn leave(&mut self) {
        self.path.pop();
        self.scopes.pop();
    }

    fn last_turn(&mut self) -> &mut Turn {
        self.path.last_mut().expect("a path has at least one turn")
    }

    /// Moves on until control can rest: at a step, at a silent declaration, at the end of the
    /// routine. Where it never can it comes to rest at the least place of the cycle.
    pub(crate) fn glide(&mut self, program: &Program) -> Result<(), Fault> {
        let mut passed: Vec<Path> = Vec::new();
        loop {
            let cycle_start = passed.iter().position(|path| *path == self.path);
            if let Some(start) = cycle_start {
                let least = passed[start..].iter().min().expect("the cycle is not empty").clone();
                while self.path != least {
                    self.glide_once(program)?;
                }
                return Ok(());
            }
            passed.push(self.path.clone());
            if !self.glide_once(program)? {
                return Ok(());
            }
        }
    }

    /// One move that is no step; false if there is none.
    fn glide_once(&mut self, program: &Program) -> Result<bool, Fault> {
        let Some(stmt) = self.statement(program) else { return Ok(self.leave_at_end(program)) };
        match &stmt.kind {
            Kind::Empty => self.advance(),
            Kind::Block(_) | Kind::Unrolled(_) | Kind::Copy(_) | Kind::Loop { .. } => self.enter(program, 0)?,
            Kind::Break => {
                self.leave_to(program, |kind| matches!(kind, Kind::Loop { .. } | Kind::While(..) | Kind::Unrolled(_)))?;
                self.advance();
            }
            Kind::Continue => {
                self.leave_to(program, |kind| matches!(kind, Kind::Loop { .. } | Kind::While(..) | Kind::Copy(_)))?;
                if !self.is_at_loop(program) {
                    self.advance();
                }
            }
            Kind::Goto(label) => self.jump(program, label)?,
            Kind::Return(_) if program.routines[self.routine].is_thread => self.jump_to_end(program),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The end of a loop's body is the loop again; other blocks are followed by what follows
    /// their statement.
    fn leave_at_end(&mut self, program: &Program) -> bool {
        if self.path.len() == 1 {
            return false;
        }
        self.leave();
        if !self.is_at_loop(program) {
            self.advance();
        }
        true
    }

    fn is_at_loop(&self, program: &Program) -> bool {
        matches!(self.statement(program).map(|stmt| &stmt.kind), Some(Kind::Loop { .. } | Kind::While(..)))
    }

    fn leave_to(&mut self, program: &Program, is_target: impl Fn(&Kind) -> bool) -> Result<(), Fault> {
        while self.path.len() > 1 {
            self.leave();
            if self.statement(program).is_some_and(|stmt| is_target(&stmt.kind)) {
                return Ok(());
            }
        }
        unsupported("`break` or `continue` outside a loop")
    }

    fn jump_to_end(&mut self, program: &Program) {
        self.path.truncate(1);
        self.scopes.truncate(1);
        self.last_turn().index = program.routines[self.routine].body.stmts.len();
    }

    fn jump(&mut self, program: &Program, label: &Name) -> Result<(), Fault> {
        match program.routines[self.routine].labels.get(label).map(Vec::as_slice) {
            Some([target]) => self.move_to(program, target),
            _ => unsupported(format!("`goto {label}` has not just one target")),
        }
    }

    /// Leaves and enters blocks as the way to the target demands. The variables of blocks that
    /// control does not leave keep their values.
    fn move_to(&mut self, program: &Program, target: &[Turn]) -> Result<(), Fault> {
        let mut common = 1;
        while common < self.path.len()
            && common < target.len()
            && self.path[common - 1] == target[common - 1]
            && self.path[common].block == target[common].block
        {
            common += 1;
        }
        self.path.truncate(common);
        self.scopes.truncate(common);
        self.last_turn().index = target[common - 1].index;
        for turn in &target[common..] {
            if matches!(self.statement(program).map(|stmt| &stmt.kind), Some(Kind::Atomic(_))) {
                return unsupported("a jump into an atomic block");
            }
            self.enter(program, turn.block)?;
            self.last_turn().index = turn.index;
        }
        Ok(())
    }

    /// Control is at a declaration that is no step.
    pub(crate) fn is_at_silent_declaration(&self, program: &Program) -> bool {
        let is_silent = matches!(self.statement(program).map(|stmt| &stmt.kind), Some(Kind::Var { silent: true, .. }));
        is_silent && !program.routines[self.routine].seen_declarations.contains(&self.path)
    }

    /// Control that arrives at some place and moves on to where it can rest.
    fn at(program: &Program, routine: usize, place: &Path) -> Result<Frame, Fault> {
        let mut frame = Frame::just_at(program, routine, place)?;
        frame.glide(program)?;
        Ok(frame)
    }

    fn just_at(program: &Program, routine: usize, place: &Path) -> Result<Frame, Fault> {
        let mut frame = Frame::start(program, routine)?;
        frame.path.clear();
        frame.scopes.clear();
        for turn in place {
            frame.enter(program, turn.block)?;
            frame.last_turn().index = turn.index;
        }
        Ok(frame)
    }
}

/// The statements that control can come to from the start of a routine or from a label, whatever tests say.
pub(crate) fn statements_reached(program: &Program, routine: usize) -> Result<BTreeSet<Path>, Fault> {
    let places = program.routines[routine].labels.values().flatten().cloned();
    let mut work = Vec::new();
    for place in places.chain([start_of_routine()]) {
        work.push(Frame::at(program, routine, &place)?);
    }
    let mut reached = BTreeSet::new();
    while let Some(frame) = work.pop() {
        if !reached.insert(frame.path.clone()) {
            continue;
        }
        let Some(stmt) = frame.statement(program) else { continue };
        let into = |block: usize| {
            let mut inside = frame.clone();
            inside.enter(program, block)?;
            inside.glide(program)?;
            Ok(inside)
        };
        for block in 0..stmt.kind.blocks().len() {
            work.push(into(block)?);
        }
        if !matches!(stmt.kind, Kind::If(..) | Kind::Choose(_) | Kind::Select(_) | Kind::Atomic(_) | Kind::Return(_)) {
            let mut behind = frame.clone();
            behind.advance();
            behind.glide(program)?;
            work.push(behind);
        }
    }
    Ok(reached)
}

/// For each label of a routine the points it names: where a thread rests that arrives there.
pub(crate) fn label_points(program: &Program, routine: usize) -> Result<BTreeMap<Name, BTreeSet<Path>>, Fault> {
    let mut points: BTreeMap<Name, BTreeSet<Path>> = BTreeMap::new();
    for (label, places) in &program.routines[routine].labels {
        for place in places {
            if ends_atomic(program, routine, place)? {
                continue;
            }
            let point = Frame::at(program, routine, place)?.path;
            points.entry(label.clone()).or_default().insert(point);
        }
    }
    Ok(points)
}

/// Whether nothing but the end of an atomic block follows. Nobody rests inside of such a block, so a label there names no
/// point. A label before a jump is another matter: a jump is no step, so the label names where it leads.
fn ends_atomic(program: &Program, routine: usize, place: &Path) -> Result<bool, Fault> {
    let mut frame = Frame::just_at(program, routine, place)?;
    let mut passed = BTreeSet::new();
    while passed.insert(frame.path.clone()) {
        let outside = &frame.path[..frame.path.len() - 1];
        let is_at_end = frame.statement(program).is_none();
        let code = &program.routines[routine];
        let block = code.statement(outside).map(|stmt| &stmt.kind);
        if is_at_end && matches!(block, Some(Kind::Atomic(_))) && !code.is_in_atomic(outside) {
            return Ok(true);
        }
        if !frame.glide_once(program)? {
            return Ok(false);
        }
    }
    Ok(false)
}

/// Declarations that are steps of their own although they observe nothing: those that a label or a loop invariant
/// stands before, and one in each loop of nothing but declarations, which no step would ever leave.
pub(crate) fn seen_declarations(program: &mut Program, routine: usize) -> Result<(), Fault> {
    let mut places: Vec<Path> = program.routines[routine].labels.values().flatten().cloned().collect();
    let mut declarations = Vec::new();
    program.routines[routine].walk(&mut |path, stmt| match &stmt.kind {
        Kind::Loop { annotated: true, .. } => places.push(path.clone()),
        Kind::Var { silent: true, .. } => declarations.push(path.clone()),
        _ => {}
    });
    for place in places {
        let frame = Frame::at(program, routine, &place)?;
        if !ends_atomic(program, routine, &place)? && frame.is_at_silent_declaration(program) {
            program.routines[routine].seen_declarations.insert(frame.path);
        }
    }
    for first in declarations {
        if !program.routines[routine].is_in_atomic(&first) && comes_back(program, routine, &first)? {
            program.routines[routine].seen_declarations.insert(first);
        }
    }
    Ok(())
}

/// Whether control goes from a declaration to itself without a step.
fn comes_back(program: &Program, routine: usize, first: &Path) -> Result<bool, Fault> {
    let mut frame = Frame::at(program, routine, first)?;
    let mut passed = BTreeSet::new();
    while frame.is_at_silent_declaration(program) && passed.insert(frame.path.clone()) {
        frame.advance();
        frame.glide(program)?;
    }
    Ok(frame.path == *first && frame.is_at_silent_declaration(program))
}
