//! The program that is made of the classes: structs for classes, variables for static fields, functions for methods.

use crate::Options;
use crate::classes::{Class, Classes, Field, MethodCode, MethodKey, Name};
use crate::contracts::{Ghosts, Said};
use crate::models::{self, Implicit, MONITOR, WAITING};
use crate::reach::Reached;
use crate::sources::Sources;
use crate::types::{JavaType, spoken};
use cafebabe::bytecode::Opcode;
use std::collections::BTreeMap;
use threadwise_memory::code::{
    self, Expr, ExprKind, Function, FunctionId, GlobalId, Place, Step, Struct, StructId, Type, Variable,
};
use threadwise_source::{Diagnostic, Span};

/// What a function of the program stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FunctionKey {
    Method(MethodKey),
    /// The method of the objects of a lambda expression.
    Lambda(Name),
    /// What a thread does whose object is of this class.
    Thread(Name),
    /// What the program starts with.
    Main,
}

/// A program on its way.
pub(crate) struct Program<'p, 'a> {
    pub(crate) reached: Reached<'p, 'a>,
    pub(crate) sources: &'p Sources,
    pub(crate) options: &'p Options,
    pub(crate) structs: Vec<Struct>,
    struct_of: BTreeMap<Name, StructId>,
    pub(crate) globals: Vec<Variable>,
    statics: BTreeMap<(Name, Name), GlobalId>,
    singles: BTreeMap<String, GlobalId>,
    pub(crate) functions: Vec<Function>,
    function_of: BTreeMap<FunctionKey, FunctionId>,
    pub(crate) work: Vec<(FunctionKey, FunctionId)>,
    /// The types of handlers that may catch something, and whether one catches whatever comes and goes on.
    caught: Vec<Name>,
    catches_all: bool,
    /// What comments say, and the variables that only they know.
    pub(crate) said: &'p Said,
    pub(crate) ghosts: Ghosts,
}

pub(crate) type Fallible<T> = Result<T, Box<Diagnostic>>;

impl<'p, 'a> Program<'p, 'a> {
    pub(crate) fn new(
        reached: Reached<'p, 'a>,
        sources: &'p Sources,
        options: &'p Options,
        said: &'p Said,
    ) -> Program<'p, 'a> {
        let mut program = Program {
            reached,
            sources,
            options,
            structs: Vec::new(),
            struct_of: BTreeMap::new(),
            globals: Vec::new(),
            statics: BTreeMap::new(),
            singles: BTreeMap::new(),
            functions: Vec::new(),
            function_of: BTreeMap::new(),
            work: Vec::new(),
            caught: Vec::new(),
            catches_all: false,
            said,
            ghosts: Ghosts::new(),
        };
        program.find_handlers();
        program
    }

    pub(crate) fn classes(&self) -> &'p Classes<'a> {
        self.reached.classes
    }

    // Exceptions.

    fn find_handlers(&mut self) {
        for (class, name, descriptor) in &self.reached.methods {
            let method = self.reached.classes.get(class).and_then(|class| class.method(name, descriptor));
            let Some(code) = method.and_then(|method| method.code.as_ref()) else { continue };
            for handler in &code.handlers {
                match &handler.catches {
                    Some(class) => self.caught.push(class.clone()),
                    None => self.catches_all |= !throws_on(code, handler.to),
                }
            }
        }
        self.caught.sort();
        self.caught.dedup();
    }

    /// Whether somebody may catch exceptions of a class, or of classes below it.
    pub(crate) fn is_catchable(&self, class: &str) -> bool {
        let may = |caught: &Name| self.reached.is_subtype(class, caught) || self.reached.is_subtype(caught, class);
        self.has_catchable() && (self.catches_all || self.caught.iter().any(may))
    }

    /// Whether some exception may leave a method and be caught by those who called it.
    pub(crate) fn has_catchable(&self) -> bool {
        let thrown = self.reached.instantiated.iter().cloned();
        let implicit = Implicit::ALL.into_iter().map(|exception| Name::from(exception.class()));
        let is_thrown = |class: &str| self.reached.is_subtype(class, "java/lang/Throwable");
        let catches =
            |class: &str| self.catches_all || self.caught.iter().any(|caught| self.reached.is_subtype(class, caught));
        thrown.chain(implicit).any(|class| is_thrown(&class) && catches(&class))
    }

    // Structs.

    pub(crate) fn struct_of(&mut self, class: &str) -> StructId {
        if let Some(&id) = self.struct_of.get(class) {
            return id;
        }
        let fields = self.fields_of(class);
        let mut offset = 0;
        let mut laid_out = Vec::new();
        for (name, ty) in fields {
            let size = match &ty {
                Type::Array(element, count) => self.size(element) * count,
                ty => self.size(ty),
            };
            offset = u64::next_multiple_of(offset, size.clamp(1, 16));
            laid_out.push(code::Field { name, offset, ty, bit_unit: None });
            offset += size;
        }
        let id = StructId(self.structs.len() as u32);
        let name = self.class_text(class).into();
        self.structs.push(Struct { name, fields: laid_out, size: offset.next_multiple_of(16), is_union: false });
        self.struct_of.insert(class.into(), id);
        id
    }

    fn size(&self, ty: &Type) -> u64 {
        match ty {
            Type::Int(bits) => u64::from(bits.width).div_ceil(8).next_power_of_two(),
            Type::Pointer => 16,
            Type::Float(bytes) => u64::from(*bytes),
            Type::Library(_, bytes) => *bytes,
            _ => 1,
        }
    }

    /// The fields of a class, those of its parents first.
    fn fields_of(&self, class: &str) -> Vec<(Name, Type)> {
        let mut all = match self.reached.parent(class) {
            Some(parent) => self.fields_of(&parent),
            None => vec![("monitor".into(), MONITOR), ("waiting".into(), WAITING)],
        };
        if let Some(of) = self.classes().get(class) {
            let own = of.fields.iter().filter(|field| !field.is_static);
            all.extend(own.map(|field| (field.name.clone(), field.ty.stored())));
        } else if let Some(lambda) = self.reached.lambdas.get(class) {
            let captured = lambda.captured.iter().enumerate();
            all.extend(captured.map(|(number, ty)| (format!("captured{number}").into(), ty.stored())));
        } else if let Some(model) = models::find(class) {
            all.extend(model.fields.iter().map(|(name, ty)| (Name::from(*name), ty.clone())));
        }
        all
    }

    pub(crate) fn class_text(&self, class: &str) -> String {
        match self.reached.lambdas.get(class) {
            Some(lambda) => format!("lambda in {}", lambda.inside),
            None => spoken(class),
        }
    }

    /// The struct of the class that declares an instance field, the number of the field in it, and the field.
    pub(crate) fn instance_field(&mut self, class: &str, name: &str) -> Option<(StructId, u32, Field)> {
        let mut current: Option<Name> = Some(class.into());
        while let Some(of) = current {
            let found = self.classes().get(&of)?;
            if let Some(field) = found.fields.iter().find(|field| *field.name == *name && !field.is_static) {
                let (id, number) = self.field_number(&of, name)?;
                return Some((id, number, field.clone()));
            }
            current = found.parent.clone();
        }
        None
    }

    /// The last field of a name: a class may have one that hides its parent's.
    pub(crate) fn field_number(&mut self, class: &str, name: &str) -> Option<(StructId, u32)> {
        let id = self.struct_of(class);
        let number = self.structs[id.index()].fields.iter().rposition(|field| *field.name == *name)?;
        Some((id, number as u32))
    }

    // Variables that live as long as the program.

    fn add_global(&mut self, name: String, ty: Type, span: Span, thread_local: bool) -> GlobalId {
        let id = GlobalId(self.globals.len() as u32);
        self.globals.push(Variable { thread_local, ..Variable::new(name.into(), ty, span) });
        id
    }

    /// The variable of a static field, and the field.
    pub(crate) fn static_field(&mut self, class: &str, name: &str) -> Option<(GlobalId, Field)> {
        let owner = self.reached.static_owner(class, name);
        let of = self.classes().get(&owner)?;
        let field = of.fields.iter().find(|field| *field.name == *name && field.is_static)?.clone();
        let key = (owner.clone(), field.name.clone());
        if let Some(&id) = self.statics.get(&key) {
            return Some((id, field));
        }
        let ty = field.ty.stored();
        let span = self.sources.line(of, self.sources.mentioned(of, name).or(first_line(of)));
        let id = self.add_global(format!("{}.{name}", spoken(&owner)), ty.clone(), span, false);
        if let (Some(value), Type::Int(bits)) = (field.constant, &ty) {
            let value = Expr::constant(bits.wrap(value), ty.clone(), span);
            self.globals[id.index()].init.push((Vec::new(), value));
        }
        self.globals[id.index()].is_set_once = field.is_final && ty == Type::Pointer;
        self.statics.insert(key, id);
        Some((id, field))
    }

    /// A variable that only contracts know.
    pub(crate) fn ghost(&mut self, name: &str, ty: Type, first: Option<i64>, span: Span) -> GlobalId {
        let id = self.add_global(name.to_string(), ty.clone(), span, false);
        self.globals[id.index()].is_ghost = true;
        if let (Some(value), Type::Int(bits)) = (first, &ty) {
            let value = Expr::constant(bits.wrap(value), ty.clone(), span);
            self.globals[id.index()].init.push((Vec::new(), value));
        }
        id
    }

    /// An object that there is one of, by its name: that of a class, a literal, an exception that an operation throws.
    pub(crate) fn single(&mut self, name: &str, class: &str) -> Expr {
        let ty = Type::Struct(self.struct_of(class));
        let id = match self.singles.get(name) {
            Some(&id) => id,
            None => {
                let id = self.add_global(name.to_string(), ty.clone(), Span::default(), false);
                self.singles.insert(name.to_string(), id);
                id
            }
        };
        let place = Place::global(id, ty, Span::default());
        Expr::new(ExprKind::Address(Box::new(place)), Type::Pointer, Span::default())
    }

    /// A pointer that each thread has for itself.
    pub(crate) fn own_pointer(&mut self, name: &str, span: Span) -> Place {
        let id = match self.singles.get(name) {
            Some(&id) => id,
            None => {
                let id = self.add_global(name.to_string(), Type::Pointer, Span::default(), true);
                self.singles.insert(name.to_string(), id);
                id
            }
        };
        Place::global(id, Type::Pointer, span)
    }

    // Functions.

    pub(crate) fn known_function(&self, key: &FunctionKey) -> Option<FunctionId> {
        self.function_of.get(key).copied()
    }

    pub(crate) fn function(&mut self, key: FunctionKey) -> FunctionId {
        if let Some(&id) = self.function_of.get(&key) {
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        let function = self.declared(&key);
        self.functions.push(function);
        self.function_of.insert(key.clone(), id);
        self.work.push((key, id));
        id
    }

    fn declared(&mut self, key: &FunctionKey) -> Function {
        let variable = |name: &str, ty: Type| Variable::new(name.into(), ty, Span::default());
        let (name, params, result, span) = match key {
            FunctionKey::Method((class, name, descriptor)) => {
                let of = &self.classes()[class];
                let method = of.method(name, descriptor).expect("it was found");
                let own = (!method.is_static).then(|| variable("this", Type::Pointer));
                let given = method.signature.params.iter().enumerate();
                let given = given.map(|(number, ty)| variable(&format!("$param{number}"), ty.computed()));
                let params: Vec<Variable> = own.into_iter().chain(given).collect();
                let line = method.code.as_ref().and_then(|code| code.line_at(0));
                let text = match &**name {
                    "<init>" => format!("new {}", spoken(class)),
                    "<clinit>" => format!("static {}", spoken(class)),
                    name => format!("{}.{name}", spoken(class)),
                };
                let result = method.signature.result.as_ref().map_or(Type::Void, JavaType::computed);
                (text, params, result, self.sources.line(of, line))
            }
            FunctionKey::Lambda(class) => {
                let lambda = &self.reached.lambdas[class];
                let of = crate::types::signature(&lambda.lambda.erased).expect("it was read before");
                let given = of.params.iter().enumerate();
                let given = given.map(|(number, ty)| variable(&format!("$param{number}"), ty.computed()));
                let params: Vec<Variable> = [variable("this", Type::Pointer)].into_iter().chain(given).collect();
                let result = of.result.as_ref().map_or(Type::Void, JavaType::computed);
                (self.class_text(class), params, result, Span::default())
            }
            FunctionKey::Thread(class) => {
                (self.class_text(class), vec![variable("this", Type::Pointer)], Type::Pointer, Span::default())
            }
            FunctionKey::Main => ("main".to_string(), Vec::new(), Type::Void, Span::default()),
        };
        Function {
            name: name.into(),
            params: params.len(),
            locals: params,
            result,
            body: None,
            span,
            end: span,
            is_atomic: false,
        }
    }
}

/// The first line that a class is known to have code on.
pub(crate) fn first_line(class: &Class<'_>) -> Option<u32> {
    let codes = class.methods.iter().filter_map(|method| method.code.as_ref());
    codes.flat_map(|code| code.lines.iter().map(|(_, line)| *line)).min()
}

/// Whether a handler of whatever comes throws it on in the end.
fn throws_on(code: &MethodCode<'_>, start: u32) -> bool {
    let mut seen = vec![false; code.opcodes.len()];
    let mut work: Vec<usize> = crate::webs::index_at(code, start).into_iter().collect();
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let next = crate::webs::successors(code, at);
        if next.is_empty() && !matches!(code.opcodes[at].1, Opcode::Athrow) {
            return false;
        }
        work.extend(next);
    }
    true
}

/// A field of an object.
pub(crate) fn field_place(pointer: Expr, of: StructId, number: u32, ty: Type, atomic: bool, span: Span) -> Place {
    Place {
        base: code::Base::Deref(Box::new(pointer), Type::Struct(of)),
        path: vec![Step::Field(number)],
        ty,
        atomic,
        span,
    }
}
