//! Words of stores as terms, and random ones. Not every test needs all of it.
#![allow(dead_code, reason = "each test uses a part of it")]

use threadwise_ir::{Control, Instance, LocalId, Point, SharedId, Sort};
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session};
use threadwise_symbolic::{Population, ThreadState, Value, named_frames, named_shared};

pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    /// Fills words with a random value of a sort.
    pub fn fill(&mut self, instance: &Instance, sort: &Sort, words: &mut [i64]) {
        match sort {
            Sort::Int => words[0] = self.roll(7) as i64 - 3,
            Sort::Bits(bits) => {
                let (least, most) = bits.bounds();
                let any = (self.roll(1 << 31) << 33 ^ self.roll(1 << 31) << 16 ^ self.roll(1 << 31)) as i64;
                let words_to_try = [least as i64, most as i64, 0, 1, -1, 3, any, any];
                words[0] = bits.wrap(words_to_try[self.roll(8) as usize]);
            }
            Sort::Set(element) => words[0] = self.roll(1 << instance.cardinality(element).expect("finite")) as i64,
            Sort::Array(_, element) => {
                let size = instance.words(element);
                words.chunks_mut(size).for_each(|chunk| self.fill(instance, element, chunk));
            }
            Sort::Bool | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => {
                let rank = self.roll(instance.cardinality(sort).expect("finite"));
                words[0] = instance.unrank(sort, rank as usize);
            }
        }
    }
}

/// The scalars that the words of a value stand for.
fn scalars(instance: &Instance, sort: &Sort, words: &[i64]) -> Vec<Term> {
    match sort {
        Sort::Bool => vec![Term::bool(words[0] != 0)],
        Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => vec![Term::int(words[0])],
        Sort::Bits(bits) => vec![Term::number(bits.number(words[0]))],
        Sort::Set(element) => {
            let bit = |rank: usize| Term::bool(words[rank / 64] >> (rank % 64) & 1 == 1);
            (0..instance.count(element)).map(bit).collect()
        }
        Sort::Array(_, element) => {
            let chunks = words.chunks(instance.words(element).max(1));
            chunks.flat_map(|chunk| scalars(instance, element, chunk)).collect()
        }
    }
}

/// That a value is the one that the words stand for.
pub fn is(population: &Population, instance: &Instance, sort: &Sort, value: &Value, words: &[i64]) -> Term {
    let expected = scalars(instance, sort, words);
    let found = population.scalars(instance, sort, value);
    assert_eq!(found.len(), expected.len());
    Term::all(found.iter().zip(&expected).map(|(found, expected)| found.equals(expected)))
}

/// A value made of the scalars that the words stand for, so that much is computed beforehand; a value that is made
/// of arrays stays.
pub fn known(instance: &Instance, sort: &Sort, value: &Value, words: &[i64]) -> Value {
    let scalars = scalars(instance, sort, words);
    let is_flat = value.0.iter().map(Term::sort).eq(scalars.iter().map(Term::sort));
    if is_flat { Value(scalars) } else { value.clone() }
}

/// The sorts of the shared variables, and the words of each.
fn shared_words<'a>(instance: &'a Instance, words: &'a [i64]) -> impl Iterator<Item = (&'a Sort, &'a [i64])> {
    let vars = instance.program.shared.iter().enumerate();
    vars.map(|(index, var)| (&var.sort, &words[instance.shared_range(SharedId(index as u32))]))
}

/// For each frame, outermost first, the sorts of its locals and the words of each.
fn local_words<'a>(instance: &'a Instance, local: &'a [i64]) -> Vec<Vec<(&'a Sort, &'a [i64])>> {
    let mut frames: Vec<_> = instance.frames(local).collect();
    frames.reverse();
    let of_frame = |frame: &threadwise_ir::Frame<'a>| {
        let locals = instance.program.routine(frame.routine).locals.iter().enumerate();
        let words = |index: usize| &frame.words[instance.local_range(frame.routine, LocalId(index as u32))];
        locals.map(|(index, var)| (&var.sort, words(index))).collect()
    };
    frames.iter().map(of_frame).collect()
}

/// Where a thread is in a local state.
pub fn point_of(instance: &Instance, local: &[i64]) -> Point {
    let mut point = Point::at(instance.location_of(local));
    for frame in instance.frames(local) {
        if let Control::Calling(edge) = frame.control {
            point.calls.insert(0, edge);
        }
    }
    point
}

/// That a thread's state is what the words stand for; its point must be that of the words.
pub fn is_state(
    population: &Population,
    instance: &Instance,
    state: &ThreadState,
    shared: &[i64],
    local: &[i64],
) -> Term {
    assert_eq!(state.point, point_of(instance, local));
    let locals: Vec<(&Sort, &[i64])> = local_words(instance, local).concat();
    let values = state.shared.iter().zip(shared_words(instance, shared));
    let values = values.chain(state.frames.iter().flatten().zip(locals));
    Term::all(values.map(|(value, (sort, words))| is(population, instance, sort, value, words)))
}

/// The state that words stand for: once as constants, of which the session is told that they have these values, so
/// that nothing is computed beforehand; once as the values.
pub fn told(
    session: &mut Session,
    population: &Population,
    instance: &Instance,
    shared: &[i64],
    local: &[i64],
) -> [ThreadState; 2] {
    let point = point_of(instance, local);
    let (names, frames) = (named_shared(population, "g"), named_frames(population, &point, "l"));
    let of_names = ThreadState { point, shared: names.values, frames: frames.values };
    session.declare_all(names.constants.iter().chain(&frames.constants));
    session.assert(&is_state(population, instance, &of_names, shared, local));
    let value = |(name, (sort, words)): (&Value, (&Sort, &[i64]))| known(instance, sort, name, words);
    let mut of_values = of_names.clone();
    of_values.shared = of_names.shared.iter().zip(shared_words(instance, shared)).map(value).collect();
    let frames = of_names.frames.iter().zip(local_words(instance, local));
    of_values.frames = frames.map(|(names, words)| names.iter().zip(words).map(value).collect()).collect();
    [of_names, of_values]
}

/// Whether a formula can hold.
pub fn answer(session: &mut Session, term: &Term) -> Answer {
    session.push();
    session.assert(term);
    let answer = session.check().expect("an answer");
    session.pop();
    answer
}
