//! What is on the heap of the process, and which accesses must not be.

use crate::build::Symbol;
use crate::event::{Event, Kind};
use std::collections::BTreeMap;

/// Around each object the runtime leaves so many bytes that belong to nobody.
const ROOM: u64 = 64;

/// The objects of the heap by their addresses, and the variables of the program.
pub(crate) struct Heap {
    objects: BTreeMap<u64, Object>,
    /// Where each variable begins and ends.
    variables: BTreeMap<u64, u64>,
}

struct Object {
    size: u64,
    is_alive: bool,
}

impl Heap {
    pub(crate) fn new(symbols: &[Symbol]) -> Heap {
        let data = symbols.iter().filter(|symbol| symbol.is_data && symbol.size > 0);
        let variables = data.map(|symbol| (symbol.address, symbol.address + symbol.size)).collect();
        Heap { objects: BTreeMap::new(), variables }
    }

    pub(crate) fn allocated(&mut self, address: u64, size: u64) {
        self.objects.insert(address, Object { size, is_alive: true });
    }

    pub(crate) fn freed(&mut self, address: u64) {
        if let Some(object) = self.objects.get_mut(&address) {
            object.is_alive = false;
        }
    }

    /// What is wrong with an access or a call of `free`, where that can be seen.
    pub(crate) fn fault(&self, event: &Event) -> Option<&'static str> {
        match event.kind {
            Kind::Free if event.address == 0 => None,
            Kind::Free => match self.objects.get(&event.address) {
                None => Some("there is no object that begins there"),
                Some(object) => (!object.is_alive).then_some("it was freed before"),
            },
            Kind::Read | Kind::Write | Kind::Atomic => self.invalid_access(event.address, event.size),
            _ => None,
        }
    }

    fn invalid_access(&self, address: u64, size: u64) -> Option<&'static str> {
        if let Some((begin, object)) = self.objects.range(..=address + ROOM).next_back()
            && address + size > begin - ROOM
            && address < begin + object.size + ROOM
        {
            let is_inside = *begin <= address && address + size <= begin + object.size;
            return match (is_inside, object.is_alive) {
                (true, true) => None,
                (true, false) => Some("the object was freed"),
                (false, _) => Some("this is beyond the object that is there"),
            };
        }
        let (first, last) = (self.variables.first_key_value()?, self.variables.last_key_value()?);
        let is_between = *first.0 <= address && address < *last.1;
        let is_in_one = self.variables.range(..=address).next_back().is_some_and(|(_, end)| address + size <= *end);
        (is_between && !is_in_one).then_some("no variable is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: Kind, address: u64, size: u64) -> Event {
        Event { thread: 0, kind, address, size, place: 0, value: 0 }
    }

    #[test]
    fn what_was_freed_must_not_be_accessed_nor_freed_again() {
        let mut heap = Heap::new(&[]);
        heap.allocated(0x1000, 8);
        assert_eq!(heap.fault(&access(Kind::Read, 0x1004, 4)), None);
        assert!(heap.fault(&access(Kind::Read, 0x1008, 4)).is_some());
        assert!(heap.fault(&access(Kind::Write, 0xffc, 4)).is_some());
        assert_eq!(heap.fault(&access(Kind::Free, 0x1000, 0)), None);
        heap.freed(0x1000);
        assert_eq!(heap.fault(&access(Kind::Read, 0x1004, 4)), Some("the object was freed"));
        assert_eq!(heap.fault(&access(Kind::Free, 0x1000, 0)), Some("it was freed before"));
        assert!(heap.fault(&access(Kind::Free, 0x1004, 0)).is_some());
        assert_eq!(heap.fault(&access(Kind::Free, 0, 0)), None);
    }

    #[test]
    fn between_variables_is_nothing() {
        let variable = |address, size| Symbol { name: "x".into(), address, size, is_data: true };
        let heap = Heap::new(&[variable(0x100, 4), variable(0x110, 4)]);
        assert_eq!(heap.fault(&access(Kind::Read, 0x100, 4)), None);
        assert!(heap.fault(&access(Kind::Read, 0x104, 4)).is_some());
        assert_eq!(heap.fault(&access(Kind::Read, 0x200, 4)), None);
    }
}
