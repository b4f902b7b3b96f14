//! Making up programs.

mod annotations;
mod exprs;
mod machine;
mod properties;
mod simple;
mod sorts;
mod starts;
mod stmts;

use crate::Config;
use crate::random::Random;
use crate::tree::{Block, Copies, Expr, Item, Kind, Stmt, Type, Wild, name, visit_block};
use sorts::Sort;
use std::collections::BTreeSet;

/// Makes the program with this number, of the given kinds.
pub fn generate(seed: u64, config: Config) -> Wild {
    let mut random = Random::new(seed);
    // A program in which much can go wrong goes wrong at once; most should be nearly right.
    let risk = random.pick(&[0, 0, 1, 3, 12]);
    let mut generator = Generator { random, config, risk, ..Generator::empty() };
    generator.program();
    Wild { items: generator.items }.settle_labels()
}

/// Something that an expression can name.
#[derive(Clone)]
struct Variable {
    name: String,
    sort: Sort,
    writable: bool,
    shared: bool,
}

#[derive(Clone)]
struct ThreadInfo {
    name: String,
    /// No identity of one thread: there are copies, or none.
    replicated: bool,
    /// The locals whose names are unique in the thread.
    locals: Vec<(String, Sort)>,
    /// The labels of the thread and of the procedures that it reaches.
    labels: Vec<String>,
    /// What it wants to be started with; nothing if it runs from the start.
    params: Option<Vec<Sort>>,
}

#[derive(Clone)]
struct ProcedureInfo {
    name: String,
    params: Vec<Sort>,
    result: Option<Sort>,
}

/// Where an expression stands, which decides what it may name.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In a thread or a procedure: `self` and locals.
    Code,
    /// In a property: `t@L` and `t.x`.
    Property,
    /// In an initial value, `init`, or a contract: shared variables only.
    Shared,
}

struct Generator {
    random: Random,
    config: Config,
    /// The chance, in percent, that a value is made up without a look at where it is stored.
    risk: u32,
    items: Vec<Item>,
    constants: Vec<(String, i64)>,
    enums: Vec<(String, Vec<String>)>,
    threads: Vec<ThreadInfo>,
    procedures: Vec<ProcedureInfo>,
    /// Everything in scope, inner scopes last.
    scope: Vec<Variable>,
    place: Place,
    /// The variables in the brackets of the action that the expression stands in.
    frame: Vec<String>,
    /// The names of locals and labels are numbered.
    fresh: usize,
    loops: usize,
    labels: Vec<String>,
    /// All locals declared in the routine at hand.
    declared: Vec<(String, Sort)>,
    /// The result of the procedure at hand.
    result: Option<Sort>,
    in_procedure: bool,
    /// How many initial states there are at most.
    initial_states: u64,
    /// The procedure that may be called again by itself.
    recursive: Option<usize>,
}

impl Generator {
    fn empty() -> Generator {
        Generator {
            random: Random::new(0),
            config: Config::finite(),
            risk: 0,
            items: Vec::new(),
            constants: Vec::new(),
            enums: Vec::new(),
            threads: Vec::new(),
            procedures: Vec::new(),
            scope: Vec::new(),
            place: Place::Shared,
            frame: Vec::new(),
            fresh: 0,
            loops: 0,
            labels: Vec::new(),
            declared: Vec::new(),
            result: None,
            in_procedure: false,
            initial_states: 1,
            recursive: None,
        }
    }

    fn program(&mut self) {
        self.declare_constants();
        self.declare_enums();
        // The names of threads are needed before their bodies: they are values of type `tid`.
        let copies = self.name_threads();
        self.declare_shared();
        for _ in 0..self.random.weighted(&[5, 3, 1]) {
            self.declare_procedure();
        }
        for (index, copies) in copies.into_iter().enumerate() {
            self.declare_thread(index, copies);
        }
        self.declare_properties();
        if self.config.annotations && self.random.percent(15) {
            self.declare_annotations();
        }
        // Declarations may stand in any order, but the order of threads and of variables has a meaning.
        if self.random.percent(30) {
            let properties = self.items.iter().position(|item| matches!(item, Item::Formula(..))).unwrap_or(0);
            self.items.rotate_left(properties);
        }
    }

    fn declare_constants(&mut self) {
        for constant in ["N", "M", "K"] {
            if self.random.percent(40) {
                let value = if self.config.extremes && constant == "K" && self.random.percent(60) {
                    self.extreme()
                } else {
                    self.random.between(0, 3)
                };
                let value_expr = self.constant_expr(value);
                self.items.push(Item::Const(constant.to_string(), value_expr));
                self.constants.push((constant.to_string(), value));
            }
        }
    }

    fn declare_enums(&mut self) {
        if self.random.percent(30) {
            let members: Vec<String> = (0..self.random.between(1, 3)).map(|member| format!("e{member}")).collect();
            self.items.push(Item::Enum("E".to_string(), members.clone()));
            self.enums.push(("E".to_string(), members));
        }
    }

    fn name_threads(&mut self) -> Vec<Copies> {
        let number = [1, 2, 2, 2, 3][self.random.below(5)];
        let mut copies = Vec::new();
        for index in 0..number {
            let of_thread = match self.random.weighted(&[50, 12, 12, 26, if index == 0 { 4 } else { 1 }, 10]) {
                0 => Copies::Single,
                1 => Copies::Exactly(Expr::Int(0)),
                2 => Copies::Exactly(Expr::Int(1)),
                3 => Copies::Exactly(Expr::Int(2)),
                4 => Copies::Exactly(Expr::Int(3)),
                _ if self.config.any_copies => Copies::Any,
                _ => Copies::Exactly(self.constant_expr(2)),
            };
            self.threads.push(ThreadInfo {
                name: ["P", "Q", "R"][index].to_string(),
                replicated: of_thread != Copies::Single,
                locals: Vec::new(),
                labels: Vec::new(),
                params: None,
            });
            copies.push(of_thread);
        }
        self.let_threads_wait();
        copies
    }

    fn declare_shared(&mut self) {
        self.place = Place::Shared;
        let mut names = ["a", "b", "c", "d", "s"];
        if self.random.percent(4) {
            names[0] = self.random.pick(&["lock", "size", "set", "ord", "int", "exceptions", "idle"]);
        }
        for (index, variable) in names.iter().take(self.random.between(1, 4) as usize).enumerate() {
            let sort = if index == 0 { self.number_sort() } else { self.shared_sort() };
            let ty = self.type_of(&sort);
            let init = self.initial_value(&sort);
            let twin = init.is_none() && self.random.percent(10);
            let together =
                if twin { vec![variable.to_string(), format!("{variable}2")] } else { vec![variable.to_string()] };
            self.items.push(Item::Shared(together.clone(), ty, init));
            for name in together {
                self.scope.push(Variable { name, sort: sort.clone(), writable: true, shared: true });
            }
        }
        if self.random.percent(15) {
            let condition = self.weak_condition(2);
            self.items.push(Item::Formula("init".to_string(), condition));
        }
    }

    fn initial_value(&mut self, sort: &Sort) -> Option<Expr> {
        let values = sort.values(self.threads.len());
        // The interpreter lists all initial states, so there must not be many of them together.
        let few = values.saturating_mul(self.initial_states) <= if self.config.large_ranges { 1001 } else { 64 };
        let value = match self.random.weighted(&[55, 30, 15]) {
            _ if *sort == Sort::RwLock => None,
            1 => Some(self.fitting(sort, 1)).filter(|value| few || *value != Expr::Star),
            2 if few => Some(Expr::Star),
            _ => None,
        };
        if value == Some(Expr::Star) {
            self.initial_states *= values;
        }
        value
    }

    fn declare_procedure(&mut self) {
        let index = self.procedures.len();
        let procedure = ["f", "g"][index].to_string();
        let params: Vec<Sort> = (0..self.random.weighted(&[3, 5, 1])).map(|_| self.parameter_sort()).collect();
        let result = self.random.percent(50).then(|| self.parameter_sort());
        self.procedures.push(ProcedureInfo { name: procedure.clone(), params: params.clone(), result: result.clone() });
        self.recursive = (self.config.recursion && self.random.percent(40)).then_some(index);
        self.start_routine();
        self.in_procedure = true;
        self.result = result.clone();
        let named = |sort: &Sort, text: String, generator: &mut Generator| {
            let ty = generator.type_of(sort);
            generator.scope.push(Variable { name: text.clone(), sort: sort.clone(), writable: true, shared: false });
            (text, ty)
        };
        let depth = self.scope.len();
        let with_names: Vec<(String, Type)> =
            params.iter().enumerate().map(|(i, sort)| named(sort, format!("p{i}"), self)).collect();
        let result = result.map(|sort| named(&sort, "r".to_string(), self));
        let mut body = self.block(3, 2);
        self.scope.truncate(depth);
        self.repair_jumps(&mut body);
        self.in_procedure = false;
        self.recursive = None;
        self.items.push(Item::Procedure { name: procedure, params: with_names, result, body });
    }

    fn declare_thread(&mut self, index: usize, copies: Copies) {
        self.start_routine();
        self.result = None;
        let outside = self.scope.len();
        let params = self.thread_parameters(index);
        let statements = self.random.between(1, 5) as usize;
        let mut body = self.block(statements, 3);
        if self.config.starts && index == 0 {
            body.insert(0, Stmt::plain(self.start()));
        }
        self.scope.truncate(outside);
        self.repair_jumps(&mut body);
        let mut labels: BTreeSet<String> = labels_of(&mut body).into_iter().collect();
        self.add_labels_of_calls(&mut body.clone(), &mut labels);
        self.threads[index].labels = labels.into_iter().collect();
        self.threads[index].locals = std::mem::take(&mut self.declared);
        self.items.push(Item::Thread(self.threads[index].name.clone(), copies, params, body));
    }

    fn start_routine(&mut self) {
        self.place = Place::Code;
        self.labels.clear();
        self.declared.clear();
        self.loops = 0;
    }

    /// Lets each `goto` go to a label that names one point, or takes it out.
    fn repair_jumps(&mut self, body: &mut Block) {
        let mut in_for = BTreeSet::new();
        visit_block(body, &mut |block| {
            for stmt in block.iter_mut() {
                if let Kind::For(_, _, _, inner) = &mut stmt.kind {
                    in_for.extend(labels_of(inner));
                }
            }
        });
        let all = labels_of(body);
        let once = |label: &&String| all.iter().filter(|other| other == label).count() == 1;
        let good: Vec<String> = all.iter().filter(once).filter(|label| !in_for.contains(*label)).cloned().collect();
        let random = &mut self.random;
        visit_block(body, &mut |block| {
            for stmt in block.iter_mut().filter(|stmt| matches!(stmt.kind, Kind::Goto(_))) {
                stmt.kind = if good.is_empty() { Kind::Skip } else { Kind::Goto(random.pick(&good)) };
            }
        });
    }

    fn add_labels_of_calls(&mut self, body: &mut Block, labels: &mut BTreeSet<String>) {
        let mut called = Vec::new();
        visit_block(body, &mut |block| {
            for stmt in block.iter() {
                if let Kind::Call(_, procedure, _) = &stmt.kind {
                    called.push(procedure.clone());
                }
            }
        });
        for item in self.items.clone() {
            if let Item::Procedure { name, mut body, .. } = item
                && called.contains(&name)
            {
                labels.extend(labels_of(&mut body));
            }
        }
    }

    fn fresh_name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn risky(&mut self) -> bool {
        let risk = self.risk;
        self.random.percent(risk)
    }
}

fn labels_of(body: &mut Block) -> Vec<String> {
    let mut labels = Vec::new();
    visit_block(body, &mut |block| labels.extend(block.iter().flat_map(|stmt: &Stmt| stmt.labels.clone())));
    labels
}

/// The words that are boolean constants.
fn boolean(value: bool) -> Expr {
    name(if value { "true" } else { "false" })
}
