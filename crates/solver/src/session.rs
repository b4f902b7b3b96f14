//! A conversation with a solver that survives the solver.

use crate::process::{Patience, Process};
use crate::{SolverCommand, SolverError};
use std::time::{Duration, Instant};
use threadwise_limits::Budget;
use threadwise_logic::{Names, Numbered, Sexp, SmtSort, Term, parse_sexps, symbol, write_term};

/// How long a solver that replaces another one may take to start. That does not count for the query that waits.
const START: Duration = Duration::from_secs(10);

/// How a solver is to work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The most time that one query may take, or several times as much where the work is taken up again.
    pub timeout: Duration,
    /// The most memory that the solver may hold, in bytes.
    pub memory: Option<u64>,
    /// The logic, where one is wanted.
    pub logic: Option<String>,
    /// Options and their values, as in `(set-option :name value)`.
    pub options: Vec<(String, String)>,
    /// Whether unsatisfiable cores will be asked for.
    pub cores: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timeout: Duration::from_secs(10),
            memory: Some(2 << 30),
            logic: None,
            options: Vec::new(),
            cores: false,
        }
    }
}

/// What a solver says about its assertions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They can be true together.
    Sat,
    /// They cannot.
    Unsat,
    /// It does not know, for this reason.
    Unknown(String),
}

/// What has been asked, and how long it took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// The number of queries.
    pub queries: u64,
    /// The time that they took.
    pub time: Duration,
    /// How often the solver had to be started.
    pub starts: u64,
}

impl Effort {
    /// Both together.
    pub fn plus(self, other: Effort) -> Effort {
        Effort {
            queries: self.queries + other.queries,
            time: self.time + other.time,
            starts: self.starts + other.starts,
        }
    }
}

/// A conversation with a solver. After an error it can go on: a new solver is started and told
/// everything that stands on the stack of assertions.
pub struct Session {
    command: SolverCommand,
    settings: Settings,
    budget: Budget,
    process: Option<Process>,
    /// What each level of the stack of assertions was told.
    levels: Vec<String>,
    /// What the process has not been told yet.
    pending: String,
    exchanges: u64,
    effort: Effort,
}

impl Session {
    /// Starts a solver and sees that it answers.
    pub fn start(command: &SolverCommand, settings: Settings, budget: &Budget) -> Result<Session, SolverError> {
        let prelude = prelude(command, &settings);
        let mut session = Session {
            command: command.clone(),
            settings,
            budget: budget.clone(),
            process: None,
            levels: vec![prelude],
            pending: String::new(),
            exchanges: 0,
            effort: Effort::default(),
        };
        session.exchange("")?;
        Ok(session)
    }

    /// Declares a constant.
    pub fn declare(&mut self, name: &str, sort: &SmtSort) -> Term {
        self.tell(&format!("(declare-const {} {sort})", symbol(name)));
        Term::constant(name, sort.clone())
    }

    /// Declares what the terms are: constants.
    pub fn declare_all<'t>(&mut self, constants: impl IntoIterator<Item = &'t Term>) {
        for constant in constants {
            self.declare(constant.name().expect("only constants are declared"), constant.sort());
        }
    }

    pub fn declare_function(&mut self, name: &str, params: &[SmtSort], result: &SmtSort) {
        let params = params.iter().map(SmtSort::to_string).collect::<Vec<String>>().join(" ");
        self.tell(&format!("(declare-fun {} ({params}) {result})", symbol(name)));
    }

    /// Defines a function of constants by a term.
    pub fn define_function(&mut self, name: &str, params: &[Term], body: &Term) {
        let params = params.iter().map(|param| format!("({param} {})", param.sort()));
        let params = params.collect::<Vec<String>>().join(" ");
        self.tell(&format!("(define-fun {} ({params}) {} {body})", symbol(name), body.sort()));
    }

    /// Gives a term a name, so that it can be used often without being written often.
    pub fn define(&mut self, name: &str, term: &Term) -> Term {
        if term.has_quantifier() {
            // An equation would need the quantifier both ways.
            self.define_function(name, &[], term);
            return Term::constant(name, term.sort().clone());
        }
        // Z3 4.8.12 expands definitions that use definitions, and takes ever longer for each.
        let constant = self.declare(name, term.sort());
        self.tell(&format!("(assert (= {constant} {term}))"));
        constant
    }

    pub fn assert(&mut self, term: &Term) {
        self.assert_with(term, &Numbered);
    }

    /// Asserts a term whose variables have these names.
    pub fn assert_with(&mut self, term: &Term, names: &dyn Names) {
        if !term.is_true() {
            self.tell(&format!("(assert {})", write_term(term, names)));
        }
    }

    /// Asserts a term under a name that unsatisfiable cores will speak of.
    pub fn assert_named(&mut self, term: &Term, name: &str) {
        self.tell(&format!("(assert (! {term} :named {name}))"));
    }

    /// Any command that has no answer.
    pub fn tell(&mut self, command: &str) {
        for text in [self.levels.last_mut().expect("there is a bottom level"), &mut self.pending] {
            text.push_str(command);
            text.push('\n');
        }
    }

    /// Opens a level of the stack of assertions.
    pub fn push(&mut self) {
        self.levels.push(String::new());
        self.pending.push_str("(push 1)\n");
    }

    /// Forgets everything since the last [`Session::push`].
    pub fn pop(&mut self) {
        assert!(self.levels.len() > 1, "push and pop come in pairs");
        self.levels.pop();
        self.pending.push_str("(pop 1)\n");
    }

    /// How many levels there are above the bottom one.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Forgets everything above a level that [`Session::depth`] named.
    pub fn pop_to(&mut self, depth: usize) {
        while self.depth() > depth {
            self.pop();
        }
    }

    /// Whether the assertions can be true together.
    pub fn check(&mut self) -> Result<Answer, SolverError> {
        self.query("(check-sat)")
    }

    /// Whether the assertions can be true together with these literals: constants or their negations.
    pub fn check_assuming(&mut self, literals: &[Term]) -> Result<Answer, SolverError> {
        let literals = literals.iter().map(Term::to_string).collect::<Vec<String>>().join(" ");
        self.query(&format!("(check-sat-assuming ({literals}))"))
    }

    /// Whether the term follows from the assertions: [`Answer::Unsat`] means that it does.
    pub fn refute(&mut self, term: &Term) -> Result<Answer, SolverError> {
        self.push();
        self.assert(&term.not());
        let answer = self.check();
        self.pop();
        answer
    }

    /// For each term, in which variables have these names, whether it can be true together with the assertions. All are asked in one exchange, which is
    /// cheaper than one after the other; the limit of time is for all of them together.
    pub fn check_each(&mut self, terms: &[Term], names: &dyn Names) -> Result<Vec<Answer>, SolverError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let started = Instant::now();
        let question = |term: &Term| format!("(push 1)\n(assert {})\n(check-sat)\n(pop 1)\n", write_term(term, names));
        let text = self.exchange(&terms.iter().map(question).collect::<String>());
        self.effort.queries += terms.len() as u64;
        self.effort.time += started.elapsed();
        let text = text?;
        let answer = |line: &str| match line.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" => Ok(Answer::Unknown("one of several questions".to_string())),
            other => Err(SolverError::Protocol(format!("`{other}` is no answer to check-sat"))),
        };
        let answers = text.lines().map(answer).collect::<Result<Vec<Answer>, SolverError>>()?;
        if answers.len() == terms.len() {
            return Ok(answers);
        }
        Err(SolverError::Protocol(format!("{} answers to {} questions", answers.len(), terms.len())))
    }

    fn query(&mut self, command: &str) -> Result<Answer, SolverError> {
        let started = Instant::now();
        let answer = self.exchange(command);
        self.effort.queries += 1;
        self.effort.time += started.elapsed();
        match answer?.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" => self.reason_unknown().map(Answer::Unknown),
            other => Err(SolverError::Protocol(format!("`{other}` is no answer to check-sat"))),
        }
    }

    fn reason_unknown(&mut self) -> Result<String, SolverError> {
        let text = self.exchange("(get-info :reason-unknown)")?;
        let parsed = parse_sexps(&text).unwrap_or_default();
        let reason = parsed.first().and_then(Sexp::list).and_then(|list| list.get(1)).map(Sexp::to_string);
        Ok(reason.unwrap_or_default().trim_matches('"').to_string())
    }

    /// The values of terms in the model of the last query, which was [`Answer::Sat`].
    pub fn values(&mut self, terms: &[Term]) -> Result<Vec<Sexp>, SolverError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let listed = terms.iter().map(Term::to_string).collect::<Vec<String>>().join(" ");
        let text = self.exchange(&format!("(get-value ({listed}))"))?;
        let wrong = || SolverError::Protocol(format!("`{}` is no answer to get-value", text.trim()));
        let parsed = parse_sexps(&text).map_err(|_| wrong())?;
        let pairs = parsed.first().and_then(Sexp::list).ok_or_else(wrong)?;
        let values = pairs.iter().map(|pair| pair.list().and_then(|pair| pair.get(1)).cloned());
        let values = values.collect::<Option<Vec<Sexp>>>().ok_or_else(wrong)?;
        if values.len() == terms.len() { Ok(values) } else { Err(wrong()) }
    }

    /// The names of assertions that cannot be true together, after [`Answer::Unsat`].
    pub fn core(&mut self) -> Result<Vec<String>, SolverError> {
        let text = self.exchange("(get-unsat-core)")?;
        let parsed = parse_sexps(&text).unwrap_or_default();
        let names = parsed.first().and_then(Sexp::list).unwrap_or_default();
        Ok(names.iter().map(Sexp::to_string).collect())
    }

    /// What has been asked so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// A new solver that has shown that it answers.
    fn greeted(&mut self, mut process: Process) -> Result<Process, SolverError> {
        self.exchanges += 1;
        let last = format!("answer-{}", self.exchanges);
        process.write(format!("(echo \"{last}\")\n"));
        let patience = Patience { timeout: START, memory: self.settings.memory, budget: &self.budget };
        process.read(Some(&last), &patience)?;
        Ok(process)
    }

    /// Tells the solver what it does not know yet and the command, and waits for the answer. On an
    /// error the solver is dropped; the next exchange starts another.
    fn exchange(&mut self, command: &str) -> Result<String, SolverError> {
        self.budget.check()?;
        let timeout = self.budget.patient(self.settings.timeout);
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                self.effort.starts += 1;
                self.pending = self.levels.join("(push 1)\n");
                let process = Process::spawn(&self.command)?;
                if self.exchanges == 0 { process } else { self.greeted(process)? }
            }
        };
        self.exchanges += 1;
        let last = format!("answer-{}", self.exchanges);
        let mut text = std::mem::take(&mut self.pending);
        text.push_str(&format!("{command}\n(echo \"{last}\")\n"));
        process.write(text);
        let patience = Patience { timeout, memory: self.settings.memory, budget: &self.budget };
        let answer = process.read(Some(&last), &patience)?;
        if let Some(error) = answer.lines().find(|line| line.starts_with("(error")) {
            if error.contains("out of memory") {
                return Err(SolverError::Memory(self.settings.memory.unwrap_or(0)));
            }
            return Err(SolverError::Protocol(error.to_string()));
        }
        self.process = Some(process);
        Ok(answer)
    }
}

/// What every solver is told first. The seeds are fixed, so that runs can be repeated.
fn prelude(command: &SolverCommand, settings: &Settings) -> String {
    let mut text = String::from("(set-option :print-success false)\n(set-option :produce-models true)\n");
    if settings.cores {
        text.push_str("(set-option :produce-unsat-cores true)\n");
    }
    if command.is_cvc5() {
        text.push_str("(set-option :seed 0)\n");
    } else if command.is_z3() {
        text.push_str("(set-option :smt.random_seed 0)\n(set-option :sat.random_seed 0)\n");
    }
    for (name, value) in &settings.options {
        text.push_str(&format!("(set-option :{name} {value})\n"));
    }
    // cvc5 insists on a logic.
    let logic = settings.logic.as_deref().or(command.is_cvc5().then_some("ALL"));
    if let Some(logic) = logic {
        text.push_str(&format!("(set-logic {logic})\n"));
    }
    text
}

/// Runs a whole script in a process of its own and returns everything it prints.
pub fn run_script(
    command: &SolverCommand,
    script: &str,
    timeout: Duration,
    memory: Option<u64>,
    budget: &Budget,
) -> Result<String, SolverError> {
    budget.check()?;
    let mut process = Process::spawn(command)?;
    process.write(script.to_string());
    process.end_input();
    process.read(None, &Patience { timeout: budget.patient(timeout), memory, budget })
}
