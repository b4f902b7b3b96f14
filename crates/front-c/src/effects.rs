//! What can be seen of expressions without knowing types: whether they have effects, and whose addresses they take.

use lang_c::ast::{
    BinaryOperator, CallExpression, Expression, FunctionDefinition, LabeledStatement, MemberOperator,
    SpecifierQualifier, Statement, TypeName, TypeSpecifier, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

/// Whether an expression may do more than load: it takes instructions to evaluate it.
pub fn has_effects(expression: &Expression) -> bool {
    match expression {
        Expression::Identifier(_)
        | Expression::Constant(_)
        | Expression::StringLiteral(_)
        | Expression::SizeOfTy(_)
        | Expression::SizeOfVal(_)
        | Expression::AlignOf(_)
        | Expression::OffsetOf(_) => false,
        Expression::GenericSelection(generic) => {
            use lang_c::ast::GenericAssociation;
            generic.node.associations.iter().any(|association| match &association.node {
                GenericAssociation::Type(of) => has_effects(&of.node.expression.node),
                GenericAssociation::Default(expression) => has_effects(&expression.node),
            })
        }
        // A struct that is chosen is copied, which takes instructions.
        Expression::Member(member) => {
            let of = &member.node.expression.node;
            matches!(of, Expression::Conditional(_)) || has_effects(of)
        }
        Expression::Call(call) => call_has_effects(&call.node),
        Expression::CompoundLiteral(_) | Expression::VaArg(_) | Expression::Statement(_) => true,
        Expression::UnaryOperator(unary) => {
            use UnaryOperator::*;
            matches!(unary.node.operator.node, PostIncrement | PostDecrement | PreIncrement | PreDecrement)
                || has_effects(&unary.node.operand.node)
        }
        // What is evaluated for nothing is an instruction: its loads are not part of a value.
        Expression::Cast(cast) => is_void(&cast.node.type_name.node) || has_effects(&cast.node.expression.node),
        Expression::BinaryOperator(binary) => {
            is_assignment(&binary.node.operator.node)
                || has_effects(&binary.node.lhs.node)
                || has_effects(&binary.node.rhs.node)
        }
        Expression::Conditional(conditional) => {
            let parts = &conditional.node;
            // `a ?: b` looks like `a ? _ : b` to the parser, and needs a temporary.
            if is_left_out(&parts.then_expression.node) {
                return true;
            }
            [&parts.condition, &parts.then_expression, &parts.else_expression]
                .iter()
                .any(|part| has_effects(&part.node))
        }
        Expression::Comma(_) => true,
    }
}

fn is_void(name: &TypeName) -> bool {
    let is_void = |specifier: &Node<SpecifierQualifier>| match &specifier.node {
        SpecifierQualifier::TypeSpecifier(specifier) => specifier.node == TypeSpecifier::Void,
        SpecifierQualifier::TypeQualifier(_) | SpecifierQualifier::Extension(_) => false,
    };
    name.declarator.is_none() && name.specifiers.iter().any(is_void)
}

/// What stands between `?` and `:` where the user wrote nothing.
pub fn is_left_out(expression: &Expression) -> bool {
    matches!(expression, Expression::Identifier(name) if name.node.name == "_")
}

/// Calls of what compilers compute themselves have none.
fn call_has_effects(call: &CallExpression) -> bool {
    let is_computed = match &call.callee.node {
        Expression::Identifier(name) => crate::library::is_pure(&name.node.name),
        _ => false,
    };
    !is_computed || call.arguments.iter().any(|argument| has_effects(&argument.node))
}

pub fn is_assignment(operator: &BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(
        operator,
        Assign
            | AssignMultiply
            | AssignDivide
            | AssignModulo
            | AssignPlus
            | AssignMinus
            | AssignShiftLeft
            | AssignShiftRight
            | AssignBitwiseAnd
            | AssignBitwiseXor
            | AssignBitwiseOr
    )
}

/// The names of variables whose addresses are taken somewhere in a function.
pub fn addresses_taken(function: &FunctionDefinition) -> FxHashSet<String> {
    let mut taken = Taken(FxHashSet::default());
    visit::visit_statement(&mut taken, &function.statement.node, &function.statement.span);
    taken.0
}

struct Taken(FxHashSet<String>);

impl<'ast> Visit<'ast> for Taken {
    fn visit_unary_operator_expression(&mut self, expression: &'ast UnaryOperatorExpression, span: &'ast Span) {
        if expression.operator.node == UnaryOperator::Address
            && let Some(name) = variable(&expression.operand.node)
        {
            self.0.insert(name.to_string());
        }
        visit::visit_unary_operator_expression(self, expression, span);
    }
}

/// What has to be evaluated to find the object that is assigned to.
pub fn looked_at(target: &Node<Expression>) -> Vec<&Node<Expression>> {
    match &target.node {
        Expression::Identifier(_) => Vec::new(),
        Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
            looked_at(&member.node.expression)
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            let mut parts = looked_at(&binary.node.lhs);
            parts.push(&binary.node.rhs);
            parts
        }
        _ => vec![target],
    }
}

/// The variable that a path of fields and elements begins with.
pub fn variable(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Identifier(name) => Some(&name.node.name),
        Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
            variable(&member.node.expression.node)
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            variable(&binary.node.lhs.node)
        }
        Expression::Comma(all) => all.last().and_then(|last| variable(&last.node)),
        _ => None,
    }
}

/// Whether somebody outside of a statement could jump into it.
pub fn has_labels(statement: &Node<Statement>) -> bool {
    struct Labels(bool);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_labeled_statement(&mut self, _: &'ast LabeledStatement, _: &'ast Span) {
            self.0 = true;
        }
    }
    let mut labels = Labels(false);
    labels.visit_statement(&statement.node, &statement.span);
    labels.0
}
