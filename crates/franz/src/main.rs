//! The FRANZ binary.
fn main() {}
