//! An interpreter for short blocks of Python that can reach only what their host offers.
//!
//! Pure: no I/O, no async, and no clock apart from the time limit. It has `CPython` 3.11's semantics and error
//! messages. It omits classes, generator functions, `async`, imports, and everything that reaches outside the block.
//!
//! In reading order: [`host`] is everything that a block can reach, [`run()`] runs a block within its [`Limits`],
//! [`failure`] describes how it failed, [`literal`] reads a single call without running anything, and [`signature`]
//! binds arguments to parameters. The interpreter: `syntax` parses and checks, `value` is the data, `budget` charges
//! for work, `machine` walks the tree, and `builtin`, `method` and `text` implement what values can do.
//!
//! ```
//! use std::ops::Range;
//!
//! use franz_python::{Arg, Builtins, CallRefusal, Host, HostFunction, Limits};
//!
//! /// Offers one function, and keeps what it was called with.
//! #[derive(Default)]
//! struct Shop {
//!     sold: Vec<Vec<Arg>>,
//! }
//!
//! impl Host for Shop {
//!     fn find(&self, name: &str) -> Option<usize> {
//!         (name == "sell").then_some(0)
//!     }
//!     fn describe(&self, _function: usize) -> HostFunction {
//!         HostFunction { name: "sell", doc: "sell something" }
//!     }
//!     fn call(
//!         &mut self,
//!         _function: usize,
//!         _at: Range<usize>,
//!         args: Vec<Arg>,
//!         _named: Vec<(String, Arg)>,
//!     ) -> Result<(), CallRefusal> {
//!         self.sold.push(args);
//!         Ok(())
//!     }
//! }
//!
//! let mut shop = Shop::default();
//! let ran = franz_python::run("for i in range(3): sell(i)", &mut shop, Builtins::Safe, &Limits::default());
//! assert!(ran.failure().is_none());
//! assert_eq!(shop.sold.len(), 3);
//! ```
#![forbid(unsafe_code)]

mod budget;
mod builtin;
pub mod failure;
pub mod host;
mod limits;
pub mod literal;
mod machine;
mod method;
mod output;
pub mod run;
pub mod signature;
mod source;
mod syntax;
mod text;
mod value;

pub use budget::Work;
pub use failure::{BlockFailure, TracebackFrame};
pub use host::{Arg, Builtins, CallRefusal, Host, HostFunction};
pub use limits::Limits;
pub use literal::{LiteralCall, LiteralError};
pub use run::{BlockEnding, Ran, run};
pub use signature::Signature;
