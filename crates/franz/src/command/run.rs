//! `franz run`: runs the agent, either watched by a panel or on its own.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use anyhow::{Context, Result};
use franz_home::{Home, shell};
use franz_panel::controls::PersonDecision;
use franz_record::{JsonLines, Output, Outputs, PersonQuestion, Queue};
use franz_screen::child::Environment;
use tokio::runtime::Builder;

use crate::agent::{ModelServers, Waits};
use crate::agent_builder::{AgentBuilder, Start};
use crate::calibrate::{self, Stopped};
use crate::cli::RunArgs;
use crate::config::environment;
use crate::config::flags::Flags;
use crate::config::folder;
use crate::config::key::GOAL;
use crate::config::live::Granted;
use crate::config::profile;
use crate::config::resolve::Resolved;
use crate::config::screen_kind::ScreenKind;
use crate::config::settings_file;
use crate::consent::Consent;
use crate::console::Console;
use crate::event_log::EventLog;
use crate::exit::Unusable;
use crate::gate;
use crate::idiom;
use crate::keys;
use crate::offline::RecordedFacts;
use crate::own_settings::OwnSettings;
use crate::presence::Presence;
use crate::reading::watchdog;
use crate::run_location::RunLocation;
use crate::screen::{self, Prepared};
use crate::stop::Stop;
use crate::suite::confinement;
use crate::suite::live_check::LiveCheck;
use crate::terminal::complain;
use crate::terminal_orders::{self, Listener};
use crate::watch::{PanelChoice, Stays, Watch, WatchOptions, edit};

pub(super) fn run(goal: Option<&str>, options: &RunArgs) -> Result<u8> {
    // A script whose variable is not set would otherwise take the profile's own goal away.
    if goal.is_some_and(|goal| goal.trim().is_empty()) {
        return Err(Unusable::usage("the goal is empty; write one, or leave out the quotes").into());
    }
    if options.no_settings_files {
        folder::ignore();
    }
    let flags = Flags::of(options).with_goal(goal);
    let place = RunLocation::of(options.resume.as_deref(), options.run_dir.as_deref(), &flags)?;
    let mut resolved = place.resolve(&flags, Consent::Asked)?;
    if let Some(run) = place.existing() {
        refuse_run_of_host(run.path(), &resolved)?;
    }
    // Do not create this earlier: before this point, Ctrl+C must still abort the question of whether to trust a file.
    let stop = Stop::default();
    stop.listen().context("cannot listen for Ctrl+C")?;
    let settings = &resolved.settings;
    if options.no_settings_files && !matches!(settings.screen.kind, ScreenKind::Canvas | ScreenKind::Virtual) {
        let words = "--no-settings-files is for runs of a suite, on --screen canvas or virtual";
        return Err(Unusable::usage(words).into());
    }
    let vnc_password = screen::check(settings)?;
    if let Some(notice) = environment::unused_server(&settings.model.upstream) {
        complain(&notice);
    }
    // Connect first: most runs that cannot start fail here, before anything is created on disk.
    let connected = match connect(&resolved, options, &stop) {
        Err(error) if error.is::<Stopped>() => None,
        connected => connected?,
    };
    let Some((server, grounder)) = connected else {
        return Ok(stop.ending().map_or(0, |ending| ending.exit_code()));
    };
    let picture = idiom::picture(settings, server.upstream())?;
    resolved.settle_screen_size(picture);
    let hidden = options.live.keep_out_of.as_deref();
    let private = confinement::without(hidden, || screen::private(&resolved.settings, server.keyring(), &stop));
    if let Some(ending) = stop.ending() {
        return Ok(ending.exit_code());
    }
    let mut private = private?;
    if let Some(check) = LiveCheck::of(&options.live)? {
        let guest = Environment::guest(&keys::texts(server.keyring()));
        private = private.map(|private| check.at_the_end_of(private, guest));
    }
    if options.step {
        stop.pause();
    }
    let profile = shown_profile(options);
    if !options.no_panel {
        let watch = Watch {
            place,
            resolved,
            profile,
            private,
            vnc_password,
            stop,
        };
        let watching = WatchOptions {
            outputs: outputs(options)?,
            is_typed: true,
            opens: !options.no_open && !options.json,
            wait: options.wait,
            panel: PanelChoice::of_flag(options.panel.as_deref())?,
            stays: stays(options),
        };
        return watch.run(server, grounder, watching);
    }
    let resumable = terminal_orders::listen(Alone(stop.clone()))?;
    let panels = place.without_panel()?;
    let opened = place.open(&resolved)?;
    drop(panels);
    let start = Start::of(&opened);
    if place.existing().is_some() {
        start.noting(keep_flags(opened.run.home(), &mut resolved))?;
    }
    watchdog::alone(opened.run.path().to_owned());
    let outputs = start.noting(outputs(options))?;
    let builder = AgentBuilder {
        opened,
        resolved,
        server,
        grounder,
        outputs,
        stop,
        profile,
        logs_exchanges: true,
        prepared: private.map(Prepared::Own).or(vnc_password.map(Prepared::Password)),
        resumable,
        presence: Presence::new(resumable, false),
        first: None,
        granted: Granted::default(),
        key: None,
        facts: RecordedFacts::default(),
    };
    builder.run()
}

/// Refuses to continue a run in which an MCP host called the tools: its model server was `franz mcp` itself.
fn refuse_run_of_host(run: &Path, resolved: &Resolved) -> Result<()> {
    const SYSTEM: &str = "prompt.system";
    let of_host = profile::HOST.layer();
    if of_host.get(SYSTEM) != resolved.layer.get(SYSTEM) {
        return Ok(());
    }
    let refused = format!(
        "{} belongs to an MCP host, which called the tools in place of a model; start franz mcp again in the host, or \
         look at this run with: franz replay {}",
        run.display(),
        shell::path(run)
    );
    Err(Unusable::usage(refused).into())
}

/// Connects to the model's server and to the grounder's, if there is one, and calibrates both if necessary. Returns
/// `None` if the run was stopped in the meantime.
fn connect(
    resolved: &Resolved,
    options: &RunArgs,
    stop: &Stop,
) -> Result<Option<(ModelServers, Option<ModelServers>)>> {
    let settings = &resolved.settings;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let keyring = keys::keyring(&options.server.key_for)?;
    let named_by = keys::named_by(resolved.origin("model.upstream"));
    let waits = if options.wait { Waits::Absent } else { Waits::Busy };
    let Some(server) = ModelServers::connect(runtime, settings, named_by, keyring, stop, waits)? else {
        return Ok(None);
    };
    calibrate::settle(&server, settings, stop)?;
    let grounder = ModelServers::connect_grounder(settings, server.keyring(), stop, waits)?;
    if let (Some(grounder), Some(settings)) = (&grounder, settings.of_grounder()) {
        calibrate::settle(grounder, &settings, stop)?;
    }
    Ok(stop.ending().is_none().then_some((server, grounder)))
}

/// Saves the settings that the person gives a resumed run. The goal is saved later, once the model has been told about
/// it.
fn keep_flags(run: &Home, resolved: &mut Resolved) -> Result<()> {
    let own = OwnSettings::new(run.path(), resolved.bounds.clone());
    edit::keep(run, &own, &resolved.flags.part(|name| name != GOAL))?;
    resolved.file = Some(settings_file::read_run(run)?.0);
    Ok(())
}

/// A run without a panel, controlled from its terminal.
struct Alone(Stop);

impl Listener for Alone {
    fn question(&self) -> Option<PersonQuestion> {
        self.0.question()
    }

    fn is_paused(&self) -> bool {
        self.0.is_paused()
    }

    fn is_retrying(&self) -> bool {
        self.0.is_retrying()
    }

    fn decide(&self, question: &PersonQuestion, decision: PersonDecision) -> Result<(), String> {
        if self.question().is_none_or(|open| open.nonce != question.nonce) {
            return Err("this question is no longer open".to_owned());
        }
        gate::check(&decision, question)?;
        self.0.decide(&question.nonce, "terminal", decision);
        Ok(())
    }

    fn reply(&self, text: &str) -> Result<(), String> {
        gate::check_words("the reply", text)?;
        self.0.put_reply(text.to_owned());
        Ok(())
    }

    fn resume(&self) -> Result<(), String> {
        self.0.resume();
        Ok(())
    }

    fn step(&self) -> Result<(), String> {
        self.0.step();
        Ok(())
    }
}

/// Returns how long the dashboard stays open. By default, somebody at a terminal can still look at it after the run,
/// and a script does not wait.
fn stays(options: &RunArgs) -> Stays {
    let is_typed = !options.json && io::stdin().is_terminal() && io::stdout().is_terminal();
    match (options.exit, options.stay) {
        (_, true) => Stays::Always,
        (false, false) if is_typed => Stays::Alone,
        _ => Stays::Never,
    }
}

/// Returns the outputs for a person, or for a program that reads JSON lines.
fn outputs(options: &RunArgs) -> Result<Outputs> {
    let mut outputs = Outputs::default();
    if tracing::enabled!(tracing::Level::INFO) {
        outputs.add("log", queued(EventLog::new())?);
    }
    if options.json {
        outputs.add("events on stdout", queued(JsonLines::new(io::stdout()))?);
    } else {
        outputs.add("console", queued(Console::new(options.show, options.quiet))?);
    }
    Ok(outputs)
}

/// Queues events for an output, because a terminal or pipe that nobody reads must not block the run.
pub(super) fn queued(output: impl Output + Send + 'static) -> Result<Queue> {
    Queue::new(output).context("cannot start the output thread")
}

/// Returns the name of the profile to show. A resumed run has its own settings, whatever profile they came from.
fn shown_profile(options: &RunArgs) -> String {
    match &options.resume {
        Some(_) => "from config.toml".to_owned(),
        None => profile::short_name(options.profile.as_deref().unwrap_or(profile::DEFAULT)),
    }
}
