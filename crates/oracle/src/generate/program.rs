//! Random programs.

use super::build::{PHASES, Sort, any, binary, block, if_then, int, item, name, stmt, ty, var, var_decl};
use super::dice::Dice;
use super::expressions::{Expressions, Scope, Var};
use super::machine::TYPES;
use super::properties::{Properties, ThreadView};
use super::rich::{function, is_written, record_declaration, rich_sort};
use super::starts::thread_parameters;
use super::statements::{Coder, Signature};
use crate::{Explored, OracleVerdict, explore};
use threadwise_front_tw::ast::{
    BinaryOp, Cond, Copies, Item, ItemKind, Module, Param, Proc, Rhs, Stmt, StmtKind, Thread,
};
use threadwise_source::Span;

/// What random programs should be like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Programs with fewer reachable states are thrown away.
    pub min_states: usize,
    /// Programs with more reachable states are thrown away.
    pub max_states: usize,
    /// How many statements a thread has at most; threads with copies have fewer.
    pub statements: usize,
    /// How many shared variables there are at most, locks aside.
    pub shared: usize,
    /// How many programs in a hundred may use `ord`, so that copies of a thread can differ.
    pub ord_percent: usize,
    /// How many in a hundred of the unsafe programs are kept.
    pub keep_unsafe_percent: usize,
    /// Whether there may be procedures.
    pub procedures: bool,
    /// Whether there are procedures, all of which may call themselves as often as they like.
    pub deep_recursion: bool,
    /// Programs that the oracle cannot search to the end are thrown away.
    pub conclusive: bool,
    /// Whether there is what engines were once wrong about: extreme numbers, errors inside quantifiers and actions,
    /// properties of few states, threads without copies, many initial values.
    pub odd: bool,
    /// Whether there are machine integers, in most places where there is a number.
    pub machine: bool,
    /// Whether there are threads that wait to be started, and are started and joined.
    pub dynamic: bool,
    /// Whether they are started only as any number of copies can be: nobody knows which, and not inside of a step.
    pub anonymous: bool,
    /// Whether they are about threads that wait: several locks, points where waiting is meant, and `nodeadlock`.
    pub waiting: bool,
    /// Whether there is what makes models short: records, functions, array literals, bits of integers, condition
    /// variables, channels, `select`, loops over copies.
    pub rich: bool,
}

impl Default for GeneratorOptions {
    fn default() -> GeneratorOptions {
        GeneratorOptions {
            min_states: 10,
            max_states: 20_000,
            statements: 9,
            shared: 4,
            ord_percent: 15,
            keep_unsafe_percent: 75,
            procedures: true,
            deep_recursion: false,
            conclusive: true,
            odd: false,
            machine: false,
            dynamic: false,
            anonymous: false,
            waiting: false,
            rich: false,
        }
    }
}

impl GeneratorOptions {
    /// Small programs, for tests that run many of them.
    pub fn small() -> GeneratorOptions {
        GeneratorOptions { max_states: 1_500, statements: 6, shared: 3, ..GeneratorOptions::default() }
    }

    /// Tiny programs, for tests that run thousands of them.
    pub fn tiny() -> GeneratorOptions {
        GeneratorOptions { max_states: 300, statements: 5, shared: 2, ..GeneratorOptions::default() }
    }

    /// Small programs with what engines were once wrong about.
    pub fn odd() -> GeneratorOptions {
        GeneratorOptions { odd: true, min_states: 3, ..GeneratorOptions::small() }
    }

    /// Small programs with machine integers.
    pub fn machine() -> GeneratorOptions {
        GeneratorOptions { machine: true, min_states: 3, ..GeneratorOptions::small() }
    }

    /// Small programs with threads that are started and joined.
    pub fn dynamic() -> GeneratorOptions {
        GeneratorOptions { dynamic: true, ..GeneratorOptions::small() }
    }

    /// Small programs in which threads wait, and must not do so for ever.
    pub fn waiting() -> GeneratorOptions {
        GeneratorOptions { waiting: true, min_states: 3, keep_unsafe_percent: 50, ..GeneratorOptions::small() }
    }

    /// Small programs with what makes models short.
    pub fn rich() -> GeneratorOptions {
        GeneratorOptions { rich: true, min_states: 3, keep_unsafe_percent: 50, ..GeneratorOptions::small() }
    }

    /// Small programs with recursion of any depth, which the oracle may not be able to search to the end.
    pub fn recursive() -> GeneratorOptions {
        GeneratorOptions { deep_recursion: true, conclusive: false, ..GeneratorOptions::small() }
    }
}

/// A random program, always the same for the same seed and options.
pub fn random_module(seed: u64, options: &GeneratorOptions) -> Module {
    random_case(seed, options).0
}

/// A random program, and what the oracle says about it.
pub fn random_case(seed: u64, options: &GeneratorOptions) -> (Module, Explored) {
    let mut dice = Dice::new(seed);
    for _ in 0..1_000 {
        let module = Generator::new(&mut dice, options).module();
        let explored = explore(&module, &[], options.max_states);
        let wanted = match explored.verdict {
            OracleVerdict::Safe => true,
            // An error at the very start says little about the rest of the program.
            OracleVerdict::Unsafe { .. } if explored.depth_of_error == Some(0) => {
                dice.chance(if options.odd { 30 } else { 5 })
            }
            OracleVerdict::Unsafe { .. } => dice.chance(options.keep_unsafe_percent),
            OracleVerdict::Unknown(_) => !options.conclusive,
        };
        let will_do = explored.complete || !options.conclusive;
        if wanted && will_do && explored.states >= options.min_states {
            return (module, explored);
        }
    }
    let module = Module::default();
    let explored = explore(&module, &[], options.max_states);
    (module, explored)
}

/// How many copies a thread has: none is one thread without brackets.
type Shape = &'static [Option<i64>];

/// The threads of a program.
const SHAPES: [Shape; 7] =
    [&[None, None], &[Some(2)], &[Some(2)], &[Some(3)], &[None, Some(2)], &[Some(2), None], &[None, None, None]];

/// Some of them have no copy.
const ODD_SHAPES: [Shape; 6] = [&[None], &[Some(2)], &[Some(2)], &[None, None], &[None, Some(0)], &[Some(0), Some(2)]];

/// All but the first wait to be started.
const DYNAMIC_SHAPES: [Shape; 6] = [
    &[None, Some(2)],
    &[None, Some(3)],
    &[None, None],
    &[Some(2), Some(2)],
    &[None, Some(2), None],
    &[None, Some(1), Some(1)],
];

struct Generator<'a> {
    dice: &'a mut Dice,
    options: &'a GeneratorOptions,
    names: usize,
    scope: Scope,
    procs: Vec<Signature>,
    items: Vec<Item>,
}

impl<'a> Generator<'a> {
    fn new(dice: &'a mut Dice, options: &'a GeneratorOptions) -> Generator<'a> {
        Generator { dice, options, names: 0, scope: Scope::default(), procs: Vec::new(), items: Vec::new() }
    }

    fn module(mut self) -> Module {
        let phases = PHASES.iter().map(|member| name(*member)).collect();
        self.items.push(item(ItemKind::Enum(name("Phase"), phases)));
        let shape = *self.dice.pick(match (self.options.odd, self.options.dynamic) {
            (true, _) => &ODD_SHAPES[..],
            (false, true) => &DYNAMIC_SHAPES[..],
            (false, false) => &SHAPES[..],
        });
        for (number, copies) in shape.iter().enumerate() {
            let thread = format!("{}{number}", if copies.is_some() { "W" } else { "T" });
            if copies.is_none() {
                self.scope.single_threads.push(thread.clone());
            }
            self.scope.threads.push(thread.clone());
            if self.options.dynamic && number > 0 {
                self.scope.starts.push((thread, thread_parameters(self.dice)));
            }
        }
        self.scope.ord = self.dice.chance(self.options.ord_percent);
        self.scope.odd = self.options.odd;
        self.scope.machine = self.options.machine;
        self.scope.anonymous = self.options.anonymous;
        self.scope.waiting = self.options.waiting;
        self.scope.rich = self.options.rich;
        if self.options.rich {
            self.items.push(record_declaration());
        }
        self.shared_variables();
        self.functions();
        if self.options.deep_recursion || self.options.procedures && self.dice.chance(35) {
            for _ in 0..1 + self.dice.below(2) {
                self.procedure();
            }
        }
        let views: Vec<ThreadView> =
            shape.iter().enumerate().map(|(number, copies)| self.thread(number, *copies, shape.len())).collect();
        let properties = if self.options.waiting { self.dice.below(2) } else { 1 + self.dice.below(3) };
        for _ in 0..properties {
            let is_odd = self.options.odd && self.dice.chance(60);
            let is_rich = self.options.rich && self.dice.chance(50);
            let mut properties = Properties { dice: self.dice, scope: &self.scope, threads: &views };
            self.items.push(match (is_odd, is_rich) {
                (true, _) => properties.odd_property(),
                (false, true) => properties.rich_property(),
                (false, false) => properties.property(),
            });
        }
        if self.dice.chance(30) {
            let exceptions = Properties { dice: self.dice, scope: &self.scope, threads: &views }.exceptions();
            self.items.push(exceptions);
        }
        let about_waiting = self.options.rich && self.dice.chance(30);
        if about_waiting || self.options.waiting || self.dice.chance(6) {
            self.items.push(item(ItemKind::NoDeadlock));
        }
        Module { items: self.items }
    }

    fn shared_variables(&mut self) {
        for _ in 0..1 + self.dice.below(self.options.shared) {
            let sort = self.shared_sort();
            self.shared_variable("g", sort);
        }
        if self.options.dynamic {
            self.shared_variable("g", Sort::Tid);
        }
        let locks = if self.options.waiting { 1 + self.dice.below(3) } else { self.dice.below(3) };
        for _ in 0..locks {
            let mutexes = Sort::Array(Box::new(Sort::Range(0, 1)), Box::new(Sort::Mutex));
            let sort = match self.options.waiting {
                true => self.dice.pick(&[Sort::Mutex, Sort::Mutex, Sort::Mutex, mutexes, Sort::Lock]).clone(),
                false => self.dice.pick(&[Sort::Lock, Sort::Mutex, Sort::Mutex, Sort::RwLock]).clone(),
            };
            self.shared_variable("m", sort);
        }
    }

    /// Functions over what is shared; each may use those before it.
    fn functions(&mut self) {
        let count = if self.options.rich { self.dice.below(3) } else { 0 };
        for number in 0..count {
            let (declaration, result) = function(self.dice, &self.scope, number);
            self.items.push(declaration);
            self.scope.functions.push((format!("f{number}"), result));
        }
    }

    fn shared_sort(&mut self) -> Sort {
        if self.options.rich && self.dice.chance(60) {
            return rich_sort(self.dice);
        }
        let small = Sort::Range(0, 2);
        if self.options.machine && self.dice.chance(70) {
            let machine = Sort::Machine(*self.dice.pick(&TYPES));
            return if self.dice.chance(15) { Sort::Array(Box::new(small), Box::new(machine)) } else { machine };
        }
        if self.options.odd && self.dice.chance(15) {
            return Sort::Range(0, self.dice.between(20, 150));
        }
        if self.options.odd && self.dice.chance(25) {
            return Sort::Set(Box::new(small));
        }
        match self.dice.weighted(&[5, 5, 3, 3, 3, 2, 1, 2, 2, 1]) {
            0 => Sort::Bool,
            1 => Sort::Range(0, self.dice.between(1, 3)),
            2 => Sort::Range(-1, 1),
            3 => Sort::Int,
            4 => Sort::Phase,
            5 => Sort::Tid,
            6 => Sort::Set(Box::new(Sort::Tid)),
            7 => Sort::Set(Box::new(small)),
            8 => Sort::Array(Box::new(Sort::Tid), Box::new(Sort::Bool)),
            _ => Sort::Array(Box::new(small), Box::new(Sort::Range(0, 1))),
        }
    }

    fn shared_variable(&mut self, prefix: &str, sort: Sort) {
        let text = format!("{prefix}{}", self.scope.vars.len());
        let plain = matches!(sort, Sort::Bool | Sort::Range(..) | Sort::Phase | Sort::Tid);
        let init = match self.dice.below(10) {
            _ if matches!(sort, Sort::Range(0, 20..)) => Some(any()),
            0 if plain => Some(any()),
            1 | 2 if plain || matches!(sort, Sort::Machine(_)) || self.options.rich && is_written(&sort) => {
                Some(Rhs::Expr(Expressions { dice: self.dice, scope: &self.scope }.value(&sort, 1)))
            }
            _ => None,
        };
        self.items.push(item(ItemKind::Shared(var_decl(&text, &sort, init))));
        self.scope.vars.push(Var { name: text, sort, shared: true });
    }

    fn code_scope(&self) -> Scope {
        Scope { has_self: true, ..self.scope.clone() }
    }

    fn procedure(&mut self) {
        let text = format!("p{}", self.procs.len());
        let mut sorts = vec![Sort::Bool, Sort::Range(0, 1), Sort::Range(0, 2), Sort::Phase];
        if self.options.machine {
            sorts.extend(TYPES.map(Sort::Machine));
        }
        let mut params: Vec<Sort> = (0..self.dice.below(3)).map(|_| self.dice.pick(&sorts).clone()).collect();
        let recursive = self.options.deep_recursion || self.dice.chance(25);
        if recursive {
            params.insert(0, Sort::Range(0, 1));
        }
        let result = self.dice.chance(50).then(|| self.dice.pick(&sorts).clone());
        let mut scope = self.code_scope();
        let mut declare = |prefix: &str, number: usize, sort: &Sort| {
            let param = format!("{text}{prefix}{number}");
            scope.vars.push(Var { name: param.clone(), sort: sort.clone(), shared: false });
            Param { name: name(param), ty: ty(sort) }
        };
        let param_items = params.iter().enumerate().map(|(number, sort)| declare("a", number, sort)).collect();
        let result_item = result.as_ref().map(|sort| declare("r", 0, sort));
        let signature = Signature { name: text.clone(), params, result: result.clone() };
        let body = self.procedure_body(scope, &signature, recursive);
        let proc = Proc { name: name(text), params: param_items, result: result_item, body: block(body) };
        self.items.push(item(ItemKind::Proc(proc)));
        self.procs.push(signature);
    }

    fn procedure_body(&mut self, scope: Scope, signature: &Signature, recursive: bool) -> Vec<Stmt> {
        let mut coder = Coder::new(self.dice, scope, &self.procs, &mut self.names);
        coder.returns = Some(signature.result.clone());
        coder.budget = 3;
        let mut stmts = coder.sequence(2);
        if recursive {
            let counter = || var(&format!("{}a0", signature.name));
            let deep = self.options.deep_recursion;
            let next = if deep { counter() } else { binary(BinaryOp::Sub, counter(), int(1)) };
            let mut args = vec![next];
            let sorts = &signature.params[1..];
            args.extend(sorts.iter().map(|sort| Expressions { dice: coder.dice, scope: &coder.scope }.value(sort, 0)));
            let call = stmt(StmtKind::Call { result: None, proc: name(&signature.name), args });
            stmts.push(match deep {
                true => stmt(StmtKind::If(Cond::Any, block(vec![call]), None)),
                false => if_then(binary(BinaryOp::Gt, counter(), int(0)), vec![call]),
            });
        }
        if coder.dice.chance(60) {
            stmts.push(coder.return_statement());
        }
        stmts
    }

    fn thread(&mut self, number: usize, copies: Option<i64>, templates: usize) -> ThreadView {
        let text = self.scope.threads[number].clone();
        let scope = self.code_scope();
        let inherited = scope.vars.len();
        let mut coder = Coder::new(self.dice, scope, &self.procs, &mut self.names);
        let params = coder.declare_parameters(&text);
        let threads = copies.unwrap_or(1) as usize + templates - 1;
        coder.budget = (self.options.statements * 2 / (threads + 1)).max(2);
        let mut stmts: Vec<Stmt> = (0..coder.dice.below(3)).map(|_| coder.declaration()).collect();
        if self.options.dynamic && number == 0 {
            stmts.push(coder.start());
        }
        let length = 2 + coder.dice.below(5);
        let outermost = coder.scope.vars.len();
        let body = coder.sequence(length);
        if coder.dice.chance(20) {
            coder.scope.vars.truncate(outermost);
            stmts.push(stmt(StmtKind::Loop(Vec::new(), block(body))));
        } else {
            stmts.extend(body);
        }
        let (mut labels, critical) = (coder.labels, coder.critical);
        let locals = coder.scope.vars[inherited..].to_vec();
        if self.dice.chance(30) {
            stmts.push(Stmt { labels: vec![name("end")], ..stmt(StmtKind::Empty) });
            labels.push("end".to_string());
        }
        let copies_item = copies.map_or(Copies::Single, |copies| Copies::Exactly(int(copies)));
        let thread =
            Thread { name: name(&text), copies: copies_item, params, head: Span::default(), body: block(stmts) };
        self.items.push(item(ItemKind::Thread(thread)));
        ThreadView { name: text, replicated: copies.is_some(), labels, critical, locals }
    }
}
