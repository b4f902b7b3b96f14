//! The variables that stand for threads that are started.

use std::sync::Arc;
use threadwise_ir::{EnumDef, EnumId, Initial, Program, SharedId, SharedVar, Sort, TemplateId};
use threadwise_source::Span;

/// The name of the variable, and of the enumeration, that tells how far threads are.
const STATUS: &str = "thread.status";

/// It has not been started.
pub(crate) const IDLE: usize = 0;
/// It was started, and may or may not have taken its first step.
pub(crate) const STARTED: usize = 1;
/// It has taken its last step.
pub(crate) const ENDED: usize = 2;

/// The variables that tell how far each thread is that can be started, for all templates with a fixed number of copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    /// Idle, started and ended.
    pub(crate) values: EnumId,
    /// The status of each thread; those that cannot be started stay idle.
    pub(crate) of_threads: SharedId,
    /// The copy that a start has chosen; `none` outside of that step. It is shared although it is nobody else's, because
    /// an identity in a local variable would make copies distinguishable.
    pub(crate) chosen: SharedId,
}

/// The templates with a fixed number of copies that can be started.
#[derive(Clone, Debug)]
pub struct Lives {
    pub(crate) status: Status,
    pub(crate) templates: Vec<TemplateId>,
}

/// A parameter of a template. Its sort is no array, since these have no default that could be assigned.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Arc<str>,
    pub sort: Sort,
    /// Its name in the declaration.
    pub span: Span,
}

/// A template whose copies can be started.
#[derive(Clone, Debug)]
pub struct Startable {
    pub(crate) template: TemplateId,
    /// The variables that hold arguments on their way: arrays over `tid`, or single values.
    pub(crate) arguments: Vec<(SharedId, Parameter)>,
    pub(crate) way: Way,
}

/// How a creator tells a copy to start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// It changes the status of one of a fixed number of copies.
    Status(Status),
    /// It gives a permit to any of any number of copies.
    Permit(SharedId),
}

impl Lives {
    /// Declares the variables that all templates with a fixed number of copies have in common. Their names are no
    /// identifiers, so that they cannot be those of other variables.
    pub fn declare(program: &mut Program, span: Span) -> Lives {
        let values = EnumId(program.enums.len() as u32);
        let members = ["idle", "started", "ended"].map(Arc::from).to_vec();
        program.enums.push(EnumDef { name: STATUS.into(), members });
        let of_threads = add(program, STATUS.into(), Sort::array(Sort::Tid, Sort::Enum(values)), span);
        let chosen = add(program, "thread.chosen".into(), Sort::Tid, span);
        Lives { status: Status { values, of_threads, chosen }, templates: Vec::new() }
    }

    /// Declares a template with a fixed number of copies.
    pub fn add(&mut self, program: &mut Program, template: TemplateId, parameters: Vec<Parameter>) -> Startable {
        self.templates.push(template);
        let arguments = arguments(program, template, parameters, |sort| Sort::array(Sort::Tid, sort));
        Startable { template, arguments, way: Way::Status(self.status) }
    }
}

impl Startable {
    /// Declares a template with any number of copies. Its threads have no status and cannot be joined.
    pub fn any_number(program: &mut Program, template: TemplateId, parameters: Vec<Parameter>) -> Startable {
        let (name, span) = (program.template(template).name.clone(), program.template(template).span);
        let permit = add(program, format!("start {name}").into(), Sort::Bool, span);
        let arguments = arguments(program, template, parameters, |sort| sort);
        Startable { template, arguments, way: Way::Permit(permit) }
    }

    /// The sorts of the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &Sort> {
        self.arguments.iter().map(|(_, parameter)| &parameter.sort)
    }

    /// The variables by which copies are started, end and are joined.
    pub fn variables(&self) -> Vec<SharedId> {
        let arguments = self.arguments.iter().map(|(variable, _)| *variable);
        let own = match self.way {
            Way::Status(status) => vec![status.of_threads, status.chosen],
            Way::Permit(permit) => vec![permit],
        };
        own.into_iter().chain(arguments).collect()
    }

    /// Whether there is any number of copies, so that nobody knows which one was started.
    pub fn is_any_number(&self) -> bool {
        matches!(self.way, Way::Permit(_))
    }
}

/// Whether a variable is one of those that are declared here, and that nobody wrote down.
pub fn tells_of_starts(program: &Program, variable: &SharedVar) -> bool {
    let is_thread = |name: &str| program.templates.iter().any(|template| *template.name == *name);
    let name = &*variable.name;
    let owner = name.split_once('.').map(|(owner, _)| owner);
    name.starts_with("start ") || owner.is_some_and(|owner| owner == "thread" || is_thread(owner))
}

/// Whether a variable tells how far threads are; the other ones declared here only carry what a start says anyway.
pub fn is_status(variable: &SharedVar) -> bool {
    &*variable.name == STATUS
}

fn arguments(
    program: &mut Program,
    template: TemplateId,
    parameters: Vec<Parameter>,
    sort: impl Fn(Sort) -> Sort,
) -> Vec<(SharedId, Parameter)> {
    let thread = program.template(template).name.clone();
    let declare = |parameter: Parameter| {
        let name = format!("{thread}.{}", parameter.name).into();
        (add(program, name, sort(parameter.sort.clone()), parameter.span), parameter)
    };
    parameters.into_iter().map(declare).collect()
}

fn add(program: &mut Program, name: Arc<str>, sort: Sort, span: Span) -> SharedId {
    let id = SharedId(program.shared.len() as u32);
    program.shared.push(SharedVar { name, sort, init: Initial::Default, span });
    id
}
