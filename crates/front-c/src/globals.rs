//! What globals start with.

use crate::elaborate::{Elaborator, EntityId, EntityKind, Fallible};
use crate::fold;
use crate::initial::{Initial, Initializing, InitializingKind};
use crate::types::{Kind, Ty};
use crate::values::Object;
use lang_c::span::Node;
use threadwise_memory::code::{self, Base, Expr, ExprKind, GlobalId, MutexKind, Place, Step, Type};
use threadwise_source::{Diagnostic, Span};

impl<'a> Elaborator<'a> {
    /// The kind that a static initialiser gives: the only number in it that is not zero.
    pub fn mutex_kind(&mut self, initializing: Initializing<'a>) -> MutexKind {
        match self.first_nonzero(initializing) {
            Some(1) => MutexKind::Recursive,
            Some(2) => MutexKind::ErrorCheck,
            _ => MutexKind::Normal,
        }
    }

    fn first_nonzero(&mut self, initializing: Initializing<'a>) -> Option<i128> {
        match initializing.kind {
            InitializingKind::Expression(expression) => self.constant(expression).ok().filter(|value| *value != 0),
            InitializingKind::List(all) => {
                all.iter().find_map(|item| self.first_nonzero(self.initializing(&item.node.initializer)))
            }
        }
    }

    /// What a global starts with.
    pub fn global_initial(&mut self, id: GlobalId, ty: &Ty, initializer: Initializing<'a>) -> Fallible<()> {
        let span = initializer.span;
        let object = Object { place: Place::global(id, self.lower(ty), span), ty: ty.clone(), bits: None };
        for leaf in self.leaves(ty, initializer)? {
            let part = self.part_of(&object, &leaf.path, span);
            let value = match leaf.value {
                Initial::Byte(byte, span) => Expr::constant(i64::from(byte as i8), part.place.ty.clone(), span),
                Initial::Library(node) => {
                    if part.ty.object() == Some(code::Object::Mutex) {
                        let kind = self.mutex_kind(node);
                        let is_other = kind != MutexKind::Normal;
                        self.globals[id.index()].mutex_kinds.extend(is_other.then_some((part.place.path, kind)));
                    }
                    continue;
                }
                Initial::Expression(expression) => {
                    let outer = std::mem::replace(&mut self.body, crate::body::Body::new(Default::default()));
                    let value = self.static_value(expression, &part);
                    self.body = outer;
                    value?
                }
            };
            self.set_initial(id, part.place.path, value);
        }
        Ok(())
    }

    /// A later initialiser of the same part wins, and zero is what parts start with anyway.
    fn set_initial(&mut self, id: GlobalId, path: Vec<Step>, value: Expr) {
        let init = &mut self.globals[id.index()].init;
        init.retain(|(known, _)| !same_path(known, &path));
        if fold::constant(&value) != Some(0) {
            init.push((path, value));
        }
    }

    fn static_value(&mut self, expression: &'a Node<lang_c::ast::Expression>, part: &Object) -> Fallible<Expr> {
        let span = self.span(expression.span);
        let value = self.expression(expression)?;
        if !part.ty.is_scalar() {
            return Err(self.error(span, format!("a list in braces is expected for `{}`", self.name_of(&part.ty))));
        }
        let (expr, from) = self.scalar(value)?;
        let expr = self.converted(expr, &from, &part.ty)?;
        let expr = if part.bits.is_some() { fold::convert(expr, part.place.ty.clone()) } else { expr };
        if self.body.emitted > 0 || !is_static(&expr) {
            return Err(self.error(span, "what a global starts with has to be constant"));
        }
        Ok(expr)
    }

    /// A global that somebody needs gets its initial value.
    pub fn elaborate_global(&mut self, entity: EntityId) -> Fallible<()> {
        let known = &self.entities[entity.0 as usize];
        let (ty, span, name) = (known.ty.clone(), known.span, known.name.clone());
        let EntityKind::Variable { initializer, is_defined, id: Some(id), .. } = &known.kind else { return Ok(()) };
        let id = *id;
        let Some(initial) = initializer else {
            if !is_defined {
                let message = format!("`{name}` is declared and defined nowhere; it starts with any value");
                let hint = "give the file that defines it";
                if !matches!(&*name, "stdin" | "stdout" | "stderr") {
                    self.diagnostics.push(Diagnostic::warning(span, message).hint(hint));
                }
                return self.any_initial(id, &ty, span);
            }
            return Ok(());
        };
        (self.file, self.scopes) = (initial.file, Vec::new());
        let node = initial.node;
        self.globals[id.index()].ty = self.lower(&ty);
        self.globals[id.index()].is_read_only = is_constant(&ty);
        self.global_initial(id, &ty, self.initializing(node))
    }

    /// Any value for all scalars of a variable that another program defines.
    fn any_initial(&mut self, id: GlobalId, ty: &Ty, span: Span) -> Fallible<()> {
        let object = Object { place: Place::global(id, self.lower(ty), span), ty: ty.clone(), bits: None };
        let outer = std::mem::replace(&mut self.body, crate::body::Body::new(Default::default()));
        self.forget(&object, span, 8);
        let body = std::mem::replace(&mut self.body, outer);
        for assigned in body.assigned() {
            self.globals[id.index()].init.push(assigned);
        }
        Ok(())
    }
}

/// Whether all of a variable is constant.
fn is_constant(ty: &Ty) -> bool {
    match &ty.kind {
        Kind::Array(element, _) => is_constant(element),
        _ => ty.quals.constant && !ty.quals.volatile,
    }
}

fn same_path(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Step::Field(a), Step::Field(b)) => a == b,
            (Step::Index(a), Step::Index(b)) => fold::constant(a) == fold::constant(b),
            _ => false,
        })
}

/// Whether a value is known before the program runs.
fn is_static(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Function(_) => true,
        ExprKind::Any => matches!(expr.ty, Type::Float(_)),
        ExprKind::Address(place) => {
            matches!(place.base, Base::Global(_))
                && place.path.iter().all(|step| match step {
                    Step::Field(_) => true,
                    Step::Index(index) => fold::constant(index).is_some(),
                })
        }
        ExprKind::Offset(pointer, count, _) => is_static(pointer) && fold::constant(count).is_some(),
        ExprKind::Convert(value) => is_static(value),
        _ => false,
    }
}
