//! Lines → a transition system. Each line stands for itself, so a mistake costs one line.

use crate::syntax::{Name, Pattern, States, System, Thread, Transition};
use crate::words::{Word, WordKind, words};
use threadwise_source::{Diagnostic, SourceFile, Span};

/// The largest file that is read.
const MAX_FILE_BYTES: usize = 64 << 20;

/// The most copies of a thread, and the most threads that one local state can stand for.
pub(crate) const MAX_COPIES: u32 = 65_536;

/// The words that start a declaration.
const KEYWORDS: [&str; 5] = ["shared", "thread", "init", "error", "exceptions"];

/// What reading a file gives.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Everything that was understood.
    pub system: System,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file.
pub fn parse(file: &SourceFile) -> Parsed {
    let mut parsed = Parsed { system: System::default(), diagnostics: Vec::new() };
    if file.text().len() > MAX_FILE_BYTES {
        let message = format!("this file has {} MiB", file.text().len() >> 20);
        let error = Diagnostic::error(Span::default(), message);
        parsed.diagnostics.push(error.label(format!("files may have up to {} MiB", MAX_FILE_BYTES >> 20)));
        return parsed;
    }
    let mut offset = 0;
    for line in file.text().split_inclusive('\n') {
        let words = words(line, offset);
        offset += line.len();
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            let mut reader = Line { file, span: first.span.to(last.span), words: &words, at: 0 };
            if let Err(diagnostic) = reader.declaration(&mut parsed.system) {
                parsed.diagnostics.push(*diagnostic);
            }
        }
    }
    parsed
}

type Attempt<T> = Result<T, Box<Diagnostic>>;

fn complain<T>(diagnostic: Diagnostic) -> Attempt<T> {
    Err(Box::new(diagnostic))
}

/// A line that is being read.
struct Line<'a> {
    file: &'a SourceFile,
    words: &'a [Word],
    at: usize,
    span: Span,
}

impl Line<'_> {
    fn declaration(&mut self, system: &mut System) -> Attempt<()> {
        // A state may be called like a keyword: only transitions have arrows.
        if self.words.iter().any(|word| word.kind == WordKind::Arrow) {
            let transition = self.transition()?;
            return match system.threads.last_mut() {
                Some(thread) => {
                    thread.transitions.push(transition);
                    Ok(())
                }
                None => complain(
                    Diagnostic::error(self.span, "this transition belongs to no thread")
                        .label("no `thread` stands above it")
                        .hint("start the thread with a line `thread NAME`"),
                ),
            };
        }
        match self.text() {
            "shared" => {
                self.at += 1;
                let names = self.names()?;
                system.shared.get_or_insert_default().extend(names);
            }
            "thread" => {
                let thread = self.thread(system)?;
                system.threads.push(thread);
            }
            "init" => system.init.push(self.pattern()?),
            "error" => system.errors.push(self.pattern()?),
            "exceptions" => system.exceptions.push(self.pattern()?),
            _ => return complain(self.no_declaration()),
        }
        Ok(())
    }

    // Looking.

    fn kind(&self) -> Option<WordKind> {
        self.words.get(self.at).map(|word| word.kind)
    }

    /// The current word; the place after the last one at the end of the line.
    fn here(&self) -> Span {
        let end = Span { start: self.span.end, end: self.span.end };
        self.words.get(self.at).map_or(end, |word| word.span)
    }

    fn text(&self) -> &str {
        self.file.slice(self.here())
    }

    fn found(&self) -> String {
        match self.kind() {
            Some(_) => format!("`{}`", self.file.snippet(self.here(), 40)),
            None => "the end of the line".to_string(),
        }
    }

    fn eat(&mut self, kind: WordKind) -> bool {
        let found = self.kind() == Some(kind);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str, hint: &str) -> Diagnostic {
        let error = Diagnostic::error(self.here(), format!("expected {what}, found {}", self.found()));
        let error = error.label(format!("{what} should stand here"));
        match self.kind() {
            Some(WordKind::Sign('(' | ')')) => error.hint("there are no parentheses: a state is written `000 A B`"),
            _ => error.hint(hint),
        }
    }

    fn end(&self, hint: &str) -> Attempt<()> {
        if self.kind().is_none() { Ok(()) } else { complain(self.expected("the end of the line", hint)) }
    }

    // Reading.

    fn name(&mut self, what: &str, hint: &str) -> Attempt<Name> {
        if self.kind() != Some(WordKind::Name) {
            return complain(self.expected(what, hint));
        }
        let (text, span) = (self.text(), self.here());
        if let Some(strange) = text.chars().find(|c| c.is_control()) {
            let message = format!("unknown character U+{:04X}", strange as u32);
            return complain(Diagnostic::error(span, message).label("names have no control characters"));
        }
        let name = Name { text: text.to_string(), span };
        self.at += 1;
        Ok(name)
    }

    fn names(&mut self) -> Attempt<Vec<Name>> {
        let mut names = Vec::new();
        while self.kind().is_some() {
            names.push(self.name("the name of a shared state", "list the names: `shared free taken`")?);
        }
        Ok(names)
    }

    /// `thread P` or `thread W[3]`
    fn thread(&mut self, system: &System) -> Attempt<Thread> {
        self.at += 1;
        let hint = "write `thread P`, or `thread W[3]` for three copies";
        let name = self.name("the name of a thread", hint)?;
        if let Some(other) = system.threads.iter().find(|thread| thread.name.text == name.text) {
            let error = Diagnostic::error(name.span, format!("the thread `{}` is declared twice", name.text));
            return complain(error.label("declared again").related(other.name.span, "first declared here"));
        }
        let mut copies = None;
        if self.eat(WordKind::Sign('[')) {
            copies = Some(self.number("the number of copies")?);
            if !self.eat(WordKind::Sign(']')) {
                return complain(self.expected("`]`", hint));
            }
        }
        self.end(hint)?;
        Ok(Thread { name, copies, transitions: Vec::new() })
    }

    fn number(&mut self, what: &str) -> Attempt<u32> {
        let digits = self.kind() == Some(WordKind::Name) && self.text().bytes().all(|b| b.is_ascii_digit());
        if !digits {
            return complain(self.expected(what, "a number of threads is written in digits"));
        }
        let number = self.text().parse().ok().filter(|number| *number <= MAX_COPIES);
        let Some(number) = number else {
            let error = Diagnostic::error(self.here(), "this number is too large");
            return complain(error.label(format!("there may be up to {MAX_COPIES} copies")));
        };
        self.at += 1;
        Ok(number)
    }

    /// `A`, `{A B}` or `*`
    fn states(&mut self, what: &str, hint: &str) -> Attempt<States> {
        let opening = self.here();
        if self.eat(WordKind::Sign('*')) {
            return Ok(States::Any(opening));
        }
        if !self.eat(WordKind::Sign('{')) {
            return Ok(States::OneOf(vec![self.name(what, hint)?]));
        }
        let mut names = Vec::new();
        while !self.eat(WordKind::Sign('}')) {
            if self.kind().is_none() {
                let error = Diagnostic::error(opening, "this `{` is never closed");
                return complain(error.label("opened here").hint("a set ends on its line: `{A B}`"));
            }
            names.push(self.name("a name or `}`", "a set is written `{A B}`")?);
        }
        if names.is_empty() {
            let error = Diagnostic::error(opening, "this set is empty").label("at least one state should stand here");
            return complain(error.hint("every state is written `*`"));
        }
        Ok(States::OneOf(names))
    }

    /// `000 A -> 100 B`
    fn transition(&mut self) -> Attempt<Transition> {
        let hint = "a transition is written `000 A -> 100 B`: shared and local state before, and after";
        let from = (self.states("a shared state", hint)?, self.states("a local state", hint)?);
        if !self.eat(WordKind::Arrow) {
            return complain(self.expected("`->`", hint));
        }
        let to = (self.states("a shared state", hint)?, self.states("a local state", hint)?);
        self.end(hint)?;
        Ok(Transition { from, to, span: self.span })
    }

    /// `init 000 A B`, `error * D^2 *`
    fn pattern(&mut self) -> Attempt<Pattern> {
        let keyword = self.text().to_string();
        self.at += 1;
        let hint = format!("write the shared state, then the local state of each thread: `{keyword} 000 A B`");
        let shared = self.states("a shared state", &hint)?;
        let mut locals = Vec::new();
        while self.kind().is_some() {
            let states = self.states("a local state", &hint)?;
            let repeat = match self.eat(WordKind::Sign('^')) {
                true => self.number("a number of threads")?,
                false => 1,
            };
            locals.push((states, repeat));
        }
        Ok(Pattern { shared, locals, span: self.span })
    }

    fn no_declaration(&self) -> Diagnostic {
        let error = Diagnostic::error(self.here(), format!("expected a declaration, found {}", self.found()));
        let word = self.file.snippet(self.here(), 30).to_lowercase();
        let distance = |keyword: &&str| strsim::damerau_levenshtein(&word, keyword);
        let nearest = KEYWORDS.iter().copied().min_by_key(distance).filter(|keyword| distance(keyword) <= 2);
        if word.starts_with(['#', ';', '%']) || word.starts_with("--") {
            return error.label("not a declaration").hint("a comment starts with `//`");
        }
        match nearest {
            Some(keyword) => error.label("not a keyword").hint(format!("did you mean `{keyword}`?")),
            None => error.label("neither a transition nor a declaration").hint(
                "a line is a transition `000 A -> 100 B`, or starts with `shared`, `thread`, `init`, `error` or `exceptions`",
            ),
        }
    }
}
