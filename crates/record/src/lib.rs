//! The run on disk: state, turn lines, pictures, the exchange log, and reading them back.
#![forbid(unsafe_code)]
