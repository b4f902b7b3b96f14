//! States of a program, and how a place in one is read and written.

use crate::ErrorKind;
use crate::eval::{Env, variable_key};
use crate::functions::unmarked;
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

    /// The number of the innermost block that shows this name to the next statement.
    fn block_of(&self, program: &Program, name: &str) -> Option<usize> {
        let routine = &program.routines[self.routine];
        let shows = |depth: &usize| routine.block(&self.path[..=*depth]).shows(name, self.path[*depth].index);
        (0..self.path.len()).rev().find(shows)
    }

    /// The value of a local that the next statement sees.
    pub(crate) fn local(&self, program: &Program, name: &str) -> Option<&Value> {
        self.block_of(program, name).map(|depth| &self.scopes[depth][name])
    }

    /// The value of a local that has one, whether or not the next statement sees it.
    pub(crate) fn local_from_outside(&self, name: &str) -> Option<&Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The next statement; nothing at the end of a block.
    pub(crate) fn statement<'p>(&self, program: &'p Program) -> Option<&'p Stmt> {
        program.routines[self.routine].statement(&self.path)
    }

    /// The type of a local of the block with this number; nothing for the constant of a `for`.
    fn type_in_block<'p>(&self, program: &'p Program, depth: usize, name: &str) -> Option<&'p Ty> {
        program.routines[self.routine].block(&self.path[..=depth]).locals.get(name)
    }

    /// The type of a local that the next statement sees.
    pub(crate) fn local_type<'p>(&self, program: &'p Program, name: &str) -> Option<&'p Ty> {
        self.type_in_block(program, self.block_of(program, name)?, name)
    }
}

/// A variable, or an element of an array, that can be assigned to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    variable: Name,
    /// The number of the block on the path that declares it; nothing for a shared variable.
    block: Option<usize>,
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
        if let ExprKind::Field(owner, field) = &e.kind
            && let Ok(mut place) = self.place(program, thread, owner)
            && let Ty::Record(fields) = &place.ty
            && let Some((name, ty)) = fields.iter().find(|(name, _)| **name == *field.text).cloned()
        {
            place.keys.push(Value::Member(name));
            place.ty = ty;
            return Ok(place);
        }
        self.variable(program, thread, variable_key(e)?)
    }

    /// The place that is a whole variable.
    pub(crate) fn variable(&self, program: &Program, thread: usize, name: Name) -> Result<Place, Fault> {
        match self.frame(thread).and_then(|frame| frame.block_of(program, &name)) {
            Some(block) => self.in_block(program, thread, block, name),
            None => match program.shared.get(&name) {
                Some(ty) => Ok(Place { variable: name, block: None, keys: Vec::new(), ty: ty.clone() }),
                None => unsupported(format!("`{name}` cannot be assigned to")),
            },
        }
    }

    /// The place that is a local of the innermost block, which its own declaration does not see yet.
    pub(crate) fn declared(&self, program: &Program, thread: usize, name: Name) -> Result<Place, Fault> {
        let innermost = self.frame(thread).map_or(0, |frame| frame.path.len() - 1);
        self.in_block(program, thread, innermost, name)
    }

    fn in_block(&self, program: &Program, thread: usize, block: usize, name: Name) -> Result<Place, Fault> {
        match self.frame(thread).and_then(|frame| frame.type_in_block(program, block, &name)) {
            Some(ty) => Ok(Place { variable: name, block: Some(block), keys: Vec::new(), ty: ty.clone() }),
            None => unsupported(format!("`{name}` cannot be assigned to")),
        }
    }

    pub(crate) fn read(&self, thread: usize, place: &Place) -> Result<&Value, Fault> {
        let scope = match place.block {
            Some(block) => &self.frame(thread).expect("locals belong to a frame").scopes[block],
            None => &*self.shared,
        };
        let value = &scope[&place.variable];
        place.keys.iter().try_fold(value, |value, key| value.element(key))
    }

    /// Stores a value; it is an error if the place's type does not contain it.
    pub(crate) fn write(&mut self, thread: usize, place: &Place, value: Value) -> Result<(), Fault> {
        if !place.ty.contains(&value) {
            return Err(Fault::Error(ErrorKind::Range));
        }
        let scope = match place.block {
            Some(block) => &mut self.frame_mut(thread).scopes[block],
            None => Rc::make_mut(&mut self.shared),
        };
        let variable = scope.get_mut(&place.variable).expect("places are made from variables in scope");
        *place.keys.iter().try_fold(variable, |value, key| value.element_mut(key))? = value;
        Ok(())
    }
}

impl Program {
    /// Whether a shared variable has this name.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        let name = unmarked(name);
        self.shared.contains_key(name) || self.shared.contains_key(format!("{name}.w").as_str())
    }
}
