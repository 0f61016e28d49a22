//! The classes of values, both as names (`int`) and in messages (`'int' object is not callable`).

use super::{DictView, ExceptionKind, Heap, HeapRef, Value};
use crate::machine::iterator::Iter;

/// A class: a builtin type or an exception class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    NoneType,
    Ellipsis,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    List,
    Tuple,
    Dict,
    Keys,
    Values,
    Items,
    Set,
    Range,
    Slice,
    Function,
    Builtin,
    MethodDescriptor,
    Type,
    Enumerate,
    Filter,
    Map,
    Reversed,
    Zip,
    Generator,
    /// A container's iterator, by the name of its type.
    Iterator(&'static str),
    Exception(ExceptionKind),
}

impl Class {
    /// The classes that a block can name, exceptions aside.
    pub(crate) const NAMED: [Class; 14] = [
        Class::Bool,
        Class::Dict,
        Class::Enumerate,
        Class::Filter,
        Class::Float,
        Class::Int,
        Class::List,
        Class::Map,
        Class::Range,
        Class::Reversed,
        Class::Set,
        Class::Str,
        Class::Tuple,
        Class::Zip,
    ];

    /// Returns the class with this name.
    pub(crate) fn named(name: &str) -> Option<Class> {
        let builtin = Self::NAMED.iter().copied().find(|class| class.name() == name);
        builtin.or_else(|| ExceptionKind::named(name).map(Class::Exception))
    }

    /// Returns the class's `__name__`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::NoneType => "NoneType",
            Class::Ellipsis => "ellipsis",
            Class::Bool => "bool",
            Class::Int => "int",
            Class::Float => "float",
            Class::Str => "str",
            Class::Bytes => "bytes",
            Class::List => "list",
            Class::Tuple => "tuple",
            Class::Dict => "dict",
            Class::Keys => "dict_keys",
            Class::Values => "dict_values",
            Class::Items => "dict_items",
            Class::Set => "set",
            Class::Range => "range",
            Class::Slice => "slice",
            Class::Function => "function",
            Class::Builtin => "builtin_function_or_method",
            Class::MethodDescriptor => "method_descriptor",
            Class::Type => "type",
            Class::Enumerate => "enumerate",
            Class::Filter => "filter",
            Class::Map => "map",
            Class::Reversed => "reversed",
            Class::Zip => "zip",
            Class::Generator => "generator",
            Class::Iterator(name) => name,
            Class::Exception(kind) => kind.name(),
        }
    }

    /// Returns the class of a value.
    pub(crate) fn of(value: Value, heap: &Heap) -> Class {
        match value {
            Value::None => Class::NoneType,
            Value::Ellipsis => Class::Ellipsis,
            Value::Bool(_) => Class::Bool,
            Value::Int(_) | Value::Big(_) => Class::Int,
            Value::Float(_) => Class::Float,
            Value::Str(_) => Class::Str,
            Value::Bytes(_) => Class::Bytes,
            Value::List(_) => Class::List,
            Value::Tuple(_) => Class::Tuple,
            Value::Dict(_) => Class::Dict,
            Value::View(DictView::Keys, _) => Class::Keys,
            Value::View(DictView::Values, _) => Class::Values,
            Value::View(DictView::Items, _) => Class::Items,
            Value::Set(_) => Class::Set,
            Value::Range(_) => Class::Range,
            Value::Slice(_) => Class::Slice,
            Value::Iterator(handle) => Self::of_iterator(handle, heap),
            Value::Function(_) | Value::Host(_) => Class::Function,
            Value::Method(handle) if heap[handle].receiver.is_none() => Class::MethodDescriptor,
            Value::Native(_) | Value::Method(_) => Class::Builtin,
            Value::Class(_) => Class::Type,
            Value::Exception(handle) => Class::Exception(heap[handle].kind),
        }
    }

    fn of_iterator(handle: HeapRef<Iter>, heap: &Heap) -> Class {
        heap[handle].class()
    }

    /// Checks whether this class is the other one or derives from it.
    pub(crate) fn is_a(self, other: Class) -> bool {
        match (self, other) {
            (Class::Exception(kind), Class::Exception(other)) => kind.is_a(other),
            (Class::Bool, Class::Int) => true,
            _ => self == other,
        }
    }
}
