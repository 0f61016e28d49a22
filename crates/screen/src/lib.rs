//! Where actions happen: the sandbox canvas, and the interface every screen implements.
#![forbid(unsafe_code)]
