//! States of a program, and how a place in one is read and written.

use crate::ErrorKind;
use crate::eval::{Env, variable_key};
use crate::tree::{Path, Program, Stmt, start_of_routine};
use crate::value::{Fault, Name, Ty, Value, unsupported};
use std::collections::BTreeMap;
use std::rc::Rc;
use threadwise_front_tw::ast::{Expr, ExprKind};

/// A state: the shared variables, and for each thread its frames and how far it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    pub(crate) shared: Rc<BTreeMap<Name, Value>>,
    /// The frames of each thread, that of the running procedure last.
    pub(crate) threads: Vec<Rc<Vec<Frame>>>,
    /// The life of each thread.
    pub(crate) lives: Vec<Life>,
    /// Of threads with any number of copies: the arguments of a start that no copy has taken notice of, by declaration.
    pub(crate) permits: BTreeMap<usize, Vec<Value>>,
}

/// How far a thread is. One that does not wait to be started is running from the start to the end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Life {
    /// Nobody has started it.
    Waiting,
    /// It was started with these arguments, and has not taken its first step.
    Started(Vec<Value>),
    Running,
    Ended,
}

/// Where control is in one routine, and the variables in scope there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Frame {
    pub(crate) routine: usize,
    /// The next statement; for the caller of a procedure the call.
    pub(crate) path: Path,
    /// The variables of the blocks on the path, outermost first: as many as the path has turns.
    pub(crate) scopes: Vec<BTreeMap<Name, Value>>,
}

impl Frame {
    /// A frame at the start of a routine.
    pub(crate) fn start(program: &Program, routine: usize) -> Result<Frame, Fault> {
        let scope = program.routines[routine].body.fresh_scope()?;
        Ok(Frame { routine, path: start_of_routine(), scopes: vec![scope] })
    }

    /// The value of a local in scope.
    pub(crate) fn local(&self, name: &str) -> Option<&Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The next statement; nothing at the end of a block.
    pub(crate) fn statement<'p>(&self, program: &'p Program) -> Option<&'p Stmt> {
        program.routines[self.routine].statement(&self.path)
    }

    /// The type of a local in scope.
    pub(crate) fn local_type<'p>(&self, program: &'p Program, name: &str) -> Option<&'p Ty> {
        let routine = &program.routines[self.routine];
        (1..=self.path.len()).rev().find_map(|depth| routine.block(&self.path[..depth]).locals.get(name))
    }
}

/// A variable, or an element of an array, that can be assigned to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    variable: Name,
    keys: Vec<Value>,
    pub(crate) ty: Ty,
}

impl State {
    /// The running frame of a thread.
    pub(crate) fn frame(&self, thread: usize) -> Option<&Frame> {
        self.threads.get(thread.checked_sub(1)?)?.last()
    }

    /// How far a thread is.
    pub(crate) fn life_mut(&mut self, thread: usize) -> &mut Life {
        &mut self.lives[thread - 1]
    }

    pub(crate) fn frames_mut(&mut self, thread: usize) -> &mut Vec<Frame> {
        Rc::make_mut(&mut self.threads[thread - 1])
    }

    pub(crate) fn frame_mut(&mut self, thread: usize) -> &mut Frame {
        self.frames_mut(thread).last_mut().expect("a thread has at least one frame")
    }

    /// The place that an expression denotes; evaluates the indices.
    pub(crate) fn place(&self, program: &Program, thread: usize, e: &Expr) -> Result<Place, Fault> {
        if let ExprKind::Index(array, index) = &e.kind {
            let mut place = self.place(program, thread, array)?;
            let key = Env::of_thread(program, self, thread).eval(index)?;
            let Ty::Array(_, element) = place.ty else { return unsupported("an index into no array") };
            place.keys.push(key);
            place.ty = *element;
            self.read(thread, &place)?;
            return Ok(place);
        }
        self.variable(program, thread, variable_key(e)?)
    }

    /// The place that is a whole variable.
    pub(crate) fn variable(&self, program: &Program, thread: usize, name: Name) -> Result<Place, Fault> {
        let local = self.frame(thread).and_then(|frame| frame.local_type(program, &name));
        match local.or_else(|| program.shared.get(&name)) {
            Some(ty) => Ok(Place { variable: name, keys: Vec::new(), ty: ty.clone() }),
            None => unsupported(format!("`{name}` cannot be assigned to")),
        }
    }

    pub(crate) fn read(&self, thread: usize, place: &Place) -> Result<&Value, Fault> {
        let local = self.frame(thread).and_then(|frame| frame.local(&place.variable));
        let value = local.unwrap_or_else(|| &self.shared[&place.variable]);
        place.keys.iter().try_fold(value, |value, key| value.element(key))
    }

    /// Stores a value; it is an error if the place's type does not contain it.
    pub(crate) fn write(&mut self, thread: usize, place: &Place, value: Value) -> Result<(), Fault> {
        if !place.ty.contains(&value) {
            return Err(Fault::Error(ErrorKind::Range));
        }
        let is_local = self.frame(thread).is_some_and(|frame| frame.local(&place.variable).is_some());
        let variable = if is_local {
            let scopes = &mut self.frame_mut(thread).scopes;
            scopes.iter_mut().rev().find_map(|scope| scope.get_mut(&place.variable))
        } else {
            Rc::make_mut(&mut self.shared).get_mut(&place.variable)
        };
        let variable = variable.expect("places are made from variables in scope");
        *place.keys.iter().try_fold(variable, |value, key| value.element_mut(key))? = value;
        Ok(())
    }
}

impl Program {
    /// Whether a shared variable has this name.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        self.shared.contains_key(name) || self.shared.contains_key(format!("{name}.w").as_str())
    }
}
