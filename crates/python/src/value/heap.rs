//! The arena that keeps a block's values until the block ends. Values are not freed one by one, so no long chain is
//! ever dropped recursively.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::{Big, Bytes, Closure, Dict, Eval, Exception, List, Method, Range, Set, Slice, Text, Tuple};
use crate::budget::Budget;
use crate::machine::iterator::Iter;
use crate::machine::scope::Scope;

/// A reference to a kept `T`.
pub(crate) struct HeapRef<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> HeapRef<T> {
    /// Returns a number that no other `T` has.
    pub(crate) fn index(self) -> u32 {
        self.index
    }
}

impl<T> Clone for HeapRef<T> {
    fn clone(&self) -> HeapRef<T> {
        *self
    }
}

impl<T> Copy for HeapRef<T> {}

impl<T> PartialEq for HeapRef<T> {
    fn eq(&self, other: &HeapRef<T>) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for HeapRef<T> {}

impl<T> fmt::Debug for HeapRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Everything a block has created.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    integers: Vec<Big>,
    texts: Vec<Text>,
    bytes: Vec<Bytes>,
    lists: Vec<List>,
    tuples: Vec<Tuple>,
    dicts: Vec<Dict>,
    sets: Vec<Set>,
    ranges: Vec<Range>,
    slices: Vec<Slice>,
    iterators: Vec<Iter>,
    functions: Vec<Closure>,
    methods: Vec<Method>,
    exceptions: Vec<Exception>,
    scopes: Vec<Scope>,
}

/// A type whose values a heap can keep.
pub(crate) trait Kept: Sized {
    fn arena(heap: &Heap) -> &Vec<Self>;
    fn arena_mut(heap: &mut Heap) -> &mut Vec<Self>;
}

macro_rules! kept {
    ($($kept:ty => $arena:ident),* $(,)?) => {
        $(impl Kept for $kept {
            fn arena(heap: &Heap) -> &Vec<Self> {
                &heap.$arena
            }
            fn arena_mut(heap: &mut Heap) -> &mut Vec<Self> {
                &mut heap.$arena
            }
        })*
    };
}

kept! {
    Big => integers,
    Text => texts,
    Bytes => bytes,
    List => lists,
    Tuple => tuples,
    Dict => dicts,
    Set => sets,
    Range => ranges,
    Slice => slices,
    Iter => iterators,
    Closure => functions,
    Method => methods,
    Exception => exceptions,
    Scope => scopes,
}

impl Heap {
    /// Keeps a value until the block ends.
    pub(crate) fn keep<T: Kept>(&mut self, value: T, budget: &Budget) -> Eval<HeapRef<T>> {
        // An arena can allocate twice the size of its contents, and a shared value has two reference counts next to it.
        budget.charge(2 * size_of::<T>() + 2 * size_of::<usize>())?;
        Ok(self.push(value))
    }

    /// Keeps a scope, which has already been charged for.
    pub(crate) fn open(&mut self, scope: Scope) -> HeapRef<Scope> {
        self.push(scope)
    }

    fn push<T: Kept>(&mut self, value: T) -> HeapRef<T> {
        let arena = T::arena_mut(self);
        let index = arena.len() as u32;
        arena.push(value);
        HeapRef { index, of: PhantomData }
    }

    /// Frees the scope of a finished call if it is the last scope kept. Nothing else may have captured this scope.
    pub(crate) fn give_back(&mut self, scope: HeapRef<Scope>) {
        if self.scopes.len() == scope.index as usize + 1 {
            self.scopes.pop();
        }
    }
}

impl<T: Kept> Index<HeapRef<T>> for Heap {
    type Output = T;

    fn index(&self, handle: HeapRef<T>) -> &T {
        &T::arena(self)[handle.index as usize]
    }
}

impl<T: Kept> IndexMut<HeapRef<T>> for Heap {
    fn index_mut(&mut self, handle: HeapRef<T>) -> &mut T {
        &mut T::arena_mut(self)[handle.index as usize]
    }
}
