//! Tests the program on real desktops. Each test has its own private desktop. Whatever happens, all keys and buttons
//! that are held down are released.

#[path = "../../../screen/tests/desktop/bare.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod bare;
#[path = "../../../screen/tests/desktop/browser.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod browser;
#[path = "../../../screen/tests/desktop/client.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod client;
mod events;
#[path = "../../../screen/tests/desktop/mute_compositor.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod mute_compositor;
mod painted;
#[path = "../../../screen/tests/desktop/person.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod person;
mod process;
mod run;
mod stage;
#[path = "../../../screen/tests/desktop/sway_host.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod sway_host;
#[path = "../../../screen/tests/desktop/vnc_host.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod vnc_host;
#[path = "../../../screen/tests/desktop/wayland_client.rs"]
#[allow(dead_code, reason = "shared by two test programs, neither of which uses all of it")]
mod wayland_client;
mod work;

mod approving;
mod companion;
mod desk;
mod doctor;
mod dying;
mod effect;
mod frozen;
mod giving_back;
mod grounder;
mod holding;
mod keys;
mod leaks;
mod lost;
mod masks;
mod moving;
mod notification;
mod own_effects;
mod private_browser;
mod replaying;
mod shaky_model;
mod starting;
mod stopping;
mod suite;
mod takeover;
mod task;
mod travelling;
mod unwatched;
mod vnc;
mod wayland;
mod wayland_private;
