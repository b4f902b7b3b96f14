//! Proofs by unions of products in files: a table of local states, the sets of these that occur, and
//! for each shared store its products. A product of a thousand threads has up to a thousand components,
//! so a component is as short as can be: the number of a set, or for a run of equal ones `[how many, set]`.
//! What the judge is told of where steps lead are short rows of numbers, too.

use crate::reachable::symmetric;
use crate::rows::{Depth, decode_row, decode_tables, entry, list, rows, shared_row, write_tables};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use threadwise_evidence::{
    CartesianProof, Containment, Coverings, FileError, Lemma, Product, StepCovering, shared_layout,
};
use threadwise_ir::Instance;

/// Writes the fields of the proof, which must fit the instance.
pub(crate) fn write(out: &mut impl Write, instance: &Instance, proof: &CartesianProof) -> io::Result<()> {
    let layout = shared_layout(instance);
    let names = proof.symmetric.iter().map(|template| &*instance.program.template(*template).name);
    entry(out, "symmetric", names.collect::<Vec<&str>>())?;
    write!(out, "\"locals\": ")?;
    write_tables(out, instance, proof.locals.iter().map(Vec::as_slice))?;
    write!(out, ",\n\"sets\": ")?;
    rows(out, proof.sets.iter())?;
    write!(out, ",\n\"unions\": ")?;
    list(out, "[", "]", proof.unions.iter(), |out, (shared, products)| {
        write!(out, "{{")?;
        entry(out, "shared", shared_row(instance, &layout, shared))?;
        write!(out, "\"products\": ")?;
        rows(out, products.iter().map(ProductFile::of))?;
        write!(out, "}}")
    })?;
    let coverings = &proof.coverings;
    write!(out, ",\n\"initial\": ")?;
    rows(out, coverings.initial.iter().map(|(store, within)| (store, ContainmentFile::of(within))))?;
    write!(out, ",\n\"lemmas\": ")?;
    rows(out, coverings.lemmas.iter().map(LemmaFile::of))?;
    write!(out, ",\n\"steps\": ")?;
    rows(out, coverings.steps.iter().map(StepFile::of))
}

/// The fields of the proof as they stand in the file.
pub(crate) struct CartesianIn {
    pub(crate) symmetric: Vec<String>,
    pub(crate) locals: BTreeMap<String, Vec<Value>>,
    pub(crate) sets: Vec<Vec<u32>>,
    pub(crate) unions: Vec<UnionIn>,
    pub(crate) initial: Vec<(u32, ContainmentFile)>,
    pub(crate) lemmas: Vec<LemmaFile>,
    pub(crate) steps: Vec<StepFile>,
}

/// The number of a product, and the order of the threads if it is another one: runs with their first thread and how
/// many there are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ContainmentFile {
    AsTheyAre(u32),
    InOrder(u32, Vec<(u32, u32)>),
}

/// Product by product: shared store, number, the shared store after, the first thread, how many, and what has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StepFile(u32, u32, u32, u32, u32, ContainmentFile);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LemmaFile {
    store: u32,
    components: Vec<Run>,
    thread: u32,
    set: u32,
    inside: ContainmentFile,
    outside: ContainmentFile,
}

impl ContainmentFile {
    fn of(within: &Containment) -> ContainmentFile {
        match within.order.is_empty() {
            true => ContainmentFile::AsTheyAre(within.product),
            false => ContainmentFile::InOrder(within.product, within.order.clone()),
        }
    }

    fn decode(self) -> Containment {
        match self {
            ContainmentFile::AsTheyAre(product) => Containment { product, order: Vec::new() },
            ContainmentFile::InOrder(product, order) => Containment { product, order },
        }
    }
}

impl StepFile {
    fn of(step: &StepCovering) -> StepFile {
        let ((store, product), (first, count)) = (step.from, step.threads);
        StepFile(store, product, step.to, first, count, ContainmentFile::of(&step.within))
    }

    fn decode(self) -> StepCovering {
        let StepFile(store, product, to, first, count, within) = self;
        StepCovering { from: (store, product), to, threads: (first, count), within: within.decode() }
    }
}

impl LemmaFile {
    fn of(lemma: &Lemma) -> LemmaFile {
        LemmaFile {
            store: lemma.store,
            components: written(&lemma.components),
            thread: lemma.thread,
            set: lemma.set,
            inside: ContainmentFile::of(&lemma.inside),
            outside: ContainmentFile::of(&lemma.outside),
        }
    }

    fn decode(self) -> Lemma {
        Lemma {
            store: self.store,
            components: read(&self.components),
            thread: self.thread,
            set: self.set,
            inside: self.inside.decode(),
            outside: self.outside.decode(),
        }
    }
}

/// The products of a shared store.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct UnionIn {
    shared: Vec<Value>,
    products: Vec<ProductFile>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ProductFile {
    exception: bool,
    components: Vec<Run>,
}

impl ProductFile {
    fn of(product: &Product) -> ProductFile {
        ProductFile { exception: product.exception, components: written(&product.components) }
    }

    fn decode(self) -> Product {
        Product { exception: self.exception, components: read(&self.components) }
    }
}

fn written(components: &[(u32, u32)]) -> Vec<Run> {
    components.iter().map(|&(count, set)| Run { count, set }).collect()
}

fn read(components: &[Run]) -> Vec<(u32, u32)> {
    components.iter().map(|run| (run.count, run.set)).collect()
}

impl CartesianIn {
    pub(crate) fn decode(self, instance: &Instance) -> Result<CartesianProof, FileError> {
        let layout = shared_layout(instance);
        let mut unions = Vec::new();
        for (at, union) in self.unions.into_iter().enumerate() {
            let shared = decode_row(instance, &layout, &union.shared);
            let shared = shared.map_err(|e| e.within("shared").at(at).within("unions"))?;
            unions.push((shared, union.products.into_iter().map(ProductFile::decode).collect()));
        }
        let proof = CartesianProof {
            symmetric: symmetric(instance, &self.symmetric)?,
            locals: decode_tables(instance, Depth::Whole, &self.locals).map_err(|e| e.within("locals"))?,
            sets: self.sets,
            unions,
            coverings: Coverings {
                initial: self.initial.into_iter().map(|(store, within)| (store, within.decode())).collect(),
                lemmas: self.lemmas.into_iter().map(LemmaFile::decode).collect(),
                steps: self.steps.into_iter().map(StepFile::decode).collect(),
            },
        };
        proof.validate(instance)?;
        Ok(proof)
    }
}

/// This many threads have the set with this number.
#[derive(Clone, Copy, Debug)]
struct Run {
    count: u32,
    set: u32,
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.count {
            1 => self.set.serialize(serializer),
            count => (count, self.set).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Run, D::Error> {
        deserializer.deserialize_any(RunVisitor)
    }
}

struct RunVisitor;

impl<'de> Visitor<'de> for RunVisitor {
    type Value = Run;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a set, or [how many threads, the number of their set]")
    }

    fn visit_u64<E: Error>(self, set: u64) -> Result<Run, E> {
        let set = u32::try_from(set).map_err(|_| E::custom("there are not so many sets"))?;
        Ok(Run { count: 1, set })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Run, A::Error> {
        let (count, set) = (seq.next_element()?, seq.next_element()?);
        match (count, set, seq.next_element::<u32>()?) {
            (Some(count), Some(set), None) => Ok(Run { count, set }),
            _ => Err(A::Error::custom("a run has two numbers: how many threads, and the number of their set")),
        }
    }
}
