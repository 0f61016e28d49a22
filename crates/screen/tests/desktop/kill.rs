//! A killed process leaves keys, buttons and programs behind, and the next process cleans up.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use franz_action::{Action, Point};
use franz_screen::Interrupt;
use franz_screen::child::Environment;
use franz_screen::desktop::{Desktop, DesktopOptions, Pace};
use franz_screen::elements::ElementReader;
use franz_screen::{ActionId, Screen, Target, private_desktop};
use x11rb::protocol::xkb::{ConnectionExt as _, Group, ID};

use crate::elements::{directory_of, processes_of};
use crate::private::{STRAY, runs, stray};
use crate::stage::{Stage, until};
use crate::witness::Witness;

/// Starts this program again as a victim. `what` names the ignored test below that the victim runs.
fn victim(mut command: Command, what: &str) -> Child {
    command.args(["--ignored", "--exact", "--nocapture", what]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long a victim may take to hold down what it is supposed to hold.
const ATTEMPT: Duration = Duration::from_secs(4);

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// An interrupt that sleeps until killed, starting with the pause of this number.
struct Forever(std::cell::Cell<u32>);

impl Interrupt for Forever {
    fn is_set(&self) -> bool {
        false
    }

    fn sleep(&self, _: Duration) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        while self.0.get() == 0 {
            std::thread::park();
        }
        false
    }
}

fn victim_does(action: &Action, pauses: u32) {
    let options = DesktopOptions {
        monitor: None,
        region: None,
        cursor: false,
        pace: Pace::HUMAN,
    };
    let mut screen = Desktop::new(
        franz_screen::desktop::open(&Target::Session { consent: None }).unwrap(),
        options,
    )
    .unwrap();
    let _ = screen.perform(ActionId { turn: 1, index: 0 }, action, &Forever(pauses.into()));
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_drags() {
    victim_does(&Action::drag(Point::clamped(100, 100), Point::clamped(800, 800)), 30);
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_presses() {
    victim_does(&Action::Press("ctrl+shift+x".parse().unwrap()), 1);
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_holds() {
    victim_does(&"hold(\"ctrl+shift\", 30)".parse().unwrap(), 1);
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_clicks_with_keys() {
    victim_does(
        &"left_click(100, 100, modifiers=\"ctrl\")".parse().unwrap(),
        // The pauses on the way to the position, the one there, and the one within the click.
        22,
    );
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_types() {
    victim_does(&Action::typing("äöü漢字".to_owned()), 3);
}

#[test]
#[ignore = "it is started by another test, and killed"]
fn victim_has_a_desktop() {
    let options = private_desktop::PrivateDesktopOptions {
        width: 300,
        height: 200,
        elements: true,
    };
    let mut desktop = private_desktop::start(&options).unwrap();
    let bus = desktop.session_bus().unwrap();
    let _reader = ElementReader::on(&bus).unwrap();
    let guest = Environment::guest(&[]);
    let program = desktop.spawn("exec xterm -e 'sleep 1000'", &guest).unwrap();
    desktop.spawn(STRAY, &guest).unwrap();
    println!("\nbus {bus}\nstarted {program}");
    std::thread::park();
}

fn program(stage: &Stage) -> Command {
    stage.command(std::env::current_exe().unwrap().to_str().unwrap())
}

#[test]
fn held_keys_and_buttons_are_released_after_a_kill() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    for (what, names) in [
        ("kill::victim_drags", &["left button"][..]),
        ("kill::victim_presses", &["shift", "ctrl", "x"]),
        ("kill::victim_holds", &["shift", "ctrl"]),
        ("kill::victim_clicks_with_keys", &["left button", "ctrl"]),
    ] {
        let count = |(keys, mask): &(Vec<u8>, u16)| keys.len() + mask.count_ones() as usize;
        // On a busy machine, a pause can be over before it begins, and the victim then stops at another one.
        until("a victim is killed while keys or buttons are down", || {
            let mut child = victim(program(&stage), what);
            let began = Instant::now();
            let mut are_down = false;
            while !are_down && began.elapsed() < ATTEMPT && child.try_wait().unwrap().is_none() {
                let is_so = || count(&witness.client.down()) == names.len();
                std::thread::park_timeout(Duration::from_millis(10));
                are_down = is_so() && {
                    // Make sure that the victim does not hold these only in passing.
                    std::thread::park_timeout(Duration::from_millis(30));
                    is_so()
                };
            }
            kill(child);
            if !are_down {
                stage.display().release().unwrap();
            }
            are_down.then_some(())
        });
        let mut released = stage.display().release().unwrap().unwrap();
        released.sort();
        let mut names = names.to_vec();
        names.sort_unstable();
        assert_eq!(released, names);
        assert_eq!(witness.client.down(), (vec![], 0));
        assert_eq!(stage.display().release().unwrap(), Some(Vec::new()));
    }
}

#[test]
fn a_changed_keyboard_is_restored_after_a_kill() {
    let stage = Stage::new();
    let witness = Witness::on(&stage);
    let connection = &witness.client.connection;
    connection.xkb_use_extension(1, 0).unwrap().reply().unwrap();
    let core = ID::USE_CORE_KBD.into();
    let (lock, no) = (2u16.into(), 0u16.into());
    connection
        .xkb_latch_lock_state(core, lock, lock, false, Group::M1, no, false, 0)
        .unwrap()
        .check()
        .unwrap();
    let before = witness.client.keymap();
    let child = victim(program(&stage), "kill::victim_types");
    until("characters were typed", || (witness.heard().len() >= 2).then_some(()));
    let changed = witness.client.keymap();
    assert_ne!(changed, before);
    stage.display().release().unwrap();
    assert_eq!(witness.client.keymap(), changed, "who still types is not disturbed");
    kill(child);
    until("the keyboard is as it was", || {
        stage.display().release().unwrap();
        (witness.client.keymap() == before).then_some(())
    });
    let locked = connection.xkb_get_state(core).unwrap().reply().unwrap();
    assert_eq!(locked.locked_mods, lock, "CapsLock is on again");
}

#[test]
fn a_desktop_ends_with_its_process() {
    use std::io::{BufRead, BufReader};
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.current_dir(&directory);
    let mut child = victim(command, "kill::victim_has_a_desktop");
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let mut told = |what: &str| {
        lines
            .find_map(|line| Some(line.strip_prefix(what)?.to_owned()))
            .unwrap()
    };
    let bus = directory_of(&told("bus "));
    let folder = std::path::Path::new(&bus).parent().unwrap().to_owned();
    assert!(folder.join("Xauthority").is_file());
    let program: u32 = told("started ").parse().unwrap();
    let stray = stray(&directory.path().join("stray"));
    assert!(runs(program) && runs(stray) && processes_of(&bus).len() >= 3);
    kill(child);
    until("the programs and their bus have ended", || {
        (!runs(program) && !runs(stray) && processes_of(&bus).is_empty()).then_some(())
    });
    until("the desktop's folder is removed", || (!folder.exists()).then_some(()));
}
