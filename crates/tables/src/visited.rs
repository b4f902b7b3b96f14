//! The visited states, packed into as few bits as their numbers need.
//!
//! A state is a row of fields: the number of its shared store, then the number of each thread's
//! local state. A field is as wide as its largest number so far needs; when a number outgrows its
//! field, all rows are laid out anew, which happens at most once for each bit of each field's
//! width. Rows stay in the order of their discovery, so that they are also the queue of the search.

use hashbrown::HashTable;
use threadwise_limits::{Budget, Limit};

/// The parent of an initial state.
pub const NO_PARENT: u32 = u32::MAX;

/// Where a field is in a row.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

/// A set of states in order of their discovery.
pub struct Visited {
    /// For each field, which width it uses: copies of a thread share one.
    width_of: Vec<usize>,
    widths: Vec<u32>,
    fields: Vec<Field>,
    row_words: usize,
    rows: Vec<u64>,
    parents: Vec<u32>,
    table: HashTable<u32>,
    packed: Vec<u64>,
}

impl Visited {
    /// An empty set of states whose fields share widths as `width_of` says.
    pub fn new(width_of: Vec<usize>) -> Visited {
        let count = width_of.iter().max().map_or(0, |&max| max + 1);
        let mut visited = Visited {
            width_of,
            widths: vec![3; count],
            fields: Vec::new(),
            row_words: 0,
            rows: Vec::new(),
            parents: Vec::new(),
            table: HashTable::new(),
            packed: Vec::new(),
        };
        visited.lay_out();
        visited
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The state whose successor this one was found as; `None` for an initial state.
    pub fn parent(&self, state: u32) -> Option<u32> {
        Some(self.parents[state as usize]).filter(|&parent| parent != NO_PARENT)
    }

    /// Unpacks a state.
    pub fn read(&self, state: u32, out: &mut [u32]) {
        read_row(&self.fields, self.row(state), out);
    }

    fn row(&self, state: u32) -> &[u64] {
        let start = state as usize * self.row_words;
        &self.rows[start..start + self.row_words]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Adds a state; tells whether it is new.
    pub fn insert(&mut self, state: &[u32], parent: u32, budget: &Budget) -> Result<bool, Limit> {
        self.number(state, parent, budget).map(|(_, is_new)| is_new)
    }

    /// The number of a state, and whether it is new.
    pub fn number(&mut self, state: &[u32], parent: u32, budget: &Budget) -> Result<(u32, bool), Limit> {
        self.make_fields_fit(state, budget)?;
        self.packed.clear();
        self.packed.resize(self.row_words, 0);
        for (field, &value) in self.fields.iter().zip(state) {
            self.packed[field.word as usize] |= u64::from(value) << field.shift;
        }
        self.insert_packed(parent, budget)
    }

    /// Adds the state that differs from `parent` in the shared store and one thread's local state.
    #[inline]
    pub fn insert_changed(
        &mut self,
        parent: u32,
        shared: u32,
        thread: usize,
        local: u32,
        budget: &Budget,
    ) -> Result<bool, Limit> {
        let (shared_field, local_field) = (self.fields[0], self.fields[thread + 1]);
        if u64::from(shared) > shared_field.mask || u64::from(local) > local_field.mask {
            let mut state = vec![0; self.fields.len()];
            self.read(parent, &mut state);
            (state[0], state[thread + 1]) = (shared, local);
            return self.insert(&state, parent, budget);
        }
        let start = parent as usize * self.row_words;
        self.packed.clear();
        self.packed.extend_from_slice(&self.rows[start..start + self.row_words]);
        write_field(&mut self.packed, shared_field, shared);
        write_field(&mut self.packed, local_field, local);
        self.insert_packed(parent, budget).map(|(_, is_new)| is_new)
    }

    #[inline]
    fn insert_packed(&mut self, parent: u32, budget: &Budget) -> Result<(u32, bool), Limit> {
        let hash_value = hash(&self.packed);
        let (rows, width, packed) = (&self.rows, self.row_words, &self.packed);
        let row = |id: u32| &rows[id as usize * width..(id as usize + 1) * width];
        if let Some(&id) = self.table.find(hash_value, |&id| row(id) == &packed[..]) {
            return Ok((id, false));
        }
        if self.table.len() == self.table.capacity() {
            self.grow_table(budget)?;
        }
        let id = self.parents.len() as u32;
        self.rows.extend_from_slice(&self.packed);
        self.parents.push(parent);
        let (rows, width) = (&self.rows, self.row_words);
        let row = |id: u32| &rows[id as usize * width..(id as usize + 1) * width];
        self.table.insert_unique(hash_value, id, |&id| hash(row(id)));
        Ok((id, true))
    }

    fn grow_table(&mut self, budget: &Budget) -> Result<(), Limit> {
        let more = self.table.len().max(64);
        if self.parents.len() + more >= NO_PARENT as usize {
            return Err(Limit::OutOfMemory);
        }
        // The rows and parents may be copied, too.
        let copied = self.rows.len() * 8 + self.parents.len() * 4;
        budget.check_for((5 * 2 * more + copied) as u64)?;
        let (rows, width) = (&self.rows, self.row_words);
        let row = |id: u32| &rows[id as usize * width..(id as usize + 1) * width];
        self.table.try_reserve(more, |&id| hash(row(id))).map_err(|_| Limit::OutOfMemory)?;
        let more = self.table.capacity() - self.len();
        let reserved = self.rows.try_reserve_exact(more * self.row_words);
        reserved.and_then(|()| self.parents.try_reserve_exact(more)).map_err(|_| Limit::OutOfMemory)
    }

    fn make_fields_fit(&mut self, state: &[u32], budget: &Budget) -> Result<(), Limit> {
        let mut grown = false;
        for (&width_of, &value) in self.width_of.iter().zip(state) {
            let needed = u32::BITS - value.leading_zeros();
            if needed > self.widths[width_of] {
                self.widths[width_of] = needed;
                grown = true;
            }
        }
        if grown { self.lay_out_anew(budget) } else { Ok(()) }
    }

    fn lay_out(&mut self) {
        self.fields.clear();
        let (mut word, mut shift) = (0, 0);
        for &width_of in &self.width_of {
            let width = self.widths[width_of];
            if shift + width > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            self.fields.push(Field { word, shift, mask: (1 << width) - 1 });
            shift += width;
        }
        self.row_words = word as usize + 1;
    }

    fn lay_out_anew(&mut self, budget: &Budget) -> Result<(), Limit> {
        let (old_fields, old_words) = (self.fields.clone(), self.row_words);
        let old_rows = std::mem::take(&mut self.rows);
        self.lay_out();
        budget.check_for((self.len() * self.row_words * 8) as u64)?;
        self.rows = Vec::with_capacity(self.table.capacity() * self.row_words);
        self.rows.resize(self.len() * self.row_words, 0);
        self.table.clear();
        let mut state = vec![0; self.fields.len()];
        for (id, old) in old_rows.chunks_exact(old_words).enumerate() {
            read_row(&old_fields, old, &mut state);
            let row = &mut self.rows[id * self.row_words..(id + 1) * self.row_words];
            for (field, &value) in self.fields.iter().zip(&state) {
                row[field.word as usize] |= u64::from(value) << field.shift;
            }
            let hash_value = hash(row);
            let (rows, width) = (&self.rows, self.row_words);
            self.table.insert_unique(hash_value, id as u32, |&id| {
                hash(&rows[id as usize * width..(id as usize + 1) * width])
            });
        }
        Ok(())
    }
}

fn read_row(fields: &[Field], row: &[u64], out: &mut [u32]) {
    for (field, value) in fields.iter().zip(out) {
        *value = (row[field.word as usize] >> field.shift & field.mask) as u32;
    }
}

fn write_field(row: &mut [u64], field: Field, value: u32) {
    let word = &mut row[field.word as usize];
    *word = *word & !(field.mask << field.shift) | u64::from(value) << field.shift;
}

/// Multiply-and-fold over the words; the table needs both high and low bits to be good.
#[inline]
fn hash(words: &[u64]) -> u64 {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    for &word in words {
        let product = u128::from(state ^ word) * 0xa076_1d64_78bd_642f;
        state = (product as u64) ^ ((product >> 64) as u64);
    }
    state
}
