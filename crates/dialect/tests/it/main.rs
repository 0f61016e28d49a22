//! The protocols, tested from the outside: what they read in replies, what models are told, and that no reply breaks
//! anything.

mod agreement;
mod any_reply;
mod calibration;
mod dialects;
mod pointed;
mod python;
mod seeds;
mod tools;
mod weak;
mod written;
