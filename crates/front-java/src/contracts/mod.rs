//! Contracts: what comments that begin with `@` say of a program, in the words of Java.
//!
//! `text` finds the clauses in a text and the classes that they stand in, `formula` reads their expressions, `meaning` resolves
//! names against the class files, and `operators` knows what operators mean. A clause that belongs to a place in a method (`set`, `loop_invariant`) is a
//! statement there: a call of a method that does nothing stands before it in what `javac` is given, so that the compiler says
//! where in the code it is.

mod formula;
mod meaning;
mod operators;
mod text;

pub(crate) use meaning::{Ghosts, annotations, at_mark, ghosts};
use text::ClauseKind;
pub(crate) use text::{Clause, MARKS, MARKS_CLASS, clauses, marked};

/// What is said in a program, by the names of the files without folders.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) files: Vec<(String, u32, Vec<Clause>)>,
}

impl Said {
    /// The clause of a mark in a file.
    pub(crate) fn at(&self, file: &str, offset: usize) -> Option<(u32, &Clause)> {
        let (_, start, clauses) = self.files.iter().find(|(name, ..)| name == file)?;
        clauses.iter().find(|clause| clause.start == offset).map(|clause| (*start, clause))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, u32, &Clause)> {
        self.files
            .iter()
            .flat_map(|(name, start, clauses)| clauses.iter().map(move |clause| (name.as_str(), *start, clause)))
    }
}
