//! Lists and tuples. Accessing one item is free; passing over all of them is charged by length.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::{Eval, Value};
use crate::budget::{Budget, Reserved};

/// A list of values: one that the model created, the arguments of a call, or an intermediate result. The list's charge
/// is released when the list is dropped.
#[derive(Debug)]
pub(crate) struct List {
    items: Vec<Value>,
    room: Reserved,
}

impl List {
    /// A growing list can allocate twice the space of its items.
    const ITEM_BYTES: usize = 2 * size_of::<Value>();

    pub(crate) fn new(budget: &Budget) -> Eval<List> {
        Ok(List {
            items: Vec::new(),
            room: budget.reserve(0)?,
        })
    }

    pub(crate) fn copy(items: &[Value], budget: &Budget) -> Eval<List> {
        let mut list = List::new(budget)?;
        list.extend(items)?;
        Ok(list)
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn get(&self, place: usize) -> Option<Value> {
        self.items.get(place).copied()
    }

    pub(crate) fn set(&mut self, place: usize, value: Value) {
        if let Some(item) = self.items.get_mut(place) {
            *item = value;
        }
    }

    /// Returns the items, charging for one pass over them.
    pub(crate) fn read(&self) -> Eval<&[Value]> {
        self.room.budget().walk(self.items.len())?;
        Ok(&self.items)
    }

    /// Returns a new list of the same items.
    pub(crate) fn again(&self) -> Eval<List> {
        List::copy(&self.items, self.room.budget())
    }

    pub(crate) fn push(&mut self, value: Value) -> Eval<()> {
        self.make_room(self.items.len() + 1)?;
        self.room.budget().walk(1)?;
        self.items.push(value);
        Ok(())
    }

    pub(crate) fn extend(&mut self, items: &[Value]) -> Eval<()> {
        self.make_room(self.items.len() + items.len())?;
        self.room.budget().walk(items.len())?;
        self.items.extend_from_slice(items);
        Ok(())
    }

    /// Repeats the items this many times.
    pub(crate) fn repeat(&mut self, times: usize) -> Eval<()> {
        let len = self.items.len().saturating_mul(times);
        self.make_room(len)?;
        self.room.budget().walk(len)?;
        self.items = self.items.repeat(times);
        self.shrink();
        Ok(())
    }

    pub(crate) fn insert(&mut self, place: usize, value: Value) -> Eval<()> {
        self.room.budget().scan(size_of_val(&self.items[place..]))?;
        self.push(value)?;
        self.items[place..].rotate_right(1);
        Ok(())
    }

    /// Removes the item at this index, which must be in range.
    pub(crate) fn remove(&mut self, place: usize) -> Eval<Value> {
        self.room.budget().scan(size_of_val(&self.items[place..]))?;
        let removed = self.items.remove(place);
        self.shrink();
        Ok(removed)
    }

    /// Replaces a run of items with others.
    pub(crate) fn splice(&mut self, run: Range<usize>, with: &[Value]) -> Eval<()> {
        let len = self.items.len() + with.len();
        self.make_room(len)?;
        self.room.budget().walk(len)?;
        self.items.splice(run, with.iter().copied());
        self.shrink();
        Ok(())
    }

    /// Removes the items at these indices.
    pub(crate) fn remove_all(&mut self, places: impl Iterator<Item = usize>) -> Eval<()> {
        let budget = self.room.budget();
        let _room = budget.reserve(self.items.len())?;
        budget.walk(2 * self.items.len())?;
        let mut keep = vec![true; self.items.len()];
        places.for_each(|place| keep[place] = false);
        let mut keep = keep.into_iter();
        self.items.retain(|_| keep.next().unwrap_or(true));
        self.shrink();
        Ok(())
    }

    pub(crate) fn reverse(&mut self) -> Eval<()> {
        self.room.budget().walk(self.items.len())?;
        self.items.reverse();
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.shrink();
    }

    /// Takes all items out of this list and returns them.
    pub(crate) fn take(&mut self) -> Eval<List> {
        let empty = List::new(self.room.budget())?;
        Ok(std::mem::replace(self, empty))
    }

    /// Returns the items as a plain vector, which stays charged while the reservation lives.
    pub(crate) fn into_parts(self) -> (Vec<Value>, Reserved) {
        (self.items, self.room)
    }

    /// Charges for a list of this length.
    fn make_room(&mut self, len: usize) -> Eval<()> {
        Ok(self.room.grow_to(len.saturating_mul(Self::ITEM_BYTES))?)
    }

    /// Frees unused memory once there is a lot of it.
    fn shrink(&mut self) {
        const LITTLE: usize = 64;
        if self.items.capacity() > LITTLE && self.items.capacity() > 4 * self.items.len() {
            self.items.shrink_to(self.items.len());
            self.room.shrink_to(self.items.len() * Self::ITEM_BYTES);
        }
    }
}

/// A tuple's items.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    items: Rc<[Value]>,
    /// The number of its key, once computed.
    pub(super) key: Cell<Option<u32>>,
}

impl Tuple {
    pub(crate) fn copy(items: &[Value], budget: &Budget) -> Eval<Tuple> {
        budget.charge(size_of_val(items))?;
        budget.walk(items.len())?;
        Ok(Tuple {
            items: Rc::from(items),
            key: Cell::new(None),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn get(&self, place: usize) -> Option<Value> {
        self.items.get(place).copied()
    }

    /// Returns the items, charging for one pass over them.
    pub(crate) fn read(&self, budget: &Budget) -> Eval<Rc<[Value]>> {
        budget.walk(self.items.len())?;
        Ok(Rc::clone(&self.items))
    }
}
