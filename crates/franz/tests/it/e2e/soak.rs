//! Agent and panel are killed at random moments, over and over. The run continues, no turn is lost, and no action is
//! performed twice.
//!
//! `cargo xtask soak` sets the number of kills and the seed. By default, there are only a few kills, and the seed
//! differs each time. A seed determines which process is killed and after what delay, but not how far the processes
//! have got by then.

mod life;
mod replies;
mod tally;
mod witness;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::e2e::chosen;
use crate::harness::Workplace;
use life::{Life, nobody_is_at_work};
use tally::Tally;
use witness::Witness;

/// The number of kills if none is given.
const KILLS: u64 = 50;
/// The number of kills in one run. After that, another run begins in a new directory.
const KILLS_OF_A_RUN: u64 = 25;
/// The longest wait before a kill, which is enough for a start and a few turns.
const LONGEST_WAIT: Duration = Duration::from_millis(300);

/// How to start a run each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With its panel.
    Watched,
    /// With or without its panel, at random.
    Either,
}

impl Way {
    const ALL: [Way; 2] = [Way::Watched, Way::Either];

    fn watched(self, dice: &mut Dice) -> bool {
        self == Way::Watched || dice.coin()
    }
}

#[test]
fn killed_at_random_instants() {
    let kills = chosen::number("SOAK_KILLS").unwrap_or(KILLS);
    let seed = chosen::seed("SOAK_SEED");
    let (mut dice, mut tally, began) = (Dice(seed), Tally::default(), Instant::now());
    for (run, first) in (0..kills).step_by(KILLS_OF_A_RUN as usize).enumerate() {
        // Each run has its own seed, so that the course of one run does not affect the next.
        let mut dice = Dice(dice.roll(usize::MAX) as u64);
        let (way, last) = (Way::ALL[run % 2], kills.min(first + KILLS_OF_A_RUN));
        let (place, kill) = (Workplace::new(), Cell::new(first));
        let soaked = catch_unwind(AssertUnwindSafe(|| {
            soak(&place, way, last, &kill, &mut dice, &mut tally);
        }));
        if let Err(panic) = soaked {
            eprintln!(
                "seed {seed}, kill {} of {kills}: the run is kept in {}",
                kill.get(),
                place.keep().display()
            );
            resume_unwind(panic);
        }
    }
    println!("seed {seed}: {tally}, in {:.0} s", began.elapsed().as_secs_f64());
}

/// Performs one run, with kills until `last` is reached.
fn soak(place: &Workplace, way: Way, last: u64, kill: &Cell<u64>, dice: &mut Dice, tally: &mut Tally) {
    let server = replies::server();
    let mut witness = Witness::default();
    let mut life = Life::begin(place, &server, way.watched(dice));
    while kill.get() < last {
        kill.set(kill.get() + 1);
        let target = life.target(dice);
        // Every other time, the run must have made progress first. Otherwise, a kill can interrupt even its start.
        if dice.coin() || !life.bears_another(target) {
            witness.wait_for_another_turn(place, &mut life);
        }
        let wait = dice.roll(LONGEST_WAIT.as_micros() as usize) as u64;
        std::thread::sleep(Duration::from_micros(wait));
        life.kill(target);
        let all_dead = nobody_is_at_work(place);
        witness.look(place);
        if all_dead {
            witness.everybody_is_dead();
        }
        tally.killed(target);
        if !life.goes_on() {
            life = Life::again(place, &server, way.watched(dice));
        }
    }
    witness.wait_for_another_turn(place, &mut life);
    life.end();
    witness.look(place);
    witness.look_at_the_end(place, way == Way::Watched, tally);
}
