//! Steps and values of programs in the terms of the language that they came from, where their text alone does not say it:
//! `load x = 3`, `store p->next = &n2`, `heap#3 (malloc at list.c:40)`.

use crate::path::follow;
use crate::show::show_value;
use crate::{Trace, TraceStep};
use threadwise_ir::{
    Command, Edge, EdgeId, Env, Instance, LocalId, Op, Place, RoutineId, SharedId, Shown, Sort, State, Telling,
    ThreadId, Told, ToldAccess, Update, Value, VarRef,
};
use threadwise_source::{SourceMap, Span};

/// The longest text that a step takes from the source.
const MAX_TEXT: usize = 72;

/// A step in words, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepWords {
    pub text: String,
    /// The function that it stands in.
    pub function: String,
    pub span: Span,
}

/// An instance whose threads are named by function and number of creation, as a trace tells it; the same instance for
/// programs that say what their threads are called.
pub fn with_names_of_threads(instance: &Instance, trace: &Trace) -> Instance {
    let (Some(telling), Some(initial)) = (&instance.program.telling, &trace.initial) else { return instance.clone() };
    let mut order: Vec<usize> = Vec::new();
    let mut state = initial.clone();
    for step in &trace.steps {
        // What has a status was created when that changed, others are known from their first step.
        order.extend(created(instance, telling, &state.shared, &step.shared));
        order.push(step.thread.index());
        state.shared = step.shared.clone();
    }
    order.extend(0..instance.threads.len());
    let mut names = vec![String::new(); instance.threads.len()];
    let mut number = 0;
    for index in order.into_iter().filter(|index| *index < instance.threads.len()) {
        if names[index].is_empty() {
            let id = instance.threads[index].template;
            let template = instance.program.template(id);
            let function = telling.threads.get(id.index()).unwrap_or(&template.name);
            names[index] = match template.copies {
                threadwise_ir::Copies::Single => function.to_string(),
                threadwise_ir::Copies::Exactly(_) | threadwise_ir::Copies::Any => {
                    number += 1;
                    format!("{function}#{number}")
                }
            };
        }
    }
    instance.with_names(names)
}

/// The threads whose status changed from that of one that is not there yet.
fn created(instance: &Instance, telling: &Telling, before: &[i64], after: &[i64]) -> Vec<usize> {
    let status = telling.shared.iter().position(|shown| shown.is_status);
    let Some(range) = status.map(|var| instance.shared_range(SharedId(var as u32))) else { return Vec::new() };
    let ranks = range.clone().filter(|&word| before[word] == 0 && after[word] != 0);
    // The elements of an array over threads begin with nobody.
    ranks.map(|word| (word - range.start).wrapping_sub(1)).collect()
}

/// A step of a trace in words; nothing where the text of the program says it.
pub fn step_words(
    instance: &Instance,
    before: Option<&State>,
    thread: ThreadId,
    path: &[EdgeId],
    outcome: Option<&TraceStep>,
) -> Option<StepWords> {
    let telling = instance.program.telling.as_ref()?;
    let mut values: Vec<Option<String>> = vec![None; path.len()];
    if let Some(before) = before {
        let mut next = 0;
        follow(instance, before, thread, path, outcome, &mut |id, _, env| {
            if let Told::Access(access) = telling.edge(id) {
                values[next] = value_of(telling, access, env);
            }
            next += 1;
        });
    }
    let mut parts: Vec<(String, Span)> = Vec::new();
    for ((&id, value), number) in path.iter().zip(values).zip(0..) {
        let edge = instance.program.edge(id);
        // The parts of an operation that get it ready belong to the step before it.
        if number > 0 && matches!(telling.edge(id), Told::Text) && !writes_shared(edge) {
            continue;
        }
        if let Some(text) = edge_words(instance, telling, id, value)
            && parts.last().is_none_or(|(last, _)| *last != text)
        {
            parts.push((text, edge.span));
        }
    }
    if parts.is_empty() {
        parts.extend(private(instance, path));
    }
    let has_text = |span: &Span| span.start < span.end;
    let spans = parts.iter().map(|(_, span)| *span).chain(path.iter().map(|id| instance.program.edge(*id).span));
    let of_thread = instance.program.template(instance.threads[thread.index()].template).span;
    let span = spans.into_iter().find(has_text).unwrap_or(of_thread);
    let text = parts.into_iter().map(|(text, _)| text).collect::<Vec<String>>().join("; ");
    let is_here = |id: &&EdgeId| instance.program.edge(**id).span == span;
    let edge = path.iter().find(is_here).or(path.first())?;
    let function = telling.function(*edge).map_or_else(String::new, ToString::to_string);
    Some(StepWords { text, function, span })
}

fn writes_shared(edge: &Edge) -> bool {
    let is_shared = |(place, _): &(Place, Value)| matches!(place.var, VarRef::Shared(_));
    match &edge.op {
        Op::Command(Command { update: Update::Assign(assignments), .. }) => assignments.iter().any(is_shared),
        Op::Command(_) | Op::Call { .. } | Op::Return(_) => true,
    }
}

/// What an edge does in words, if that is worth a word beside others.
fn edge_words(instance: &Instance, telling: &Telling, id: EdgeId, value: Option<String>) -> Option<String> {
    let edge = instance.program.edge(id);
    match telling.edge(id) {
        Told::Private => None,
        Told::Text => Some(text(&instance.program.source, edge.span)).filter(|text| !text.is_empty()),
        Told::Test(text) => edge.branch.map(|outcome| format!("{text} is {outcome}")),
        Told::Access(access) => {
            let value = value.map_or_else(String::new, |value| format!(" = {value}"));
            Some(format!("{} {}{value}", access.word, access.place))
        }
        Told::Start => Some("starts".to_string()),
        Told::End => Some("ends".to_string()),
    }
}

/// What a step is called that only goes on with what nobody else sees.
fn private(instance: &Instance, path: &[EdgeId]) -> Option<(String, Span)> {
    let source = &instance.program.source;
    let mut texts = path.iter().map(|id| instance.program.edge(*id).span).map(|span| (text(source, span), span));
    let found = texts.find(|(text, _)| !text.is_empty());
    found.or_else(|| path.first().map(|id| ("goes on".to_string(), instance.program.edge(*id).span)))
}

fn text(source: &SourceMap, span: Span) -> String {
    source.snippet(span, MAX_TEXT).trim_end_matches(';').to_string()
}

fn value_of(telling: &Telling, access: &ToldAccess, env: &mut Env<'_>) -> Option<String> {
    let value = access.value.as_ref()?;
    let words = env.words(value).ok()?;
    match (access.is_pointer, &words[..]) {
        (true, [word]) => Some(pointer_with_place(env.instance, telling, *word)),
        _ => Some(show_value(env.instance, &value.sort, &words)),
    }
}

/// `heap#3 (malloc at list.c:40)`
fn pointer_with_place(instance: &Instance, telling: &Telling, word: i64) -> String {
    let shown = telling.pointer(word);
    match telling.allocation(word) {
        Some(span) => {
            let source = &instance.program.source;
            let place = format!("{}:{}", base_name(source.file_name(span.start)), source.position(span.start).line);
            format!("{shown} ({} at {place})", allocator(source, span))
        }
        None => shown,
    }
}

/// The name of the function that is called.
fn allocator(source: &SourceMap, span: Span) -> String {
    let text = source.snippet(span, MAX_TEXT);
    let before = text.split('(').next().unwrap_or_default();
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    if name.is_empty() || !text.contains('(') { "allocated".to_string() } else { name.to_string() }
}

/// The last part of a file's name.
fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Where something stands: its file without the directories, line and column; of programs whose text says everything, as
/// briefly as that can be said.
pub fn position(instance: &Instance, span: Span) -> String {
    let source = &instance.program.source;
    match &instance.program.telling {
        Some(_) => format!("{}:{}", base_name(source.file_name(span.start)), source.position(span.start)),
        None => source.locate_briefly(span),
    }
}

/// How a shared variable is shown, where there is something to say about it.
pub fn shown_shared(instance: &Instance, var: SharedId) -> Option<&Shown> {
    instance.program.telling.as_ref()?.shared(var)
}

/// How a local variable is shown, where there is something to say about it.
pub fn shown_local(instance: &Instance, routine: RoutineId, var: LocalId) -> Option<&Shown> {
    instance.program.telling.as_ref()?.local(routine, var)
}

/// A value as text, of a variable that is shown in a certain way.
pub fn show_typed(instance: &Instance, shown: Option<&Shown>, sort: &Sort, words: &[i64]) -> String {
    match (&instance.program.telling, shown, words) {
        (Some(telling), Some(shown), [word]) if shown.is_pointer => telling.pointer(*word),
        _ => show_value(instance, sort, words),
    }
}

/// The parts of a variable that are shown by themselves, with their names: the elements of arrays.
pub fn for_each_shown<'w>(
    instance: &Instance,
    (name, shown): (&str, Option<&Shown>),
    sort: &Sort,
    words: &'w [i64],
    visit: &mut dyn FnMut(&str, &Sort, &'w [i64]),
) {
    let pool = shown.and_then(|shown| shown.pool.as_ref());
    let name = shown.and_then(|shown| shown.name.as_deref()).unwrap_or(name);
    match (sort, pool) {
        (Sort::Array(_, element), Some(pool)) if pool.is_array => {
            let size = instance.words(element).max(1);
            for (chunk, number) in words.chunks(size).zip(pool.first..) {
                for_each_element(instance, &format!("heap#{number}{}", pool.part), element, chunk, visit);
            }
        }
        (sort, Some(pool)) => {
            for_each_element(instance, &format!("heap#{}{}", pool.first, pool.part), sort, words, visit);
        }
        (Sort::Array(key, element), None) if shown.is_some_and(|shown| shown.is_status) => {
            let size = instance.words(element).max(1);
            for (rank, chunk) in words.chunks(size).enumerate() {
                visit(&show_value(instance, key, &[instance.unrank(key, rank)]), element, chunk);
            }
        }
        (sort, None) => for_each_element(instance, name, sort, words, visit),
    }
}

fn for_each_element<'w>(
    instance: &Instance,
    name: &str,
    sort: &Sort,
    words: &'w [i64],
    visit: &mut dyn FnMut(&str, &Sort, &'w [i64]),
) {
    let Sort::Array(key, element) = sort else {
        return visit(name, sort, words);
    };
    let size = instance.words(element).max(1);
    for (rank, chunk) in words.chunks(size).enumerate() {
        let index = show_value(instance, key, &[instance.unrank(key, rank)]);
        for_each_element(instance, &format!("{name}[{index}]"), element, chunk, visit);
    }
}
