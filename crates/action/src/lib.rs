//! Text to actions: the action set, its canonical text, and the protocols that read replies.
#![forbid(unsafe_code)]
