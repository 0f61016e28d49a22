//! The dashboard's server and what it serves, asked over TCP as browsers and others ask.

mod contract;
mod control;
mod events;
mod export;
mod figures;
mod gate;
mod growing;
mod hostile;
mod limits;
mod pending;
mod pictures;
mod recorded;
mod search;
mod several;
mod site;
mod targets;
mod timeline;
mod wire;
