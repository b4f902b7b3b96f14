//! Where statements, loops and calls stand in the files that the user gave: for whoever exchanges such places with other
//! tools.
//!
//! Other tools count the lines of the very file that they are given. So places in a `.i` file are those of its own lines,
//! whatever its line markers say; in a file that was preprocessed here they are those of the file as it was written.

use crate::{Options, parse, preprocess, read};
use lang_c::ast::{
    BlockItem, CallExpression, Declarator, DeclaratorKind, Expression, FunctionDefinition, Statement as Tree,
    TranslationUnit,
};
use lang_c::span::{Node, Span as Range};
use lang_c::visit::{self, Visit};
use std::sync::Arc;
use threadwise_source::{Diagnostic, Severity, SourceFile, SourceMap, Span};

/// A place in one of the user's files; lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// What there is to find in a program's text.
#[derive(Clone, Debug, Default)]
pub struct Landmarks {
    source: SourceMap,
    /// The same text without regard to line markers.
    plain: SourceMap,
    files: Vec<Text>,
    /// Outer ones before inner ones, otherwise in the order of the text.
    pub statements: Vec<Statement>,
    pub calls: Vec<Call>,
    pub functions: Vec<Function>,
}

/// A file as the parser saw it.
#[derive(Clone, Debug)]
struct Text {
    /// The position of its first byte.
    start: u32,
    text: String,
    /// It was preprocessed here.
    is_made: bool,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Arc<str>,
    /// From its first specifier to its last brace.
    pub span: Span,
}

/// A statement, or a declaration among statements.
#[derive(Clone, Debug)]
pub struct Statement {
    pub span: Span,
    pub kind: Kind,
    /// The function that it is in.
    pub function: Arc<str>,
    /// It stands in a block by itself, not below an `if` or a loop.
    pub is_item: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An expression for its effects.
    Effect,
    Declaration,
    If {
        condition: Span,
    },
    /// A loop that tests before its body; the condition of a `for` may be missing, then the place for it is empty.
    Loop {
        condition: Span,
    },
    DoWhile {
        condition: Span,
    },
    Switch,
    Block,
    /// With its label.
    Labeled,
    /// `return`, `break`, `continue`, `goto`, assembly.
    Other,
}

impl Statement {
    /// What decides where it goes.
    pub fn condition(&self) -> Option<Span> {
        match self.kind {
            Kind::If { condition } | Kind::Loop { condition } | Kind::DoWhile { condition } => Some(condition),
            Kind::Effect | Kind::Declaration | Kind::Switch | Kind::Block | Kind::Labeled | Kind::Other => None,
        }
    }
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    pub span: Span,
    /// The position of its closing parenthesis.
    pub close: u32,
    /// The name of what is called, if it is called by its name.
    pub callee: String,
    /// The function that it is in.
    pub function: Arc<str>,
}

impl Landmarks {
    /// Reads the files of a program once more, as [`crate::load`] does, for their landmarks.
    pub fn of(files: Vec<SourceFile>, options: &Options) -> Result<Landmarks, Diagnostic> {
        let options = options.clone();
        let thread = threadwise_workers::on_large_stack("landmarks", move || Landmarks::here(files, &options));
        match thread.map(std::thread::JoinHandle::join) {
            Some(Ok(found)) => found,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Err(Diagnostic::error(Span::default(), "there is no memory to read the program with")),
        }
    }

    fn here(files: Vec<SourceFile>, options: &Options) -> Result<Landmarks, Diagnostic> {
        let originals: Vec<bool> = files.iter().map(|file| preprocess::is_wanted(file.name())).collect();
        let names: Vec<String> = files.iter().map(|file| file.name().to_string()).collect();
        let (source, texts, diagnostics) = read(files, options);
        if let Some(error) = diagnostics.into_iter().find(|d| d.severity == Severity::Error) {
            return Err(error);
        }
        let mut found = Landmarks { source, ..Landmarks::default() };
        for (((start, text), is_original), name) in texts.iter().zip(originals).zip(names) {
            found.plain.add(SourceFile::new(name, text.as_str()));
            found.files.push(Text { start: *start, text: text.clone(), is_made: is_original });
            let unit: TranslationUnit = parse::parse(text, *start).map_err(|error| *error)?;
            let mut walker = Walker { text, start: *start, found: &mut found, function: "".into(), is_item: false };
            walker.visit_translation_unit(&unit);
        }
        found.statements.sort_by_key(|statement| (statement.span.start, std::cmp::Reverse(statement.span.end)));
        Ok(found)
    }

    /// Where a position is for other tools.
    pub fn place(&self, position: u32) -> Place {
        let is_made = self.files.iter().rev().find(|file| file.start <= position).is_some_and(|file| file.is_made);
        let map = if is_made { &self.source } else { &self.plain };
        let at = map.position(position);
        Place { file: map.file_name(position).to_string(), line: at.line, column: at.column }
    }

    /// The innermost statement around a position.
    pub fn statement_at(&self, position: u32) -> Option<usize> {
        let after = self.statements.partition_point(|statement| statement.span.start <= position);
        (0..after).rev().find(|&index| position < self.statements[index].span.end)
    }

    /// The text of the program under a span, as the parser has seen it.
    pub fn text(&self, span: Span) -> &str {
        self.plain.slice(span)
    }

    /// The texts of the files, preprocessed, with the position of the first byte of each.
    pub fn texts(&self) -> impl Iterator<Item = (u32, &str)> {
        self.files.iter().map(|file| (file.start, file.text.as_str()))
    }

    /// The innermost block around a position, or the function if there is none; that is where what is declared there can
    /// be seen.
    pub fn scope_of(&self, position: u32) -> Option<Span> {
        let holds = |span: Span| span.start <= position && position < span.end;
        let is_scope =
            |statement: &&Statement| matches!(statement.kind, Kind::Block | Kind::Loop { .. }) && holds(statement.span);
        let block = self.statements.iter().rev().find(is_scope).map(|statement| statement.span);
        block.or_else(|| self.functions.iter().map(|function| function.span).find(|span| holds(*span)))
    }
}

fn name_of(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => name_of(&inner.node),
        DeclaratorKind::Abstract => None,
    }
}

struct Walker<'a> {
    text: &'a str,
    start: u32,
    found: &'a mut Landmarks,
    function: Arc<str>,
    is_item: bool,
}

impl Walker<'_> {
    fn span(&self, range: Range) -> Span {
        let text = &self.text[range.start..range.end.min(self.text.len())];
        let end = range.start + text.trim_end().len();
        Span::new(self.start as usize + range.start, self.start as usize + end)
    }

    fn add(&mut self, range: Range, kind: Kind) {
        let statement =
            Statement { span: self.span(range), kind, function: self.function.clone(), is_item: self.is_item };
        self.found.statements.push(statement);
        self.is_item = false;
    }

    /// The condition of a `for`, or the empty place for it: behind the first semicolon of those in its parentheses.
    fn for_condition(&self, range: Range, given: Option<&Node<Expression>>, body: &Node<Tree>) -> Span {
        if let Some(condition) = given {
            return self.span(condition.span);
        }
        // From the body back: `)`, perhaps a step, and the second semicolon; a step has none.
        let head = &self.text[range.start..body.span.start];
        let second = head.rfind(';').map_or(range.start, |at| range.start + at);
        Span::new(self.start as usize + second, self.start as usize + second)
    }

    fn kind(&self, statement: &Tree, range: Range) -> Kind {
        match statement {
            Tree::Labeled(_) => Kind::Labeled,
            Tree::Compound(_) => Kind::Block,
            Tree::Expression(_) => Kind::Effect,
            Tree::If(tree) => Kind::If { condition: self.span(tree.node.condition.span) },
            Tree::Switch(_) => Kind::Switch,
            Tree::While(tree) => Kind::Loop { condition: self.span(tree.node.expression.span) },
            Tree::DoWhile(tree) => Kind::DoWhile { condition: self.span(tree.node.expression.span) },
            Tree::For(tree) => {
                let condition = self.for_condition(range, tree.node.condition.as_deref(), &tree.node.statement);
                Kind::Loop { condition }
            }
            Tree::Goto(_) | Tree::Continue | Tree::Break | Tree::Return(_) | Tree::Asm(_) => Kind::Other,
        }
    }
}

impl<'ast> Visit<'ast> for Walker<'_> {
    fn visit_function_definition(&mut self, definition: &'ast FunctionDefinition, range: &'ast Range) {
        self.function = name_of(&definition.declarator.node).unwrap_or_default().into();
        let function = Function { name: self.function.clone(), span: self.span(*range) };
        self.found.functions.push(function);
        visit::visit_function_definition(self, definition, range);
        self.function = "".into();
    }

    fn visit_block_item(&mut self, item: &'ast BlockItem, range: &'ast Range) {
        self.is_item = true;
        if let BlockItem::Declaration(declaration) = item {
            self.add(declaration.span, Kind::Declaration);
        }
        visit::visit_block_item(self, item, range);
        self.is_item = false;
    }

    fn visit_statement(&mut self, statement: &'ast Tree, range: &'ast Range) {
        let kind = self.kind(statement, *range);
        self.add(*range, kind);
        visit::visit_statement(self, statement, range);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, range: &'ast Range) {
        let span = self.span(*range);
        let callee = match &call.callee.node {
            Expression::Identifier(name) => name.node.name.clone(),
            _ => String::new(),
        };
        let close = span.end.saturating_sub(1);
        self.found.calls.push(Call { span, close, callee, function: self.function.clone() });
        visit::visit_call_expression(self, call, range);
    }
}
