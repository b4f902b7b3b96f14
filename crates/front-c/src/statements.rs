//! Statements: where control goes.

use crate::body::Switch;
use crate::effects::{has_effects, has_labels};
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::Ty;
use crate::values::Value;
use lang_c::ast::{
    BlockItem, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement, Label, LabeledStatement,
    Statement, SwitchStatement, WhileStatement,
};
use lang_c::span::Node;
use threadwise_memory::code::{BlockId, End, Expr, Failure, InstructionKind, Place};
use threadwise_source::{Diagnostic, Span};

impl<'a> Elaborator<'a> {
    /// A statement; what is wrong with it is kept, and the next one is looked at.
    pub fn statement(&mut self, node: &'a Node<Statement>) {
        let result = self.try_statement(node);
        self.report(result);
    }

    fn try_statement(&mut self, node: &'a Node<Statement>) -> Fallible<()> {
        let span = self.span(node.span);
        match &node.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::Compound(items) => {
                let is_atomic = self.is_said_atomic(node.span.start);
                if is_atomic {
                    self.body.emit(InstructionKind::AtomicBegin, span);
                }
                self.open_scope(span);
                items.iter().for_each(|item| self.block_item(item));
                self.close_scope();
                if is_atomic {
                    self.body.emit(InstructionKind::AtomicEnd, span);
                }
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => self.effect(expression),
            Statement::If(statement) => self.if_statement(&statement.node, span),
            Statement::Switch(statement) => self.switch(&statement.node, span),
            Statement::While(statement) => {
                self.loop_invariants(node.span.start);
                self.while_loop(&statement.node, span)
            }
            Statement::DoWhile(statement) => {
                self.loop_invariants(node.span.start);
                self.do_loop(&statement.node, span)
            }
            Statement::For(statement) => {
                self.loop_invariants(node.span.start);
                self.for_loop(&statement.node, span)
            }
            Statement::Goto(name) => {
                let name_span = self.span(name.span);
                self.body.jump(&name.node.name, name_span, span);
                Ok(())
            }
            Statement::Continue => self.leave(self.body.continues.last().copied(), "continue", span),
            Statement::Break => self.leave(self.body.breaks.last().copied(), "break", span),
            Statement::Return(value) => self.return_statement(value.as_deref(), span),
            Statement::Asm(_) => self.assembly(span),
        }
    }

    /// Assembly without instructions only keeps compilers from reordering.
    fn assembly(&mut self, span: Span) -> Fallible<()> {
        let text = self.source.slice(span);
        let template = text.split('"').nth(1).unwrap_or("");
        // Without operands it can only order what others see, and here everything is in order.
        let is_barrier =
            matches!(template.trim().trim_end_matches(';'), "" | "mfence" | "lfence" | "sfence" | "pause" | "nop");
        let has_operands = text.split(':').skip(1).take(2).any(|operands| !operands.trim().is_empty());
        if is_barrier && !has_operands {
            return Ok(());
        }
        // What it does nobody here knows; to come there says nothing about the program.
        let warning = Diagnostic::warning(span, "inline assembly is not supported: what comes here is not followed");
        let advice = "write C, or leave the body of the function out: then it may do anything to its result";
        self.diagnostics.push(warning.hint(advice));
        let never = Expr::constant(0, threadwise_memory::code::INT, span);
        self.body.emit(InstructionKind::Assert(never, Failure::Beyond), span);
        self.body.end(End::Exit, span);
        Ok(())
    }

    fn block_item(&mut self, item: &'a Node<BlockItem>) {
        match &item.node {
            BlockItem::Declaration(declaration) => {
                let result = self.local_declaration(declaration);
                self.report(result);
            }
            BlockItem::StaticAssert(_) => {}
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// The items of a statement expression, and the value of the last.
    pub fn block_value(&mut self, items: &'a [Node<BlockItem>], span: Span) -> Fallible<Value> {
        let Some((last, first)) = items.split_last() else { return Ok(Value::Void(span)) };
        first.iter().for_each(|item| self.block_item(item));
        if let BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) = &last.node {
            let value = self.expression(expression)?;
            // A value, not an object: what it names ends here.
            return match value {
                Value::Object(object) if object.ty.is_scalar() => {
                    let (expr, ty) = self.scalar(Value::Object(object))?;
                    Ok(Value::Scalar(expr, ty))
                }
                value => Ok(value),
            };
        }
        self.block_item(last);
        Ok(Value::Void(span))
    }

    /// An expression for its effects.
    pub fn effect(&mut self, node: &'a Node<Expression>) -> Fallible<()> {
        self.next_is_dropped = true;
        let value = self.expression(node)?;
        self.discard(value)
    }

    fn labeled(&mut self, labeled: &'a LabeledStatement) -> Fallible<()> {
        let span = self.span(labeled.label.span);
        let block = match &labeled.label.node {
            Label::Identifier(name) => {
                if !self.body.note_label(&name.node.name) {
                    return Err(self.error(span, format!("there are two labels `{}`", name.node.name)));
                }
                self.body.label(&name.node.name)
            }
            Label::Case(value) => {
                let value = self.case_value(value)?;
                self.case(value, value, span)?
            }
            Label::CaseRange(range) => {
                let (low, high) = (self.case_value(&range.node.low)?, self.case_value(&range.node.high)?);
                self.case(low, high, span)?
            }
            Label::Default => {
                let block = self.body.new_block();
                let case = self.body.case(block, span);
                match self.body.switches.last_mut() {
                    Some(switch) => switch.default = Some(case),
                    None => return Err(self.error(span, "`default` belongs into a `switch`")),
                }
                block
            }
        };
        self.body.flow_into(block, span);
        self.statement(&labeled.statement);
        Ok(())
    }

    fn case_value(&mut self, node: &'a Node<Expression>) -> Fallible<i64> {
        let (expr, from) = self.unevaluated(|this| this.rvalue(node))?;
        let span = self.span(node.span);
        let Some(ty) = self.body.switches.last().map(|switch| switch.ty.clone()) else {
            return Err(self.error(span, "`case` belongs into a `switch`"));
        };
        let expr = self.converted(expr, &from, &ty)?;
        fold::constant(&expr).ok_or_else(|| self.error(span, "a constant is expected here"))
    }

    fn case(&mut self, low: i64, high: i64, span: Span) -> Fallible<BlockId> {
        if high.checked_sub(low).is_none_or(|count| count > 4096) {
            return Err(self.unsupported(span, "a range of more than 4096 cases", "compare with `if`"));
        }
        let block = self.body.new_block();
        let case = self.body.case(block, span);
        if let Some(switch) = self.body.switches.last_mut() {
            switch.cases.extend((low..=high).map(|value| (value, case)));
        }
        Ok(block)
    }

    fn if_statement(&mut self, statement: &'a IfStatement, span: Span) -> Fallible<()> {
        if let Some(taken) = self.only_branch(statement) {
            taken.into_iter().for_each(|taken| self.statement(taken));
            return Ok(());
        }
        let [yes, no] = [(); 2].map(|()| self.body.new_block());
        self.branch(&statement.condition, yes, no)?;
        self.body.begin(yes);
        self.statement(&statement.then_statement);
        let join = match &statement.else_statement {
            None => no,
            Some(otherwise) => {
                let join = self.body.new_block();
                self.body.end(End::Goto(join), span);
                self.body.begin(no);
                self.statement(otherwise);
                join
            }
        };
        self.body.flow_into(join, span);
        Ok(())
    }

    /// The branch that is taken, if that is sure and nobody can jump into the other one. What cannot be reached is not
    /// looked at.
    fn only_branch(&mut self, statement: &'a IfStatement) -> Option<Option<&'a Node<Statement>>> {
        if has_effects(&statement.condition.node) {
            return None;
        }
        let holds = self.constant(&statement.condition).ok()? != 0;
        let (yes, no) = (Some(&*statement.then_statement), statement.else_statement.as_deref());
        let (taken, left) = if holds { (yes, no) } else { (no, yes) };
        if left.is_some_and(has_labels) { None } else { Some(taken) }
    }

    /// The body of a loop or a `switch`, with the places that `break` and `continue` lead to.
    fn inside(&mut self, after: BlockId, again: Option<BlockId>, node: &'a Node<Statement>) {
        self.body.breaks.push(after);
        self.body.continues.extend(again);
        self.statement(node);
        self.body.breaks.pop();
        if again.is_some() {
            self.body.continues.pop();
        }
    }

    fn while_loop(&mut self, statement: &'a WhileStatement, span: Span) -> Fallible<()> {
        let [head, body, after] = [(); 3].map(|()| self.body.new_block());
        self.body.flow_into(head, span);
        self.branch(&statement.expression, body, after)?;
        self.body.begin(body);
        self.inside(after, Some(head), &statement.statement);
        self.body.end(End::Goto(head), span);
        self.body.begin(after);
        Ok(())
    }

    fn do_loop(&mut self, statement: &'a DoWhileStatement, span: Span) -> Fallible<()> {
        let [body, test, after] = [(); 3].map(|()| self.body.new_block());
        self.body.flow_into(body, span);
        self.inside(after, Some(test), &statement.statement);
        self.body.flow_into(test, span);
        self.branch(&statement.expression, body, after)?;
        self.body.begin(after);
        Ok(())
    }

    fn for_loop(&mut self, statement: &'a ForStatement, span: Span) -> Fallible<()> {
        self.open_scope(span);
        let result = self.for_parts(statement, span);
        self.close_scope();
        result
    }

    /// A block begins: its names, and its locals, are those of the text.
    pub fn open_scope(&mut self, span: Span) {
        self.scopes.push(Default::default());
        self.body.scopes.push(span);
        self.body.enter(span);
    }

    pub fn close_scope(&mut self) {
        self.scopes.pop();
        self.body.scopes.pop();
    }

    fn for_parts(&mut self, statement: &'a ForStatement, span: Span) -> Fallible<()> {
        match &statement.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
            ForInitializer::Expression(expression) => self.effect(expression)?,
            ForInitializer::Declaration(declaration) => self.local_declaration(declaration)?,
        }
        let [head, body, step, after] = [(); 4].map(|()| self.body.new_block());
        self.body.flow_into(head, span);
        match &statement.condition {
            Some(condition) => self.branch(condition, body, after)?,
            None => self.body.end(End::Goto(body), span),
        }
        self.body.begin(body);
        self.inside(after, Some(step), &statement.statement);
        self.body.flow_into(step, span);
        if let Some(expression) = &statement.step {
            self.effect(expression)?;
        }
        self.body.end(End::Goto(head), span);
        self.body.begin(after);
        Ok(())
    }

    fn switch(&mut self, statement: &'a SwitchStatement, span: Span) -> Fallible<()> {
        let (expr, ty) = self.rvalue(&statement.expression)?;
        self.expect_integer(&expr, &ty)?;
        let promoted = Ty::int(ty.int_kind().expect("it is an integer").promoted());
        let expr = self.converted(expr, &ty, &promoted)?;
        let after = self.body.new_block();
        let head = self.body.current();
        self.body.end(End::Goto(after), self.span(statement.expression.span));
        self.body.switches.push(Switch {
            ty: promoted,
            cases: Vec::new(),
            default: None,
            scopes: self.body.scopes.clone(),
        });
        self.inside(after, None, &statement.statement);
        self.body.flow_into(after, span);
        let switch = self.body.switches.pop().expect("it was pushed above");
        self.body.replace_end(head, End::Switch(expr, switch.cases, switch.default.unwrap_or(after)));
        Ok(())
    }

    fn leave(&mut self, to: Option<BlockId>, word: &str, span: Span) -> Fallible<()> {
        let Some(to) = to else { return Err(self.error(span, format!("there is nothing to `{word}` here"))) };
        self.body.end(End::Goto(to), span);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&'a Node<Expression>>, span: Span) -> Fallible<()> {
        let result = self.result.clone();
        let Some(node) = value else {
            let any = (!result.is_void() && self.result_pointer.is_none()).then(|| self.any(&result, span));
            let any = any.map(|value| self.scalar(value)).transpose()?.map(|(expr, _)| expr);
            self.run_handlers_after_main(span);
            self.body.end(End::Return(any), span);
            return Ok(());
        };
        if result.is_void() {
            self.effect(node)?;
            self.run_handlers_after_main(span);
            self.body.end(End::Return(None), span);
            return Ok(());
        }
        let value = self.expression_for(node, result.pointee().map(|to| &**to))?;
        if let Some(pointer) = self.result_pointer {
            let pointer = Expr::load(Place::local(pointer, threadwise_memory::code::Type::Pointer, span));
            let object = self.dereferenced(pointer, &result, span);
            self.initialize(&object, value, span)?;
            self.body.end(End::Return(None), span);
            return Ok(());
        }
        let (expr, from) = self.scalar(value)?;
        let mut expr = self.converted(expr, &from, &result)?;
        if self.runs_handlers_after_main() {
            expr = self.stable(expr);
            self.run_handlers_after_main(span);
        }
        self.body.end(End::Return(Some(expr)), span);
        Ok(())
    }

    pub fn library(&mut self, operation: threadwise_memory::code::Library, span: Span) {
        self.body.emit(InstructionKind::Library(Box::new(operation)), span);
    }
}
