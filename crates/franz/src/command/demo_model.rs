//! `franz demo-model`: runs the built-in model as a separate server.

use std::io::Write;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::Result;
use franz_demo::{Demo, DemoSettings, Player, Script, ThinkingPace};
use tokio::runtime::Builder;

use crate::cli::DemoModelArgs;
use crate::exit::Unusable;
use crate::families;
use crate::stop::Stop;

pub(super) fn serve(arguments: &DemoModelArgs) -> Result<u8> {
    let stop = Stop::default();
    stop.listen()?;
    let script = arguments
        .script
        .as_deref()
        .map(Script::open)
        .transpose()
        .map_err(Unusable::usage)?;
    let settings = DemoSettings {
        pace: arguments.delay.map_or_else(ThinkingPace::default, pace),
        script,
        player: arguments
            .family
            .as_deref()
            .map(|family| player(family, arguments))
            .transpose()?,
        ..DemoSettings::default()
    };
    let demo = Demo::bind((Ipv4Addr::LOCALHOST, arguments.port).into(), settings)?;
    // Keep serving even if nobody reads this line.
    let _ = writeln!(
        std::io::stdout(),
        "the demo model is listening at http://{} (Ctrl+C stops it)",
        demo.addr()
    );
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(demo.serve(stop.ended()))?;
    Ok(stop.ending().map_or(0, |ending| ending.exit_code()))
}

fn pace(seconds: f64) -> ThinkingPace {
    let delay = Duration::from_secs_f64(seconds);
    ThinkingPace {
        drawing: delay,
        idle: delay,
    }
}

/// Returns a model of this family with the properties that the arguments describe.
fn player(family: &str, arguments: &DemoModelArgs) -> Result<Player> {
    let player = Player::new(families::named(family)?).map_err(Unusable::usage)?;
    Ok(Player {
        space: arguments.space.unwrap_or(player.space),
        axes: arguments.axes.unwrap_or(player.axes),
        resize: arguments.resize.unwrap_or(player.resize),
        noise: arguments.noise.unwrap_or(player.noise),
        blind: arguments.blind,
        wrong: arguments.wrong.unwrap_or(player.wrong),
        seed: arguments.seed.unwrap_or(player.seed),
        ..player
    })
}
