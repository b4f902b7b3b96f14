//! Random syntax trees survive being printed and parsed.

use crate::common::{parse_clean, without_spans};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use threadwise_front_tw::ast::*;
use threadwise_front_tw::printer;
use threadwise_source::{SourceFile, Span};

const OPERATORS: &[BinaryOp] = &[
    BinaryOp::Implies,
    BinaryOp::Iff,
    BinaryOp::Or,
    BinaryOp::And,
    BinaryOp::Eq,
    BinaryOp::Lt,
    BinaryOp::In,
    BinaryOp::Subset,
    BinaryOp::Union,
    BinaryOp::Minus,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Mod,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn leaf_of(number: i64) -> Expr {
    expr(ExprKind::Int(number))
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

fn name() -> impl Strategy<Value = Name> {
    select(vec!["x", "y", "lock", "idle", "count", "exceptions", "start", "join", "w", "send", "select", "all"])
        .prop_map(|text| Name { text: text.to_string(), span: Span::default() })
}

/// A name that nothing else has.
fn capital(text: &str) -> Name {
    Name { text: text.to_string(), span: Span::default() }
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        (0..i64::MAX).prop_map(ExprKind::Int),
        (i64::MAX as u64 + 1..=u64::MAX).prop_map(ExprKind::LargeInt),
        any::<bool>().prop_map(ExprKind::Bool),
        name().prop_map(|name| ExprKind::Name(name.text)),
        Just(ExprKind::SelfThread),
        Just(ExprKind::None),
        Just(ExprKind::SetLiteral(vec![])),
    ]
    .prop_map(expr)
}

fn expression() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(6, 40, 3, |inner| {
        let one = || inner.clone().prop_map(boxed);
        prop_oneof![
            4 => (select(OPERATORS), one(), one()).prop_map(|(op, l, r)| ExprKind::Binary(op, l, r)),
            2 => one().prop_map(|e| ExprKind::Unary(UnaryOp::Not, e)),
            2 => one().prop_map(|e| ExprKind::Unary(UnaryOp::Neg, e)),
            1 => one().prop_map(|e| ExprKind::Unary(UnaryOp::BitNot, e)),
            1 => one().prop_map(|e| ExprKind::Convert(Conversion::Int, e)),
            1 => (select(vec![8, 16, 32, 64]), any::<bool>(), one())
                .prop_map(|(width, signed, e)| ExprKind::Convert(Conversion::Machine(Machine { width, signed }), e)),
            1 => (one(), one(), one()).prop_map(|(c, a, b)| ExprKind::Conditional(c, a, b)),
            1 => one().prop_map(ExprKind::Prime),
            1 => (one(), one()).prop_map(|(a, i)| ExprKind::Index(a, i)),
            1 => (one(), name()).prop_map(|(e, name)| ExprKind::Field(e, name)),
            1 => (one(), name()).prop_map(|(e, name)| ExprKind::At(e, name)),
            1 => one().prop_map(ExprKind::Size),
            1 => one().prop_map(ExprKind::Ord),
            1 => vec(inner.clone(), 0..3).prop_map(ExprKind::SetLiteral),
            1 => vec(inner.clone(), 1..3).prop_map(ExprKind::ArrayLiteral),
            1 => one().prop_map(ExprKind::ArrayFill),
            1 => (name(), inner.clone()).prop_map(|(field, e)| ExprKind::RecordLiteral(capital("R"), vec![(field, e)])),
            1 => vec(inner.clone(), 0..3).prop_map(|args| ExprKind::Call(capital("F"), args)),
            1 => quantified(one().boxed()),
        ]
        .prop_map(expr)
    })
}

fn quantified(part: BoxedStrategy<Box<Expr>>) -> impl Strategy<Value = ExprKind> {
    let quantifier = select(vec![Quantifier::Forall, Quantifier::Exists, Quantifier::Count]);
    let binder = (name(), part.clone(), part.clone()).prop_map(|(name, low, high)| {
        // A minus sign, because not everything that starts an expression starts a type.
        let low = boxed(expr(ExprKind::Unary(UnaryOp::Neg, low)));
        let range = Type { kind: TypeKind::Range(low, high), span: Span::default() };
        Binder { name, ty: Type { kind: TypeKind::Set(Box::new(range)), span: Span::default() } }
    });
    (quantifier, vec(binder, 1..3), part).prop_map(|(q, binders, body)| ExprKind::Quantified(q, binders, body))
}

/// What may stand on the left of an assignment.
fn target() -> impl Strategy<Value = Expr> {
    (name(), proptest::option::of(expression())).prop_map(|(name, index)| {
        let base = expr(ExprKind::Name(name.text));
        match index {
            Some(index) => expr(ExprKind::Index(boxed(base), boxed(index))),
            None => base,
        }
    })
}

fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, span: Span::default() }
}

fn simple_statement() -> impl Strategy<Value = StmtKind> {
    let value = || prop_oneof![expression().prop_map(Rhs::Expr), Just(Rhs::Any(Span::default()))];
    prop_oneof![
        Just(StmtKind::Skip),
        (vec(target(), 1..3), vec(value(), 1..3)).prop_map(|(t, v)| StmtKind::Assign(t, v)),
        (expression(), proptest::option::of("[a-z ]*")).prop_map(|(e, message)| StmtKind::Assert(e, message)),
        (expression(), expression()).prop_map(|(c, m)| StmtKind::Wait(c, m)),
        expression().prop_map(StmtKind::Signal),
        expression().prop_map(StmtKind::Broadcast),
        (expression(), expression()).prop_map(|(c, e)| StmtKind::Send(c, e)),
        (proptest::option::of(target()), expression())
            .prop_map(|(result, channel)| StmtKind::Receive { result, channel }),
        expression().prop_map(|e| StmtKind::Return(Some(e))),
        expression().prop_map(|e| StmtKind::Lock(LockOp::ReleaseRead, e)),
        (vec(target(), 0..3), expression(), proptest::option::of(expression()))
            .prop_map(|(frame, formula, assertion)| StmtKind::Action { frame, formula, assertion }),
        (proptest::option::of(target()), vec(expression(), 0..3)).prop_map(|(result, args)| {
            let proc = Name { text: "p".to_string(), span: Span::default() };
            StmtKind::Call { result, proc, args }
        }),
        (proptest::option::of(target()), name(), vec(expression(), 0..3))
            .prop_map(|(result, thread, args)| StmtKind::Start { result, thread, args }),
        prop_oneof![target(), Just(expr(ExprKind::SelfThread))].prop_map(StmtKind::Join),
    ]
}

fn statement() -> impl Strategy<Value = Stmt> {
    let stmt = |(labels, kind)| Stmt { labels, kind, span: Span::default() };
    let simple = (vec(name(), 0..2), simple_statement()).prop_map(stmt);
    simple.prop_recursive(4, 20, 3, move |inner| {
        let body = || vec(inner.clone(), 0..3).prop_map(block);
        let condition = || prop_oneof![expression().prop_map(Cond::Expr), Just(Cond::Any)];
        let kind = prop_oneof![
            body().prop_map(StmtKind::Block),
            body().prop_map(StmtKind::Atomic),
            (condition(), body(), proptest::option::of(body())).prop_map(|(c, a, b)| StmtKind::If(c, a, b)),
            (condition(), vec(expression(), 0..3), body()).prop_map(|(c, i, b)| StmtKind::While(c, i, b)),
            (vec(expression(), 0..3), body()).prop_map(|(i, b)| StmtKind::Loop(i, b)),
            vec(body(), 1..4).prop_map(StmtKind::Choose),
            vec(body(), 1..4).prop_map(StmtKind::Select),
            (name(), name(), body()).prop_map(|(t, w, b)| StmtKind::ForCopies(t, w, b)),
            (name(), expression(), expression(), body()).prop_map(|(k, l, h, b)| StmtKind::For(k, l, h, b)),
        ];
        (vec(name(), 0..2), kind).prop_map(stmt)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn print_and_parse(
        stmts in vec(statement(), 0..4),
        formula in expression(),
        named in proptest::option::of(name()),
        exceptions in expression(),
        params in proptest::option::of(vec(name(), 0..3)),
    ) {
        let name = Name { text: "P".to_string(), span: Span::default() };
        let param = |name| Param { name, ty: Type { kind: TypeKind::Bool, span: Span::default() } };
        let params = params.map(|names| names.into_iter().map(param).collect());
        let thread = Thread { name, copies: Copies::Any, params, head: Span::default(), body: block(stmts) };
        let properties = [ItemKind::Never(named, formula), ItemKind::NoDeadlock, ItemKind::Exceptions(exceptions)];
        let ty = |kind| Type { kind, span: Span::default() };
        let function = Function { name: capital("F"), params: Vec::new(), result: ty(TypeKind::Int), body: leaf_of(1) };
        let fields = vec![Param { name: capital("c"), ty: ty(TypeKind::Cond) }];
        let channel = TypeKind::Chan(Box::new(ty(TypeKind::Bool)), Box::new(leaf_of(2)));
        let decl = VarDecl { names: vec![capital("channel")], ty: ty(channel), init: None };
        let declared = [ItemKind::Record(capital("R"), fields), ItemKind::Function(function), ItemKind::Shared(decl)];
        let kinds = declared.into_iter().chain([ItemKind::Thread(thread)]).chain(properties);
        let items = kinds.map(|kind| Item { kind, span: Span::default() }).collect();
        let module = Module { items };
        let printed = printer::print(&module);
        let again = parse_clean(&SourceFile::new("printed.tw", printed.clone()));
        prop_assert_eq!(without_spans(&module), without_spans(&again), "{}", printed);
    }
}
