//! A desktop that no longer responds. A run on it can be stopped, and the keys and buttons that the run held are
//! released once the desktop is back.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::desktop::process::{agent_of, command_line, freeze, lives, signal};
use crate::desktop::run::{Care, start};
use crate::desktop::stage::Stage;
use crate::desktop::work::Work;
use crate::harness::{Workplace, url, wait_until};

/// Far longer than the goal of 200 ms, which cannot be tested on a busy machine.
const SOON: Duration = Duration::from_secs(2);

/// Returns the desktop's X server. Only it and its reaper were given the desktop's secret on the command line.
fn server_of(stage: &Stage) -> u32 {
    let environment = stage.desktop.environment();
    let (_, secret) = environment.iter().find(|(name, _)| *name == "XAUTHORITY").unwrap();
    let processes = std::fs::read_dir("/proc").unwrap();
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_it = |line: &str| line.starts_with("Xvfb") && line.contains(secret.as_str());
    numbers.filter(|number| is_it(&command_line(*number))).max().unwrap()
}

#[test]
fn a_frozen_desktop_does_not_hold_up_a_stop() {
    for care in [Care::Panel, Care::Alone] {
        let stage = Stage::new();
        let server = server_of(&stage);
        for work in Work::ALL {
            let (place, model) = (Workplace::new(), work.model());
            let running = start(&stage, &place, &url(&model), care, &[]);
            let agent = match care {
                Care::Panel => agent_of(&running),
                Care::Alone => running.id(),
            };
            work.wait(&stage);
            freeze(server);
            let began = Instant::now();
            signal(running.id(), Signal::INT);
            if care == Care::Panel {
                wait_until("the end of the agent", || (!lives(agent)).then_some(()));
            }
            let finished = running.finish();
            let took = began.elapsed();
            eprintln!(
                "latency frozen {care:?} {work:?}: {:.1} ms",
                took.as_secs_f64() * 1000.0
            );
            signal(server, Signal::CONT);
            assert!(took < SOON, "{care:?} {work:?}: {took:?}");
            assert_eq!(finished.code, Some(130), "{}{}", finished.stdout, finished.stderr);
            wait_until("the guardian to release what was held", || {
                stage.is_at_rest().then_some(())
            });
            stage.assert_nothing_is_held(&place);
        }
    }
}
