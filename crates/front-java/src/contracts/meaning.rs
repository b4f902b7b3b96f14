//! What clauses mean: names are resolved against the class files, and formulas become those of the program.

use super::formula::{Formula, Kind};
use super::{Clause, ClauseKind, Said};
use crate::body::null;
use crate::classes::Name;
use crate::program::{Fallible, FunctionKey, Program, field_place};
use crate::types::{JavaType, LONG, spoken};
use std::collections::BTreeMap;
use threadwise_memory::code::{
    self, Annotations, Base, BinaryOp, Expr, ExprKind, FunctionId, GlobalId, INT, Object, Place, Type,
};
use threadwise_source::{Diagnostic, Span};

pub(super) const THREAD: Type = Type::Library(Object::Thread, 8);
const READ_WRITE: &str = "java/util/concurrent/locks/ReentrantReadWriteLock";

/// The variables that only contracts know, by their names.
pub(crate) type Ghosts = BTreeMap<String, (GlobalId, Type)>;

/// What a value is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Sort {
    Truth,
    Number,
    Reference(Option<Name>),
    Null,
    Thread,
    /// A set of threads, at its place.
    Threads,
    /// The name of a class.
    Class(Name),
}

#[derive(Clone, Debug)]
pub(super) struct Meant {
    pub(super) expr: Expr,
    pub(super) sort: Sort,
    /// It says by itself whether it is before or after the step.
    is_settled: bool,
    place: Option<Place>,
}

/// What a name of a local variable means where a clause stands.
pub(crate) type Locals<'l> = &'l dyn Fn(&str) -> Option<(Expr, Option<Name>)>;

pub(super) struct Context<'c, 'p, 'a> {
    program: &'c mut Program<'p, 'a>,
    start: u32,
    class: Option<Name>,
    locals: Option<Locals<'c>>,
    /// It is about a step, and what is not old is after it.
    is_step: bool,
    is_old: bool,
    /// The class of the objects that it is about.
    object: Option<Name>,
    pub(super) threads: Vec<String>,
    pub(super) numbers: Vec<(String, i64)>,
    /// It reads a field of a class or of an object.
    reads_fields: bool,
}

/// Declares the variables that only contracts know.
pub(crate) fn ghosts(program: &mut Program<'_, '_>, said: &Said) -> Fallible<()> {
    for (_, start, clause) in said.all() {
        let ClauseKind::Ghost(ty, name) = &clause.kind else { continue };
        let span = clause.span(start);
        let ty = match ty.as_str() {
            "int" => JavaType::Int.stored(),
            "long" => LONG,
            "boolean" => JavaType::Boolean.stored(),
            "Thread" => THREAD,
            _ => {
                let message = format!("a ghost variable cannot be of type `{ty}`");
                return Err(Box::new(Diagnostic::error(span, message).hint("use int, long, boolean or Thread")));
            }
        };
        let first = match clause.formula.as_ref().map(|formula| &formula.kind) {
            None | Some(Kind::Null) => None,
            Some(Kind::Number(value, _)) if ty != THREAD => Some(*value),
            Some(Kind::Truth(value)) => Some(i64::from(*value)),
            Some(_) => return Err(Box::new(Diagnostic::error(span, "a ghost variable starts with a constant"))),
        };
        let id = program.ghost(name, ty.clone(), first, span);
        if program.ghosts.insert(name.clone(), (id, ty)).is_some() {
            return Err(Box::new(Diagnostic::error(span, format!("there are two ghost variables `{name}`"))));
        }
    }
    Ok(())
}

/// What is said of the whole program.
pub(crate) fn annotations(program: &mut Program<'_, '_>, said: &Said) -> Fallible<Annotations> {
    let mut all = Annotations::default();
    for (file, start, clause) in said.all() {
        let span = clause.span(start);
        let class = class_of(program, file, clause);
        let is_step = !matches!(clause.kind, ClauseKind::Invariant);
        let mut context = Context {
            program,
            start,
            class: class.clone(),
            locals: None,
            is_step,
            is_old: false,
            object: None,
            threads: Vec::new(),
            numbers: Vec::new(),
            reads_fields: false,
        };
        let Some(formula) = &clause.formula else { continue };
        match &clause.kind {
            ClauseKind::Invariant => {
                let mut formula = context.whole(formula)?;
                formula.span = span;
                all.invariants.push(formula);
            }
            ClauseKind::Rely => {
                let formula = context.whole(formula)?;
                let subjects = subjects(program, class.as_ref(), span)?;
                all.relies.extend(subjects.into_iter().map(|of| (of, formula.clone(), span)));
            }
            ClauseKind::RelyOfAll => all.relies.push((None, context.whole(formula)?, span)),
            ClauseKind::Guarantee => {
                let formula = context.whole(formula)?;
                let subjects = subjects(program, class.as_ref(), span)?;
                all.guarantees.extend(subjects.into_iter().map(|of| (of, formula.clone(), span)));
            }
            ClauseKind::GuardedBy(fields) | ClauseKind::Unwritable(fields) => {
                let premise = context.premise(formula, matches!(clause.kind, ClauseKind::GuardedBy(_)))?;
                let mut stays = Vec::new();
                for field in fields {
                    stays.push(context.stays(field, span)?);
                }
                let conclusion = stays.into_iter().reduce(|a, b| logic(ExprKind::And(Box::new(a), Box::new(b)), span));
                let conclusion = conclusion.expect("there is a field");
                let formula = context.of_objects(said_of(code::Said::Implies(premise, conclusion), INT, span));
                all.relies.push((None, formula, span));
            }
            ClauseKind::Ghost(..) | ClauseKind::Set(_) | ClauseKind::LoopInvariant => {}
        }
    }
    Ok(all)
}

/// What a clause at a place of a method means: a variable with what it becomes, or a loop's invariant.
pub(crate) fn at_mark(
    program: &mut Program<'_, '_>,
    (start, clause): (u32, &Clause),
    class: &Name,
    locals: Locals<'_>,
) -> Fallible<(Option<Place>, Expr)> {
    let span = clause.span(start);
    let ghost = match &clause.kind {
        ClauseKind::Set(name) => match program.ghosts.get(name) {
            Some((id, ty)) => Some(Place { atomic: true, ..Place::global(*id, ty.clone(), span) }),
            None => {
                let error = Diagnostic::error(span, format!("there is no ghost variable `{name}`"));
                return Err(Box::new(error.hint("declare it with `//@ ghost T x`; other variables cannot be set")));
            }
        },
        _ => None,
    };
    let formula = clause.formula.as_ref().expect("these clauses have one");
    let mut context = Context {
        program,
        start,
        class: Some(class.clone()),
        locals: Some(locals),
        is_step: false,
        is_old: false,
        object: None,
        threads: Vec::new(),
        numbers: Vec::new(),
        reads_fields: false,
    };
    let value = match &ghost {
        None => context.truth(formula)?,
        Some(place) => {
            let value = context.meant(formula)?;
            if context.reads_fields {
                return context.wrong(formula, "a ghost is set to what ghosts, local variables and constants say: read the field into a local variable first");
            }
            let fits = match place.ty {
                THREAD => matches!(value.sort, Sort::Thread | Sort::Null),
                Type::Int(bits) if bits.width == 1 => value.sort == Sort::Truth,
                _ => value.sort == Sort::Number,
            };
            if !fits {
                return context.wrong(formula, "this is not of the type of the variable");
            }
            match value.sort {
                Sort::Null => Expr::constant(0, THREAD, span),
                _ => value.expr,
            }
        }
    };
    Ok((ghost, value))
}

/// The class file of the class that a clause stands in.
fn class_of(program: &Program<'_, '_>, file: &str, clause: &Clause) -> Option<Name> {
    let wanted = clause.class.as_ref()?;
    let is_it = |name: &Name| name.rsplit('/').next() == Some(wanted.as_str());
    let from_here = |name: &Name| program.classes()[name].source.as_deref() == Some(file);
    program.classes().keys().find(|name| is_it(name) && from_here(name)).cloned()
}

/// Whose contract a clause is: of the threads of the class that it stands in, or of all.
fn subjects(program: &mut Program<'_, '_>, class: Option<&Name>, span: Span) -> Fallible<Vec<Option<FunctionId>>> {
    let Some(class) = class else { return Ok(vec![None]) };
    if program.reached.is_subtype(class, "java/lang/Thread") {
        let mut found = Vec::new();
        for object in program.reached.instantiated.clone() {
            if program.reached.is_subtype(&object, class) {
                found.extend(program.known_function(&FunctionKey::Thread(object)).map(Some));
            }
        }
        return Ok(found);
    }
    if program.reached.is_subtype(class, "java/lang/Runnable") {
        let error = Diagnostic::error(span, "threads are told apart by their classes, and this class is no thread");
        return Err(Box::new(
            error.hint("let the class extend Thread, or say it outside of the class for all threads"),
        ));
    }
    Ok(vec![None])
}

pub(super) fn said_of(said: code::Said, ty: Type, span: Span) -> Expr {
    Expr::new(ExprKind::Said(Box::new(said)), ty, span)
}

pub(super) fn logic(kind: ExprKind, span: Span) -> Expr {
    Expr::new(kind, INT, span)
}

impl Context<'_, '_, '_> {
    pub(super) fn span(&self, formula: &Formula) -> Span {
        Span::new(self.start as usize + formula.start, self.start as usize + formula.end)
    }

    pub(super) fn wrong<T>(&self, formula: &Formula, message: impl Into<String>) -> Fallible<T> {
        let error = Diagnostic::error(self.span(formula), message);
        Err(Box::new(error.hint("docs/JAVA.md says what contracts can speak of")))
    }

    /// A formula that holds or not, about all objects if it speaks of `this`.
    fn whole(&mut self, formula: &Formula) -> Fallible<Expr> {
        let truth = self.truth(formula)?;
        Ok(self.of_objects(truth))
    }

    fn of_objects(&mut self, formula: Expr) -> Expr {
        let Some(class) = self.object.take() else { return formula };
        let objects: Vec<Name> = self.program.reached.instantiated.iter().cloned().collect();
        let below = objects.into_iter().filter(|object| self.program.reached.is_subtype(object, &class));
        let below: Vec<Name> = below.collect();
        let structs = below.iter().map(|object| self.program.struct_of(object)).collect();
        let span = formula.span;
        said_of(code::Said::ForAllObjects(structs, formula), INT, span)
    }

    pub(super) fn truth(&mut self, formula: &Formula) -> Fallible<Expr> {
        let meant = self.meant(formula)?;
        match meant.sort {
            Sort::Truth => Ok(self.value(meant)),
            _ => self.wrong(formula, "something that holds or not is expected here"),
        }
    }

    /// What there is before the step while a lock is held, or while a formula holds.
    fn premise(&mut self, formula: &Formula, is_lock: bool) -> Fallible<Expr> {
        self.is_old = true;
        let premise = if is_lock { self.is_held(formula) } else { self.truth(formula) };
        self.is_old = false;
        premise
    }

    fn is_held(&mut self, lock: &Formula) -> Fallible<Expr> {
        let span = self.span(lock);
        let lock_value = self.meant(lock)?;
        let holder = self.member(lock, lock_value, "holder")?;
        let me = said_of(code::Said::Subject, THREAD, span);
        Ok(Expr::binary(BinaryOp::Eq, holder.expr, me, INT))
    }

    /// That a field is what it was.
    fn stays(&mut self, field: &str, span: Span) -> Fallible<Expr> {
        let formula = Formula {
            kind: Kind::Name(field.to_string()),
            start: (span.start - self.start) as usize,
            end: (span.end - self.start) as usize,
        };
        let after = self.meant(&formula)?;
        let before = after.expr.clone();
        Ok(Expr::binary(BinaryOp::Eq, self.value(after), before, INT))
    }

    /// The value before or after the step, as it is meant.
    pub(super) fn value(&self, meant: Meant) -> Expr {
        if !self.is_step || self.is_old || meant.is_settled {
            return meant.expr;
        }
        let (ty, span) = (meant.expr.ty.clone(), meant.expr.span);
        match meant.expr.kind {
            ExprKind::Const(_) => meant.expr,
            _ => said_of(code::Said::After(meant.expr), ty, span),
        }
    }

    pub(super) fn settled(&self, expr: Expr, sort: Sort) -> Meant {
        Meant { expr, sort, is_settled: true, place: None }
    }

    fn loaded(&mut self, place: Place, ty: &JavaType) -> Meant {
        self.reads_fields = true;
        let sort = match ty {
            JavaType::Boolean => Sort::Truth,
            JavaType::Reference(class) => Sort::Reference(Some(class.clone())),
            _ => Sort::Number,
        };
        Meant { expr: Expr::load(place), sort, is_settled: false, place: None }
    }

    pub(super) fn meant(&mut self, formula: &Formula) -> Fallible<Meant> {
        let span = self.span(formula);
        Ok(match &formula.kind {
            Kind::Number(value, is_long) => {
                self.settled(Expr::constant(*value, if *is_long { LONG } else { INT }, span), Sort::Number)
            }
            Kind::Truth(value) => self.settled(Expr::constant(i64::from(*value), INT, span), Sort::Truth),
            Kind::Null => self.settled(null(span), Sort::Null),
            Kind::Tid if !self.is_step && self.locals.is_none() => {
                return self.wrong(formula, "`\\tid` has no meaning in an invariant, which is about no thread");
            }
            Kind::Tid => self.settled(said_of(code::Said::Subject, THREAD, span), Sort::Thread),
            Kind::This => self.this(formula)?,
            Kind::Name(name) => self.name(formula, name)?,
            Kind::Old(inner) => {
                if !self.is_step {
                    return self.wrong(formula, "`\\old` has a meaning in `rely` and `guarantee` only");
                }
                let was = std::mem::replace(&mut self.is_old, true);
                let meant = self.meant(inner);
                self.is_old = was;
                Meant { is_settled: true, ..meant? }
            }
            Kind::Member(of, name) => {
                let object = self.meant(of)?;
                self.member(formula, object, name)?
            }
            Kind::Call(of, name, args) => self.call(formula, of, name, args)?,
            Kind::Element(of, index) => self.element(formula, of, index)?,
            Kind::Unary(sign, inner) => self.unary(formula, *sign, inner)?,
            Kind::Binary(sign, a, b) => self.binary(formula, sign, a, b)?,
            Kind::Choice(parts) => {
                let condition = self.truth(&parts[0])?;
                let (yes, no) = (self.meant(&parts[1])?, self.meant(&parts[2])?);
                if yes.sort != no.sort || matches!(yes.sort, Sort::Threads | Sort::Class(_)) {
                    return self.wrong(formula, "both values must be of one type");
                }
                let sort = yes.sort.clone();
                let (yes, no) = self.alike(self.value(yes), self.value(no));
                let ty = yes.ty.clone();
                self.settled(Expr::new(ExprKind::Conditional(Box::new([condition, yes, no])), ty, span), sort)
            }
            Kind::ForAll(ty, name, range, body) => self.for_all(formula, ty, name, range.as_deref(), body)?,
        })
    }

    /// The object that the clause is about.
    fn this(&mut self, formula: &Formula) -> Fallible<Meant> {
        let span = self.span(formula);
        if let Some(locals) = self.locals {
            return match locals("this") {
                Some((expr, _)) => {
                    Ok(Meant { is_settled: false, ..self.settled(expr, Sort::Reference(self.class.clone())) })
                }
                None => self.wrong(formula, "there is no `this` in a static method"),
            };
        }
        let Some(class) = self.class.clone() else { return self.wrong(formula, "`this` stands in no class") };
        self.object = Some(class.clone());
        let object = said_of(code::Said::Object, Type::Pointer, span);
        Ok(Meant { is_settled: false, ..self.settled(object, Sort::Reference(Some(class))) })
    }

    fn name(&mut self, formula: &Formula, name: &str) -> Fallible<Meant> {
        let span = self.span(formula);
        if let Some(depth) = self.threads.iter().rposition(|known| known == name) {
            return Ok(self.settled(said_of(code::Said::Thread(depth as u32), THREAD, span), Sort::Thread));
        }
        if let Some((_, value)) = self.numbers.iter().rev().find(|(known, _)| known == name) {
            return Ok(self.settled(Expr::constant(*value, INT, span), Sort::Number));
        }
        if let Some((expr, class)) = self.locals.and_then(|locals| locals(name)) {
            let sort = if expr.ty == Type::Pointer { Sort::Reference(class) } else { Sort::Number };
            return Ok(Meant { is_settled: false, ..self.settled(expr, sort) });
        }
        let fields = self.fields_named(name);
        if fields > 1 || fields == 1 && self.program.ghosts.contains_key(name) {
            return self.wrong(
                formula,
                format!("there are several variables named `{name}` here, and contracts do not choose among them"),
            );
        }
        if let Some((id, ty)) = self.program.ghosts.get(name).cloned() {
            let sort = match ty {
                THREAD => Sort::Thread,
                Type::Int(bits) if bits.width == 1 => Sort::Truth,
                _ => Sort::Number,
            };
            let expr = Expr::load(Place { atomic: true, ..Place::global(id, ty, span) });
            return Ok(Meant { expr, sort, is_settled: false, place: None });
        }
        let mut around = self.class.clone();
        while let Some(class) = around {
            if let Some((id, field)) = self.program.static_field(&class, name) {
                let place = Place { atomic: field.is_volatile, ..Place::global(id, field.ty.stored(), span) };
                return Ok(self.loaded(place, &field.ty));
            }
            if self.program.instance_field(&class, name).is_some() {
                if Some(&class) != self.class.as_ref() {
                    return self.wrong(formula, format!("`{name}` is a field of objects of the class around this one"));
                }
                let this = self.this(formula)?;
                return self.member(formula, this, name);
            }
            around = class.rfind('$').map(|at| Name::from(&class[..at]));
        }
        let is_it = |class: &&Name| spoken(class).rsplit('.').next() == Some(name);
        let mut found = self.program.classes().keys().filter(is_it);
        match (found.next().cloned(), found.next()) {
            (Some(_), Some(_)) => self.wrong(
                formula,
                format!("there are several classes named `{name}`, and contracts do not choose among them"),
            ),
            (Some(class), None) => Ok(self.settled(null(span), Sort::Class(class))),
            (None, _) => self.wrong(formula, format!("`{name}` is neither a variable nor a class that is known here")),
        }
    }

    /// How many fields of a name there are in the class, in those around it, and in all their parents.
    fn fields_named(&self, name: &str) -> usize {
        let (mut count, mut around) = (0, self.class.clone());
        while let Some(class) = around {
            let mut current = Some(class.clone());
            while let Some(found) = current.and_then(|of| self.program.classes().get(&of)) {
                count += found.fields.iter().filter(|field| *field.name == *name).count();
                current = found.parent.clone();
            }
            around = class.rfind('$').map(|at| Name::from(&class[..at]));
        }
        count
    }

    /// A reference that is taken for its object even before it is set.
    pub(super) fn is_final_reference(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load(place) => match place.base {
                Base::Global(id) => place.path.is_empty() && self.program.globals[id.index()].is_set_once,
                _ => false,
            },
            _ => false,
        }
    }

    fn member(&mut self, formula: &Formula, object: Meant, name: &str) -> Fallible<Meant> {
        let span = self.span(formula);
        let class = match &object.sort {
            Sort::Class(class) if name == "class" => {
                let single = self.program.single(&format!("{}.class", spoken(class)), "java/lang/Class");
                let sort = Sort::Reference(Some("java/lang/Class".into()));
                return Ok(Meant { is_settled: false, ..self.settled(single, sort) });
            }
            Sort::Class(class) => {
                return match self.program.static_field(class, name) {
                    Some((id, field)) => {
                        let place = Place { atomic: field.is_volatile, ..Place::global(id, field.ty.stored(), span) };
                        Ok(self.loaded(place, &field.ty))
                    }
                    None => self.wrong(formula, format!("the class has no static field `{name}`")),
                };
            }
            Sort::Reference(class) => class.clone(),
            _ => return self.wrong(formula, format!("this is no object with a `{name}`")),
        };
        if object.is_settled && self.is_step && !self.is_old {
            return self.wrong(formula, "say `\\old` of the whole: `\\old(o.f)`");
        }
        let class = class.unwrap_or_else(|| "java/lang/Object".into());
        if let Some((of, number, field)) = self.program.instance_field(&class, name) {
            let place = field_place(object.expr, of, number, field.ty.stored(), field.is_volatile, span);
            return Ok(self.loaded(place, &field.ty));
        }
        let is_lock = |program: &Program<'_, '_>| {
            program.reached.is_subtype(&class, "java/util/concurrent/locks/ReentrantLock")
                || &*class == "java/util/concurrent/locks/Lock"
        };
        let (of, field) = match name {
            "holder" if &*class == READ_WRITE => (READ_WRITE, "lock"),
            "readers" if &*class == READ_WRITE => (READ_WRITE, "readers"),
            "holder" if is_lock(self.program) => ("java/util/concurrent/locks/ReentrantLock", "lock"),
            "holder" => ("java/lang/Object", "monitor"),
            _ => return self.wrong(formula, format!("`{}` has no field `{name}`", spoken(&class))),
        };
        let (id, number) = self.program.field_number(of, field).expect("the library's classes have these");
        let ty = self.program.structs[id.index()].fields[number as usize].ty.clone();
        let place = field_place(object.expr, id, number, ty, true, span);
        Ok(match name {
            "readers" => Meant { place: Some(place), is_settled: false, ..self.settled(null(span), Sort::Threads) },
            _ => {
                let holder = said_of(code::Said::Holder(place), THREAD, span);
                Meant { is_settled: false, ..self.settled(holder, Sort::Thread) }
            }
        })
    }

    /// `contains` and `isEmpty` of a set of threads.
    fn call(&mut self, formula: &Formula, of: &Formula, name: &str, args: &[Formula]) -> Fallible<Meant> {
        let span = self.span(formula);
        let set = self.meant(of)?;
        let Some(place) = set.place.filter(|_| set.sort == Sort::Threads) else {
            return self.wrong(formula, "methods cannot be called in contracts");
        };
        let said = match (name, args) {
            ("isEmpty", []) => code::Said::IsEmpty(place),
            ("contains", [thread]) => {
                let of = self.meant(thread)?;
                match of.sort {
                    Sort::Thread => code::Said::In(of.expr, place),
                    _ => return self.wrong(thread, "a thread is expected here"),
                }
            }
            _ => return self.wrong(formula, "sets of threads have `contains(t)` and `isEmpty()`"),
        };
        let is_settled = set.is_settled;
        Ok(Meant { is_settled, ..self.settled(said_of(said, INT, span), Sort::Truth) })
    }

    fn element(&mut self, formula: &Formula, of: &Formula, index: &Formula) -> Fallible<Meant> {
        let span = self.span(formula);
        let (array, index_value) = (self.meant(of)?, self.meant(index)?);
        let Sort::Reference(Some(class)) = &array.sort else { return self.wrong(of, "this is no array") };
        let Some((element, "")) = class.strip_prefix('[').and_then(crate::types::field_type) else {
            return self.wrong(of, "this is no array");
        };
        let is_constant = matches!(index_value.expr.kind, ExprKind::Const(_));
        if index_value.sort != Sort::Number || !is_constant {
            return self.wrong(index, "an index in a contract is a constant, or bound by `\\forall`");
        }
        if array.is_settled && self.is_step && !self.is_old {
            return self.wrong(formula, "say `\\old` of the whole: `\\old(a[i])`");
        }
        let ty = match &element {
            JavaType::Boolean => JavaType::Byte.stored(),
            other => other.stored(),
        };
        let size = match &ty {
            Type::Int(bits) => i64::from(bits.width) / 8,
            Type::Float(bytes) => i64::from(*bytes),
            _ => 16,
        };
        let offset = ExprKind::Offset(Box::new(array.expr), Box::new(index_value.expr.converted(LONG)), size);
        let pointer = Expr::new(offset, Type::Pointer, span);
        let base = code::Base::Deref(Box::new(pointer), ty.clone());
        Ok(self.loaded(Place { base, path: Vec::new(), ty, atomic: false, span }, &element))
    }
}
