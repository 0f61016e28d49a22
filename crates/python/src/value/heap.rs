//! The arena that keeps a block's values until the block ends: nothing is freed one by one, so no long chain is ever dropped recursively.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::{Big, Bytes, Dict, Exception, Function, List, Method, Range, Run, Set, Slice, Text, Tuple};
use crate::budget::Budget;
use crate::machine::iterator::Iter;
use crate::machine::scope::Scope;

/// Where a kept `T` is.
pub(crate) struct Handle<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// A number that no other `T` has.
    pub(crate) fn index(self) -> u32 {
        self.index
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Handle<T>) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Handle<T> {}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Everything a block has made.
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
    functions: Vec<Function>,
    methods: Vec<Method>,
    exceptions: Vec<Exception>,
    scopes: Vec<Scope>,
}

/// What a heap can keep.
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
    Function => functions,
    Method => methods,
    Exception => exceptions,
    Scope => scopes,
}

impl Heap {
    /// Keeps a value until the block ends.
    pub(crate) fn keep<T: Kept>(&mut self, value: T, budget: &Budget) -> Run<Handle<T>> {
        // An arena may hold twice what is in it, and what is shared has two counts beside it.
        budget.charge(2 * size_of::<T>() + 2 * size_of::<usize>())?;
        Ok(self.push(value))
    }

    /// Keeps a scope, which holds what it charged.
    pub(crate) fn open(&mut self, scope: Scope) -> Handle<Scope> {
        self.push(scope)
    }

    fn push<T: Kept>(&mut self, value: T) -> Handle<T> {
        let arena = T::arena_mut(self);
        let index = arena.len() as u32;
        arena.push(value);
        Handle { index, of: PhantomData }
    }

    /// Gives back a scope that a finished call made and nothing else can have seen, when nothing was kept after it.
    pub(crate) fn give_back(&mut self, scope: Handle<Scope>) {
        if self.scopes.len() == scope.index as usize + 1 {
            self.scopes.pop();
        }
    }
}

impl<T: Kept> Index<Handle<T>> for Heap {
    type Output = T;

    fn index(&self, handle: Handle<T>) -> &T {
        &T::arena(self)[handle.index as usize]
    }
}

impl<T: Kept> IndexMut<Handle<T>> for Heap {
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut T::arena_mut(self)[handle.index as usize]
    }
}
