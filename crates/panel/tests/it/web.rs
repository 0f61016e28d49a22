//! Tests the dashboard's server over TCP, with the requests of browsers and other clients.

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
mod trace;
mod wire;
