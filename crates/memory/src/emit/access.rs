//! Loads and stores. A dereference is a choice among the leaves that the pointer may point to, one edge each, so that
//! engines see which variable is accessed.

use super::{Emitter, Fallible, assigned};
use crate::code::{Base, Expr, Language, Place, Type};
use crate::layout::ADDRESS;
use crate::objects::{Bit, Leaf, LeafId, ObjectId, Storage, agree};
use crate::points::{parts, route};
use crate::terms::{and, arithmetic, as_bits, as_int, compare, constant, equal, int, is_true, not, or, read, within};
use threadwise_ir::{
    AssertionKind, BinaryOp, Command, Expr as Term, ExprKind as TermKind, Place as TermPlace, Sort, Value, VarRef,
};
use threadwise_source::Span;

/// One leaf that a place may be.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) leaf: LeafId,
    pub(crate) indices: Vec<Term>,
    /// When it is this one; nothing where there is no other.
    pub(crate) when: Option<Term>,
}

/// One way in which a step can go: when, and what it stores.
pub(crate) type Outcome = (Option<Term>, Vec<(TermPlace, Value)>);

/// The leaves that a place may be.
pub(crate) struct Access {
    pub(crate) cells: Vec<Cell>,
    pub(crate) atomic: bool,
    /// Nobody else can know of the object yet.
    pub(crate) fresh: bool,
    /// Objects that are divided among threads, of which this is a part of the running thread.
    pub(crate) own: Vec<ObjectId>,
    /// It is a variable by its name, which lives as long as anybody can name it.
    pub(crate) named: bool,
    pub(crate) span: Span,
}

/// An index that was checked, so that it can be seen to be one: what cannot fail is easier to reason about.
pub(super) fn clamped(index: Term, count: u64, span: Span) -> Term {
    match constant(&index) {
        Some(_) => index,
        None => arithmetic(BinaryOp::Mod, index, int(count as i64, span)),
    }
}

impl Emitter<'_> {
    /// Finds the leaves that a scalar place, or a library's object, may be. What a pointer or an index must be for that is
    /// checked here.
    pub(crate) fn access(&mut self, place: &Place) -> Fallible<Access> {
        let bit = self.points.bit_of(self.thread, place);
        self.access_part(place, 0, (&place.ty, bit))
    }

    /// The same for a part of the place, by its offset in it and its type.
    fn access_part(&mut self, place: &Place, part: u64, ty: (&Type, Bit)) -> Fallible<Access> {
        let cells = match &place.base {
            Base::Local(_) | Base::Global(_) => self.direct(place, part, ty)?,
            Base::Deref(pointer, pointee) => self.indirect(place, pointer, pointee, part, ty)?,
        };
        let fresh = match &place.base {
            Base::Deref(pointer, _) => self.at.is_some_and(|at| self.fresh.is_fresh(at, pointer)),
            Base::Local(_) | Base::Global(_) => false,
        };
        let named = !matches!(place.base, Base::Deref(..));
        let own = self.own_objects(&cells, place);
        Ok(Access { cells, atomic: place.atomic || self.atomic > 0, fresh, own, named, span: place.span })
    }

    fn direct(&mut self, place: &Place, part: u64, ty: (&Type, Bit)) -> Fallible<Vec<Cell>> {
        let (code, span) = (self.code, place.span);
        let whole = match &place.base {
            Base::Local(id) => self.threads.get(self.thread).flat.locals[id.index()].variable.ty.clone(),
            Base::Global(id) => code.globals[id.index()].ty.clone(),
            Base::Deref(..) => unreachable!("it is no variable"),
        };
        let route = route(code, &whole, &place.path);
        let thread = self.thread;
        let leaves = match (part, ty.0 == &place.ty) {
            (0, true) => self.points.leaves_of(thread, place),
            _ => {
                let targets = self.points.targets_of(thread, place);
                let leaf = |object: ObjectId, offset: u64| {
                    let offset = self.objects.canonical(code, object, (offset + part) as i64)?;
                    self.objects.leaf_at(code, object, offset, ty).map(|(leaf, _)| leaf)
                };
                targets.into_iter().filter_map(|target| leaf(target.object, target.offset)).collect()
            }
        };
        let mut indices = Vec::new();
        for (index, _, count) in route.indices {
            let value = as_int(self.value(index)?);
            let value = if constant(&value).is_some() { value } else { self.frozen(value, span) };
            self.check(within(&value, count), AssertionKind::Memory, span);
            if count > crate::objects::MAX_ELEMENTS && !self.is_outline {
                self.check(within(&value, crate::objects::MAX_ELEMENTS), AssertionKind::Beyond, span);
            }
            indices.push(clamped(value, count.min(crate::objects::MAX_ELEMENTS), span));
        }
        let Some(&leaf) = leaves.first() else {
            self.check(Term::bool(false, span), AssertionKind::Beyond, span);
            return Ok(Vec::new());
        };
        if self.is_vague(self.objects.leaf(leaf).object)
            && self.kept.contains_key(&leaf)
            && !self.accesses.blurred.contains(&leaf)
        {
            return Ok(vec![Cell { leaf, indices: Vec::new(), when: None }]);
        }
        // What is left of the dimensions belongs to parts that are copied element by element.
        let is_blurred = self.accesses.blurred.contains(&leaf);
        if is_blurred || self.objects.leaf(leaf).dims.len() != indices.len() || !self.fits(leaf, ty) {
            self.check(Term::bool(false, span), AssertionKind::Beyond, span);
            return Ok(Vec::new());
        }
        Ok(vec![Cell { leaf, indices, when: None }])
    }

    /// An index as it is now: a copy, if it is more than a variable.
    fn frozen(&mut self, value: Term, span: Span) -> Term {
        let is_simple = |e: &Term| match &e.kind {
            TermKind::Read(VarRef::Local(_)) => true,
            TermKind::Unary(_, inner) => matches!(inner.kind, TermKind::Read(VarRef::Local(_))),
            _ => false,
        };
        if is_simple(&value) {
            return value;
        }
        // A machine integer is kept as one, so that no number is too large.
        match &value.kind {
            TermKind::Unary(threadwise_ir::UnaryOp::Convert, inner) if inner.sort.bits().is_some() => {
                let inner = self.simple((**inner).clone(), span);
                as_int(inner)
            }
            _ => value,
        }
    }

    fn fits(&self, leaf: LeafId, seen: (&Type, Bit)) -> bool {
        let leaf = self.objects.leaf(leaf);
        leaf.bit.is_some() || agree(self.code, &leaf.ty, seen.0)
    }

    fn indirect(
        &mut self,
        place: &Place,
        pointer: &Expr,
        pointee: &Type,
        part: u64,
        ty: (&Type, Bit),
    ) -> Fallible<Vec<Cell>> {
        let (code, span, thread) = (self.code, place.span, self.thread);
        if let Some(cell) = self.element_of_any(place, pointer, part, ty)? {
            return Ok(vec![cell]);
        }
        let targets = self.points.eval(thread, pointer);
        let start = self.value(pointer)?;
        let start = self.simple(start, span);
        let route = route(code, pointee, &place.path);
        let offset = route.offset + part;
        // The pointer plus what does not depend on indices is compared with constants.
        let mut moved: Option<Term> = None;
        for (index, size, count) in route.indices {
            let value = as_int(self.value(index)?);
            // An array without a length of its own is as long as the object.
            if count > 0 {
                self.check(within(&value, count), AssertionKind::Memory, span);
            }
            let bytes = arithmetic(BinaryOp::Mul, value, int(size as i64, span));
            moved = Some(moved.map_or(bytes.clone(), |moved| arithmetic(BinaryOp::Add, moved, bytes)));
        }
        let address = match moved {
            None => start.clone(),
            Some(moved) => {
                let there = arithmetic(BinaryOp::Add, start.clone(), as_bits(moved, ADDRESS));
                self.simple(there, span)
            }
        };
        let is_unknown = !self.is_outline || self.points.may_be_unknown(thread, pointer);
        if is_unknown {
            self.is_known(&start, span);
        }
        let mut cells: Vec<Cell> = Vec::new();
        let [mut valid, mut strange, mut gone] = [(); 3].map(|()| Term::bool(false, span));
        let objects: Vec<ObjectId> = targets.iter().map(|target| target.object).collect();
        for target in &targets {
            let object = self.objects.object(target.object);
            if matches!(object.storage, Storage::Function(_)) {
                continue;
            }
            if self.is_gone(target.object, span) {
                gone = or(gone, self.is_inside(target.object, &address, span));
                continue;
            }
            // Beside a variable there is nothing of it, whatever the bytes there are seen as.
            let size = object.stride;
            if object.slots == 1 && !self.is_vague(target.object) && target.offset + offset >= size && size > 0 {
                let from = int(self.address_of(target.object) + target.offset as i64, span);
                let there = self.in_first_era(target.object, &address, span);
                gone = or(gone, equal(as_int(there), from));
                continue;
            }
            let several = objects.iter().filter(|&&other| other == target.object).count() > 1;
            let there = self.objects.canonical(code, target.object, (target.offset + offset) as i64);
            let leaf = there.and_then(|there| self.objects.leaf_at(code, target.object, there, ty));
            match leaf {
                Some((leaf, _))
                    if self.is_vague(target.object)
                        && self.kept.contains_key(&leaf)
                        && !self.accesses.blurred.contains(&leaf) =>
                {
                    valid = Term::bool(true, span);
                    if cells.iter().all(|cell| cell.leaf != leaf) {
                        cells.push(Cell { leaf, indices: Vec::new(), when: None });
                    }
                }
                Some((leaf, true))
                    if self.kept.contains_key(&leaf)
                        && !self.accesses.blurred.contains(&leaf)
                        && !self.may_be_gone(target.object) =>
                {
                    let (when, indices) = self.decode(leaf, &address, offset, several, span);
                    if cells.iter().any(|cell| cell.leaf == leaf) {
                        continue;
                    }
                    valid = or(valid, when.clone());
                    cells.push(Cell { leaf, indices, when: Some(when) });
                }
                _ => {
                    // Bytes that are seen as something else: nobody here knows what they mean.
                    let from = self.address_of(target.object);
                    let size = (object.stride * object.slots) as i64;
                    let address = self.in_first_era(target.object, &address, span);
                    let diff = arithmetic(BinaryOp::Sub, as_int(address.clone()), int(from - offset as i64, span));
                    let exact = equal(as_int(address), int(from + target.offset as i64, span));
                    let is_there = if object.slots > 1 || size > 4096 { within(&diff, size as u64) } else { exact };
                    strange = or(strange, is_there);
                }
            }
        }
        self.check(not(strange.clone()), AssertionKind::Beyond, span);
        if cells.is_empty() {
            // Nobody was seen to put an address there: unless it is null, was never set, or is of what is gone, something was
            // overlooked.
            let at = |number: i64| equal(address.clone(), Term::constant(number, address.sort, span));
            let is_nothing = or(or(at(0), at(self.indeterminate())), gone);
            match is_unknown {
                true => self.check(is_nothing, AssertionKind::Beyond, span),
                false => self.assume(is_nothing, span),
            }
        }
        self.check(or(valid, strange), AssertionKind::Memory, span);
        if let [only] = &mut cells[..]
            && !self.is_formula
        {
            only.when = None;
        }
        Ok(cells)
    }

    /// A pointer is not one of which nobody knows where it points to.
    pub(super) fn is_known(&mut self, pointer: &Term, span: Span) {
        if self.is_outline {
            // Without values nobody can tell that it is not.
            self.check(Term::bool(false, span), AssertionKind::Beyond, span);
        } else if self.has_unknown_pointers {
            let unknown = Term::constant(self.unknown(), self.pointers.sort.clone(), span);
            self.check(compare(BinaryOp::Ne, pointer.clone(), unknown), AssertionKind::Beyond, span);
        }
    }

    /// When an address plus an offset is in a leaf, and where in it.
    fn decode(&self, id: LeafId, address: &Term, offset: u64, several: bool, span: Span) -> (Term, Vec<Term>) {
        let leaf = self.objects.leaf(id);
        let address = &self.in_first_era(leaf.object, address, span);
        let first = self.address_of(leaf.object) + leaf.offset as i64 - offset as i64;
        if leaf.dims.is_empty() {
            return (equal(address.clone(), Term::constant(first, address.sort, span)), Vec::new());
        }
        let mut rest = arithmetic(BinaryOp::Sub, as_int(address.clone()), int(first, span));
        let (mut when, mut indices) = (Term::bool(true, span), Vec::new());
        let count = leaf.dims.len();
        for (number, dim) in leaf.dims.iter().enumerate() {
            let index = arithmetic(BinaryOp::Div, rest.clone(), int(dim.stride as i64, span));
            when = and(when, within(&index, dim.kept()));
            indices.push(if dim.has_any_length() {
                self.told_of(leaf.object, index)
            } else {
                clamped(index, dim.kept(), span)
            });
            if number + 1 < count || several {
                rest = arithmetic(BinaryOp::Mod, rest, int(dim.stride as i64, span));
            }
        }
        if several {
            when = and(when, equal(rest, int(0, span)));
        }
        // The elements of a pool's object come behind the number of the object.
        let is_pool = self.objects.object(leaf.object).slots > 1;
        let slot = if is_pool { indices[0].clone() } else { int(0, span) };
        if let Some((_, count)) = self.count_of(leaf.object, slot, span) {
            when = and(when, compare(BinaryOp::Lt, indices[usize::from(is_pool)].clone(), as_int(count)));
        }
        (when, indices)
    }

    pub(crate) fn place_of(&self, var: VarRef, indices: &[Term], sort: &Sort, span: Span) -> TermPlace {
        TermPlace { var, indices: indices.into(), sort: sort.into(), span }
    }

    pub(crate) fn read_at(&self, var: VarRef, leaf: &Leaf, element: &Sort, indices: &[Term], span: Span) -> Term {
        let mut sort = self.pointers.sort_of(leaf, element.clone());
        let mut value = read(var, &sort, span);
        for index in indices {
            let Sort::Array(_, inner) = &sort else { unreachable!("there are as many indices as dimensions") };
            sort = (**inner).clone();
            value = Term::new(TermKind::Index(Box::new(value), Box::new(index.clone())), &sort, span);
        }
        value
    }

    /// Whether the object of a cell is alive, where that can end.
    fn alive(&self, cell: &Cell, span: Span) -> Option<Term> {
        let leaf = self.objects.leaf(cell.leaf);
        let alive = *self.alive.get(&leaf.object)?;
        let slots = self.objects.object(leaf.object).slots;
        let slot = if slots > 1 { cell.indices[0].clone() } else { int(0, span) };
        let sort = Sort::array(Sort::Range(0, slots as i64 - 1), Sort::Bool);
        let flags = read(VarRef::Shared(alive), sort, span);
        Some(Term::new(TermKind::Index(Box::new(flags), Box::new(slot)), Sort::Bool, span))
    }

    /// Takes a step to each cell, all to the same location. Other threads see it if they can reach one of them.
    pub(crate) fn each_cell(&mut self, access: &Access, act: &mut dyn FnMut(&Emitter<'_>, &Cell) -> Vec<Outcome>) {
        let span = access.span;
        if access.cells.iter().any(|cell| self.visible.contains(&cell.leaf)) {
            self.seen();
        }
        let to = self.fresh(span);
        let from = self.here;
        for cell in &access.cells {
            let alive = self.alive(cell, span).filter(|_| !access.named);
            for (condition, assignments) in act(self, cell) {
                let told = self.told_access(cell.leaf, &assignments);
                let guard = match (cell.when.clone(), condition) {
                    (Some(when), Some(condition)) => Some(and(when, condition)),
                    (when, condition) => when.or(condition),
                };
                let mut command = Command { guard: guard.clone().map(Box::new), ..assigned(assignments) };
                if let Some(alive) = alive.clone().filter(|alive| !is_true(alive)) {
                    if self.looks_for(AssertionKind::Memory) {
                        let unless = guard.clone().map_or(alive.clone(), |guard| or(not(guard), alive.clone()));
                        command.assertions = self.assertions(unless, AssertionKind::Memory, span);
                    } else {
                        let ends = guard.clone().map_or(not(alive.clone()), |guard| and(guard, not(alive.clone())));
                        self.stop_when(from, ends, span);
                    }
                    let both = guard.map_or(alive.clone(), |guard| and(guard, alive));
                    command.guard = Some(Box::new(both));
                }
                let (writes, before) = (self.writes_to(cell.leaf, &command), self.edges.len());
                self.say_once(told, |emitter| emitter.edge(from, to, command, span, None));
                self.mark_atomic(access.atomic);
                if self.edges.len() > before {
                    self.own_edges.extend(access.fresh.then_some(before));
                    if !self.is_second_half {
                        self.accessed(cell, writes);
                    }
                }
            }
        }
        self.wording = None;
        self.here = to;
    }

    fn mark_atomic(&mut self, atomic: bool) {
        if let Some(edge) = self.edges.last_mut() {
            edge.atomic = atomic;
        }
    }

    pub(crate) fn load(&mut self, place: &Place) -> Fallible<Term> {
        if self.is_formula
            && let Some(value) = self.load_after(place)?
        {
            return Ok(value);
        }
        if self.is_formula
            && let Some(object) = self.only_object(place)
        {
            return Ok(object);
        }
        let access = self.access(place)?;
        self.accessing("load", place);
        Ok(self.load_from(&access, &place.ty))
    }

    fn load_from(&mut self, access: &Access, ty: &Type) -> Term {
        let span = access.span;
        let sort = self.sort_of_type(ty);
        access.cells.iter().for_each(|cell| self.choose_late(cell, span));
        if let [cell] = &access.cells[..]
            && (self.is_formula || !self.visible.contains(&cell.leaf))
            && cell.when.is_none()
            && !self.alive.contains_key(&self.objects.leaf(cell.leaf).object)
            && (self.kept[&cell.leaf].is_set.is_none() || self.late.contains(&cell.leaf))
            && !self.is_vague_cell(cell)
        {
            self.wording = None;
            return self.seen_as(cell, ty, span);
        }
        if access.cells.is_empty() {
            self.wording = None;
            return Term::constant(0, sort, span);
        }
        if self.is_formula && self.code.language == Language::Java {
            self.wording = None;
            let nothing = Term::constant(0, &sort, span);
            return self.chosen(access, nothing, &|emitter, cell| emitter.seen_as(cell, ty, span));
        }
        if self.is_in_halves(access) {
            return self.load_in_halves(access, &sort);
        }
        let temporary = VarRef::Local(self.temporary(&sort, span));
        let ty = ty.clone();
        self.each_cell(access, &mut |emitter, cell| {
            let place = || emitter.place_of(temporary, &[], &sort, span);
            if emitter.is_vague_cell(cell) {
                return emitter.vague_load(cell, access, place());
            }
            let value = emitter.seen_as(cell, &ty, span);
            let kept = &emitter.kept[&cell.leaf];
            match kept.is_set {
                None => vec![(None, vec![(place(), Value::Of(value))])],
                Some(flags) => {
                    let leaf = emitter.objects.leaf(cell.leaf);
                    let is_set = emitter.read_at(flags, leaf, &Sort::Bool, &cell.indices, span);
                    let any = match &ty {
                        _ if emitter.is_zeroed(leaf.object) => Value::Of(Term::constant(0, &sort, span)),
                        Type::Pointer => {
                            Value::Of(Term::constant(emitter.indeterminate(), emitter.pointers.sort.clone(), span))
                        }
                        Type::Int(_) => Value::Any,
                        _ => Value::Of(Term::constant(0, &sort, span)),
                    };
                    vec![
                        (Some(is_set.clone()), vec![(place(), Value::Of(value))]),
                        (Some(not(is_set)), vec![(place(), any)]),
                    ]
                }
            }
        });
        read(temporary, sort, span)
    }

    /// What is in a cell, as a value of a type.
    pub(super) fn seen_as(&self, cell: &Cell, ty: &Type, span: Span) -> Term {
        let (kept, leaf) = (&self.kept[&cell.leaf], self.objects.leaf(cell.leaf));
        let value = self.read_at(kept.var, leaf, &kept.element, &cell.indices, span);
        self.changed(value, &self.sort_of_type(ty))
    }

    /// A value of a sort as one of another sort that is as large.
    pub(super) fn changed(&self, value: Term, sort: &Sort) -> Term {
        match sort {
            Sort::Bits(bits) if value.sort.is_integer() => as_bits(value, *bits),
            _ => value,
        }
    }

    pub(crate) fn store(&mut self, access: &Access, value: Value) {
        let span = access.span;
        if access.cells.is_empty() {
            self.wording = None;
            return;
        }
        if let Value::Of(value) = &value
            && self.is_in_halves(access)
        {
            return self.store_in_halves(access, value);
        }
        self.each_cell(access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return emitter.vague_store(cell, access);
            }
            let kept = &emitter.kept[&cell.leaf];
            let value = match &value {
                Value::Of(e) => Value::Of(emitter.changed(e.clone(), &kept.element)),
                Value::Any => Value::Any,
            };
            let mut assignments = vec![(emitter.place_of(kept.var, &cell.indices, &kept.element, span), value)];
            if let Some(flags) = kept.is_set {
                let place = emitter.place_of(flags, &cell.indices, &Sort::Bool, span);
                assignments.push((place, Value::Of(Term::bool(true, span))));
            }
            vec![(None, assignments)]
        });
    }

    /// A text in the program, or a variable that is constant, must not be changed. In outlines, which do not know where pointers
    /// point, it is left to the program itself.
    fn may_be_stored_to(&mut self, access: &Access) {
        let is_read_only = |cell: &&Cell| match self.objects.object(self.objects.leaf(cell.leaf).object).storage {
            Storage::Global(id) => self.code.globals[id.index()].is_read_only,
            _ => false,
        };
        if self.is_outline {
            return;
        }
        let wrong: Vec<Option<Term>> = access.cells.iter().filter(is_read_only).map(|cell| cell.when.clone()).collect();
        for when in wrong {
            let is_other = when.map_or(Term::bool(false, access.span), not);
            self.check(is_other, AssertionKind::Memory, access.span);
        }
    }

    pub(super) fn assign(&mut self, to: &Place, value: &Expr, span: Span) -> Fallible<()> {
        let access = Access { span, ..self.access(to)? };
        self.may_be_stored_to(&access);
        // Any value of a part of memory is chosen there.
        if let (crate::code::ExprKind::Any, Type::Int(_)) = (&value.kind, &to.ty) {
            self.accessing("store", to);
            let first = self.edges.len();
            self.store(&access, Value::Any);
            self.chose_any(first);
            return Ok(());
        }
        let value = self.value(value)?;
        let value = self.fitted(value, &self.sort_of_type(&to.ty));
        self.accessing("store", to);
        self.store(&access, Value::Of(value));
        Ok(())
    }

    /// Copies an object part by part; arrays element by element.
    pub(super) fn copy(&mut self, to: &Place, from: &Place, span: Span) -> Fallible<()> {
        for (part, ty, bit) in self.elements(&to.ty) {
            if !ty.is_scalar() {
                continue;
            }
            let source = self.scalar_part(from, &part, (&ty, bit))?;
            self.accessing("load", from);
            if self.tells_unset(&source) && self.is_told_unset(to, &part, (&ty, bit))? {
                let (value, is_set) = self.load_with_flag(&source, &ty);
                let target = Access { span, ..self.scalar_part(to, &part, (&ty, bit))? };
                self.accessing("store", to);
                self.store_with_flag(&target, value, is_set);
                continue;
            }
            let value = self.load_from(&source, &ty);
            let target = Access { span, ..self.scalar_part(to, &part, (&ty, bit))? };
            self.may_be_stored_to(&target);
            self.accessing("store", to);
            self.store(&target, Value::Of(value));
        }
        Ok(())
    }

    /// Whether all leaves that are accessed tell whether they have been set.
    fn tells_unset(&self, access: &Access) -> bool {
        let has_flags = |cell: &Cell| self.has_flags(cell.leaf);
        !access.cells.is_empty() && access.cells.iter().all(has_flags)
    }

    /// The same of a place that is not accessed yet.
    fn is_told_unset(&mut self, place: &Place, part: &(u64, Vec<u64>), ty: (&Type, Bit)) -> Fallible<bool> {
        let (code, thread) = (self.code, self.thread);
        let targets = self.points.targets_of(thread, place);
        let leaf = |target: &crate::points::Target| {
            let there = self.objects.canonical(code, target.object, (target.offset + part.0) as i64)?;
            self.objects.leaf_at(code, target.object, there, ty).map(|(leaf, _)| leaf)
        };
        let has_flags = |target| leaf(target).is_some_and(|leaf| self.has_flags(leaf));
        Ok(!targets.is_empty() && targets.iter().all(has_flags))
    }

    /// Whether a leaf tells whether it has been set, and has any value if not.
    fn has_flags(&self, leaf: LeafId) -> bool {
        let is_any = !self.is_zeroed(self.objects.leaf(leaf).object);
        is_any && self.kept.get(&leaf).is_some_and(|kept| kept.is_set.is_some())
    }

    /// What is in memory, and whether that was ever set: what was not is copied as such.
    fn load_with_flag(&mut self, access: &Access, ty: &Type) -> (Term, Term) {
        let (span, sort) = (access.span, self.sort_of_type(ty));
        let (value, flag) =
            (VarRef::Local(self.temporary(&sort, span)), VarRef::Local(self.temporary(&Sort::Bool, span)));
        self.each_cell(access, &mut |emitter, cell| {
            let leaf = emitter.objects.leaf(cell.leaf);
            let flags = emitter.kept[&cell.leaf].is_set.expect("it tells whether it was set");
            let is_set = emitter.read_at(flags, leaf, &Sort::Bool, &cell.indices, span);
            let seen = emitter.seen_as(cell, ty, span);
            let assignments = vec![
                (emitter.place_of(value, &[], &sort, span), Value::Of(seen)),
                (emitter.place_of(flag, &[], &Sort::Bool, span), Value::Of(is_set)),
            ];
            vec![(None, assignments)]
        });
        (read(value, &sort, span), read(flag, Sort::Bool, span))
    }

    fn store_with_flag(&mut self, access: &Access, value: Term, is_set: Term) {
        let span = access.span;
        self.each_cell(access, &mut |emitter, cell| {
            let kept = &emitter.kept[&cell.leaf];
            let flags = kept.is_set.expect("it tells whether it was set");
            let changed = emitter.changed(value.clone(), &kept.element);
            let assignments = vec![
                (emitter.place_of(kept.var, &cell.indices, &kept.element, span), Value::Of(changed)),
                (emitter.place_of(flags, &cell.indices, &Sort::Bool, span), Value::Of(is_set.clone())),
            ];
            vec![(None, assignments)]
        });
    }

    pub(super) fn clear(&mut self, place: &Place, span: Span) -> Fallible<()> {
        for (part, ty, bit) in self.elements(&place.ty) {
            if !ty.is_scalar() {
                continue;
            }
            let sort = self.sort_of_type(&ty);
            let target = Access { span, ..self.scalar_part(place, &part, (&ty, bit))? };
            let value = Term::constant(0, sort, span);
            self.may_be_stored_to(&target);
            self.accessing("store", place);
            self.store(&target, Value::Of(value));
        }
        Ok(())
    }

    /// A scalar part of a place: where it has elements, by their indices.
    fn scalar_part(&mut self, place: &Place, part: &(u64, Vec<u64>), ty: (&Type, Bit)) -> Fallible<Access> {
        let (offset, indices) = part;
        let mut access = self.access_elements(place, *offset, ty)?;
        for cell in &mut access.cells {
            if self.is_vague_cell(cell) {
                continue;
            }
            let missing = self.objects.leaf(cell.leaf).dims.len() - cell.indices.len();
            let last = &indices[indices.len() - missing..];
            cell.indices.extend(last.iter().map(|&index| int(index as i64, place.span)));
        }
        Ok(access)
    }

    fn access_elements(&mut self, place: &Place, offset: u64, ty: (&Type, Bit)) -> Fallible<Access> {
        if matches!(place.base, Base::Deref(..)) {
            return self.access_part(place, offset, ty);
        }
        // A variable: what indices the path does not give, the part gives.
        let code = self.code;
        let thread = self.thread;
        let targets = self.points.targets_of(thread, place);
        let leaf = targets.iter().next().and_then(|target| {
            let there = self.objects.canonical(code, target.object, (target.offset + offset) as i64)?;
            self.objects.leaf_at(code, target.object, there, ty).map(|(leaf, _)| leaf)
        });
        let whole = match &place.base {
            Base::Local(id) => self.threads.get(thread).flat.locals[id.index()].variable.ty.clone(),
            Base::Global(id) => code.globals[id.index()].ty.clone(),
            Base::Deref(..) => unreachable!("it is no variable"),
        };
        let mut indices = Vec::new();
        for (index, _, count) in route(code, &whole, &place.path).indices {
            let value = as_int(self.value(index)?);
            self.check(within(&value, count), AssertionKind::Memory, place.span);
            indices.push(clamped(value, count.min(crate::objects::MAX_ELEMENTS), place.span));
        }
        if leaf.is_none_or(|leaf| !self.fits(leaf, ty) || self.accesses.blurred.contains(&leaf)) {
            self.check(Term::bool(false, place.span), AssertionKind::Beyond, place.span);
        }
        let cells = leaf.filter(|leaf| self.kept.contains_key(leaf)).map(|leaf| {
            let is_vague = self.is_vague(self.objects.leaf(leaf).object);
            Cell { leaf, indices: if is_vague { Vec::new() } else { indices }, when: None }
        });
        let atomic = place.atomic || self.atomic > 0;
        Ok(Access {
            cells: cells.into_iter().collect(),
            atomic,
            fresh: false,
            own: Vec::new(),
            named: true,
            span: place.span,
        })
    }

    /// The scalars of a type by offset and, where they are in arrays, by indices: all elements one by one.
    fn elements(&self, ty: &Type) -> Vec<((u64, Vec<u64>), Type, Bit)> {
        match ty {
            Type::Array(element, count) => {
                let inner = self.elements(element);
                let size = self.code.size_of(element);
                let each = |index: u64| {
                    inner.iter().map(move |((offset, indices), ty, bit)| {
                        let indices = [&[index], &indices[..]].concat();
                        ((offset + index * size, indices), ty.clone(), *bit)
                    })
                };
                (0..(*count).min(crate::objects::MAX_ELEMENTS)).flat_map(each).collect()
            }
            Type::Struct(id) => {
                let mut all = Vec::new();
                for (field, number) in self.code.structs[id.index()].fields.iter().zip(0..) {
                    let own = field.bit_unit.map(|_| (*id, number));
                    for ((offset, indices), ty, bit) in self.elements(&field.ty) {
                        all.push(((field.offset + offset, indices), ty, bit.or(own)));
                    }
                }
                all
            }
            _ => parts(self.code, ty).into_iter().map(|(offset, ty, bit)| ((offset, Vec::new()), ty, bit)).collect(),
        }
    }

    /// Whether an address is in an object.
    fn is_inside(&self, id: ObjectId, address: &Term, span: Span) -> Term {
        let object = self.objects.object(id);
        if self.is_vague(id) {
            return Term::bool(true, span);
        }
        let bytes = arithmetic(BinaryOp::Sub, as_int(address.clone()), int(self.address_of(id), span));
        within(&bytes, object.extent().max(1))
    }

    /// Stores any value in a leaf where a condition holds, and does nothing elsewhere.
    fn store_any_where(&mut self, leaf: LeafId, condition: Term, span: Span) {
        let (from, is_sure) = (self.here, is_true(&condition));
        let cell = Cell { leaf, indices: Vec::new(), when: (!is_sure).then(|| condition.clone()) };
        self.store(
            &Access { cells: vec![cell], atomic: false, fresh: false, own: Vec::new(), named: false, span },
            Value::Any,
        );
        if !is_sure {
            self.edge(from, self.here, super::guarded(not(condition)), span, None);
        }
    }

    /// A function that nobody knows: it gives any value, and what it is given pointers to may have any value after.
    pub(super) fn unknown_function(&mut self, args: &[Expr], result: Option<&Place>, span: Span) -> Fallible<()> {
        let thread = self.thread;
        for arg in args {
            let targets = self.points.eval(thread, arg);
            if targets.is_empty() {
                self.evaluate(arg)?;
                continue;
            }
            let value = self.value(arg)?;
            let value = self.simple(value, span);
            let is_function = |object: ObjectId| matches!(self.objects.object(object).storage, Storage::Function(_));
            if targets.iter().any(|target| is_function(target.object)) {
                // It may call it.
                self.check(Term::bool(false, span), AssertionKind::Beyond, span);
            }
            let leaves: Vec<LeafId> =
                targets.iter().flat_map(|target| self.objects.object(target.object).leaves.clone()).collect();
            for leaf in leaves {
                let Some(kept) = self.kept.get(&leaf).cloned() else { continue };
                let of = self.objects.leaf(leaf).clone();
                let is_any = of.dims.is_empty() || self.is_vague(of.object);
                if is_any && matches!(of.ty, Type::Int(_)) {
                    let is_there = self.is_inside(of.object, &value, span);
                    self.store_any_where(leaf, is_there, span);
                } else if of.ty.is_scalar() && !matches!(kept.element, Sort::Range(0, 0)) {
                    self.check(Term::bool(false, span), AssertionKind::Beyond, span);
                }
            }
        }
        if let Some(place) = result {
            let access = Access { span, ..self.access(place)? };
            match &place.ty {
                Type::Int(_) => {
                    let first = self.edges.len();
                    self.store(&access, Value::Any);
                    self.chose_any(first);
                }
                ty => {
                    let value = self.anything(&ty.clone(), span);
                    self.store(&access, Value::Of(value));
                }
            }
        }
        Ok(())
    }
}
