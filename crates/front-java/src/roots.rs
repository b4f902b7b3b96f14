//! Functions that nobody wrote: what the program starts with, what a thread does, what an object of a lambda calls.

use crate::body::{Body, Value, int, null};
use crate::calls::Call;
use crate::classes::{MethodKey, Name};
use crate::instructions::Lowering;
use crate::objects::widened;
use crate::program::{Fallible, FunctionKey, Program};
use crate::types::{LONG, signature};
use cafebabe::constant_pool::ReferenceKind;
use threadwise_memory::code::{End, Expr, FunctionId, Library, LocalId, Type};
use threadwise_source::{Diagnostic, Span};

/// The body of a function that is not a method.
pub(crate) fn lower_root(
    program: &mut Program<'_, '_>,
    key: &FunctionKey,
    id: FunctionId,
    main: &MethodKey,
) -> Fallible<()> {
    let declared = program.functions[id.index()].clone();
    let span = match key {
        FunctionKey::Main => {
            let class = &program.classes()[&main.0];
            let line = class.method(&main.1, &main.2).and_then(|method| method.code.as_ref()?.line_at(0));
            program.sources.line(class, line)
        }
        FunctionKey::Thread(class) => run_span(program, class),
        FunctionKey::Lambda(class) => {
            let target = program.reached.lambdas[class].lambda.target.clone();
            method_span(program, &target)
        }
        FunctionKey::Method(_) => Span::default(),
    };
    let mut body = Body::new(program, declared.locals.clone(), declared.result.clone(), span);
    body.is_outermost = !matches!(key, FunctionKey::Lambda(_));
    let mut lowering = Lowering::of_body(body);
    match key {
        FunctionKey::Main => lowering.main(main)?,
        FunctionKey::Thread(class) => lowering.thread(class)?,
        FunctionKey::Lambda(class) => lowering.lambda(class)?,
        FunctionKey::Method(_) => {}
    }
    let (blocks, locals) = (lowering.body.blocks, lowering.body.locals);
    let function = &mut program.functions[id.index()];
    (function.body, function.locals, function.span, function.end) = (Some(blocks), locals, span, span);
    Ok(())
}

fn method_span(program: &Program<'_, '_>, (class, name, descriptor): &MethodKey) -> Span {
    let Some(class) = program.classes().get(class) else { return Span::default() };
    let line = class.method(name, descriptor).and_then(|method| method.code.as_ref()?.line_at(0));
    program.sources.line(class, line)
}

fn run_span(program: &Program<'_, '_>, class: &str) -> Span {
    match program.reached.resolve(class, "run", "()V") {
        crate::reach::Target::Method(key) => method_span(program, &key),
        _ => Span::default(),
    }
}

impl Lowering<'_, '_, '_> {
    /// Static parts of classes are set up, then the method runs.
    fn main(&mut self, main: &MethodKey) -> Fallible<()> {
        let span = self.body.span;
        let itself = self.body.program.single(crate::library::threads::MAIN, "java/lang/Thread");
        let current = self.body.program.own_pointer("$current", span);
        self.body.assign(current, itself.clone());
        if self.body.program.reached.asks_for_threads {
            let started = self.body.field(itself, "java/lang/Thread", "started", true);
            self.body.assign(started, int(1, span));
        }
        for class in crate::initial::order(self.body.program)? {
            let key: MethodKey = (class, "<clinit>".into(), "()V".into());
            self.call_method(&key, Vec::new())?;
        }
        let args = match signature(&main.2).is_some_and(|signature| signature.params.is_empty()) {
            true => Vec::new(),
            false => {
                let id = self.body.temporary(&Type::Pointer);
                let (result, none) = (self.body.place(id), Expr::constant(0, LONG, span));
                self.body.library(Library::Allocate { result, ty: Type::Pointer, count: none, zeroed: true });
                vec![Value::new(self.body.load(id))]
            }
        };
        self.call_method(main, args)?;
        if self.body.program.reached.asks_for_threads {
            let itself = self.body.program.single(crate::library::threads::MAIN, "java/lang/Thread");
            let started = self.body.field(itself, "java/lang/Thread", "started", true);
            self.body.assign(started, int(crate::library::threads::ENDED, span));
        }
        self.body.finish(End::Return(None));
        Ok(())
    }

    /// What a thread does whose object is of this class.
    fn thread(&mut self, class: &Name) -> Fallible<()> {
        let span = self.body.span;
        let this = self.body.load(LocalId(0));
        let current = self.body.program.own_pointer("$current", span);
        self.body.assign(current, this.clone());
        let object = Value { is_not_null: true, is_exact: true, ..Value::of_class(this, Some(class.clone())) };
        self.call_object(Call::run(class, object))?;
        self.body.finish(End::Return(Some(null(span))));
        Ok(())
    }

    /// Calls the method of a lambda expression with what was captured and what is given.
    fn lambda(&mut self, class: &Name) -> Fallible<()> {
        let of = self.body.program.reached.lambdas[class].clone();
        let target = of.lambda.target.clone();
        let this = self.body.load(LocalId(0));
        let mut args = Vec::new();
        for (number, ty) in of.captured.iter().enumerate() {
            let place = self.body.field(this.clone(), class, &format!("captured{number}"), false);
            let value = self.body.read(place);
            args.push(Value::of_class(widened(value, ty), ty.class()));
        }
        for param in 1..self.body.program_params() {
            args.push(Value::new(self.body.load(LocalId(param as u32))));
        }
        let is_bound = !matches!(of.lambda.kind, ReferenceKind::InvokeStatic | ReferenceKind::NewInvokeSpecial);
        let captured = of.captured.len().saturating_sub(usize::from(is_bound));
        let takes_receiver = is_bound && of.captured.is_empty();
        if takes_receiver || !crate::calls::fits(&of.lambda.erased, &target.2, captured) {
            return self.body.refuse(
                "a lambda expression that puts numbers into objects, or a reference to a method of its argument, is not supported",
                "use the interfaces for numbers (IntUnaryOperator, …), or one of your own",
            );
        }
        let result = signature(&target.2).and_then(|signature| signature.result);
        let value = match of.lambda.kind {
            ReferenceKind::InvokeStatic => match self.body.program.reached.resolve(&target.0, &target.1, &target.2) {
                crate::reach::Target::Method(method) => self.call_method(&method, args)?,
                _ => self.library_static(&target.0, &target.1, args, result)?,
            },
            ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface | ReferenceKind::InvokeSpecial => {
                let object = args.remove(0);
                match (of.lambda.kind, self.body.program.reached.resolve(&target.0, &target.1, &target.2)) {
                    (ReferenceKind::InvokeSpecial, crate::reach::Target::Method(method)) => {
                        args.insert(0, object);
                        self.call_method(&method, args)?
                    }
                    _ => {
                        let (class, name, descriptor) = (&*target.0, &*target.1, &*target.2);
                        self.call_object(Call { class, name, descriptor, object, args, result })?
                    }
                }
            }
            _ => return self.body.refuse("a reference to a constructor is not supported", "write a lambda expression"),
        };
        let end = match (&self.body.result, value) {
            (Type::Void, _) => End::Return(None),
            (_, Some(value)) => End::Return(Some(self.body.plain(value))),
            (_, None) => End::Unreachable,
        };
        self.body.finish(end);
        Ok(())
    }
}

impl Body<'_, '_, '_> {
    fn program_params(&self) -> usize {
        self.locals.iter().take_while(|local| &*local.name == "this" || local.name.starts_with("$param")).count()
    }
}

/// The method that a program starts with: the only `main`, or that of the class that is asked for.
pub(crate) fn main_method(classes: &crate::classes::Classes<'_>, entry: Option<&str>) -> Result<MethodKey, Diagnostic> {
    let mut found: Vec<MethodKey> = Vec::new();
    for class in classes.values() {
        let is_meant = entry
            .is_none_or(|entry| crate::types::spoken(&class.name) == entry || *class.name == *entry.replace('.', "/"));
        let method = class.methods.iter().find(|method| {
            &*method.name == "main" && method.is_static && &*method.descriptor == "([Ljava/lang/String;)V"
        });
        if let (true, Some(method)) = (is_meant, method) {
            found.push((class.name.clone(), method.name.clone(), method.descriptor.clone()));
        }
    }
    let names: Vec<String> = found.iter().map(|(class, ..)| crate::types::spoken(class)).collect();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Diagnostic::error(Span::default(), "there is no method `public static void main(String[] args)`")
            .hint("a program starts with such a method")),
        _ => Err(Diagnostic::error(Span::default(), format!("several classes have a `main`: {}", names.join(", ")))
            .hint("say with --entry which one runs")),
    }
}
