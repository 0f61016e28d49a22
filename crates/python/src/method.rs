//! The methods of builtin values, one table per class.

pub(crate) mod dict;
mod list;
mod number;
mod set;
pub(crate) mod string;
mod string_case;
mod string_pad;
mod string_search;
mod string_split;

use crate::builtin::Native;
use crate::value::Class;

/// Returns the methods of a class.
pub(crate) fn tables(class: Class) -> &'static [&'static [Native]] {
    match class {
        Class::Str => &STRING,
        Class::List => &LIST,
        Class::Tuple | Class::Range => &SEQUENCE,
        Class::Dict => &DICT,
        Class::Set => &SET,
        Class::Int | Class::Bool => &INT,
        Class::Float => &FLOAT,
        Class::Bytes => &BYTES,
        _ => &[],
    }
}

static STRING: [&[Native]; 5] = [
    string::METHODS,
    string_case::METHODS,
    string_pad::METHODS,
    string_search::METHODS,
    string_split::METHODS,
];
static LIST: [&[Native]; 2] = [list::METHODS, list::SEQUENCE_METHODS];
static SEQUENCE: [&[Native]; 1] = [list::SEQUENCE_METHODS];
static DICT: [&[Native]; 1] = [dict::METHODS];
static SET: [&[Native]; 1] = [set::METHODS];
static INT: [&[Native]; 1] = [number::INT_METHODS];
static FLOAT: [&[Native]; 1] = [number::FLOAT_METHODS];
static BYTES: [&[Native]; 1] = [number::BYTES_METHODS];
