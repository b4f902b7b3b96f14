//! Abstract threads.

use super::reporter::suggest;
use super::{Lowerer, Mode};
use crate::ast::{self, ItemKind, Name};
use rustc_hash::FxHashMap;
use threadwise_ir::{AbstractEdge, AbstractNode, AbstractThread, SharedId};
use threadwise_source::Diagnostic;

/// The nodes of an abstract thread by name.
type Nodes<'a> = FxHashMap<&'a str, usize>;

impl<'a> Lowerer<'a> {
    pub(super) fn lower_abstract_threads(&mut self) {
        for item in &self.module.items {
            if let ItemKind::Abstract(declaration) = &item.kind {
                let lowered = self.abstract_thread(declaration);
                self.program.abstract_threads.extend(lowered);
            }
        }
    }

    fn abstract_thread(&mut self, declaration: &'a ast::AbstractThread) -> Option<AbstractThread> {
        let template = self.resolve_thread(&declaration.name);
        let names = self.node_names(&declaration.nodes);
        let nodes = declaration.nodes.iter().map(|node| self.abstract_node(node)).collect();
        let init: Vec<usize> = declaration.init.iter().filter_map(|name| self.node(&names, name)).collect();
        if declaration.init.is_empty() && !self.reporter.incomplete {
            let name = &declaration.name;
            let error =
                Diagnostic::error(name.span, format!("the abstract thread `{}` has no initial node", name.text));
            self.report(error.label("it cannot start").hint("add `init X;`, where `X` is one of its nodes"));
        }
        let edges: Vec<Option<AbstractEdge>> =
            declaration.edges.iter().map(|edge| self.abstract_edge(&names, edge)).collect();
        let (template, span) = (template?, declaration.name.span);
        if let Some(other) = self.program.abstract_threads.iter().find(|other| other.template == template) {
            let message = format!("the thread `{}` has two abstract threads", declaration.name.text);
            let error = Diagnostic::error(span, message).label("specified here again");
            self.report(error.related(other.span, "first specified here"));
        }
        let edges = edges.into_iter().collect::<Option<Vec<_>>>()?;
        Some(AbstractThread { template, init, idle: declaration.idle, nodes, edges, span })
    }

    fn node_names(&mut self, nodes: &'a [ast::AbstractNode]) -> Nodes<'a> {
        let mut names = Nodes::default();
        for (index, node) in nodes.iter().enumerate() {
            match names.get(node.name.text.as_str()) {
                Some(&first) => {
                    let message = format!("the node `{}` is declared twice", node.name.text);
                    let error = Diagnostic::error(node.name.span, message).label("declared here again");
                    self.report(error.related(nodes[first].name.span, "first declared here"));
                }
                None => {
                    names.insert(&node.name.text, index);
                }
            }
        }
        names
    }

    fn abstract_node(&mut self, node: &'a ast::AbstractNode) -> AbstractNode {
        let assertion = node.assertion.as_ref();
        let assertion = assertion.and_then(|e| self.in_mode(Mode::AbstractNode, |l| l.condition(e)));
        AbstractNode { name: node.name.text.as_str().into(), assertion, span: node.name.span }
    }

    fn node(&mut self, names: &Nodes<'_>, name: &Name) -> Option<usize> {
        if let Some(&index) = names.get(name.text.as_str()) {
            return Some(index);
        }
        let error = Diagnostic::error(name.span, format!("the node `{}` is not declared", name.text));
        let error = error.label("unknown node").hint(format!("add the line `{}:;`", name.text));
        self.report_unless_incomplete(suggest(error, &name.text, names.keys().copied()))
    }

    fn abstract_edge(&mut self, names: &Nodes<'_>, edge: &'a ast::AbstractEdge) -> Option<AbstractEdge> {
        let (from, to) = (self.node(names, &edge.from), self.node(names, &edge.to));
        let frame = match &edge.frame {
            Some(entries) => self.shared_frame(entries),
            None => Some((0..self.program.shared.len() as u32).map(SharedId).collect()),
        };
        let formula = match &edge.formula {
            Some(e) => Some(self.in_mode(Mode::AbstractEdge, |l| l.condition(e))?),
            None => None,
        };
        Some(AbstractEdge { from: from?, to: to?, frame: frame?, formula, span: edge.span })
    }
}
