//! Checks whether FRANZ can capture the screen and act on it. Performs no action, and starts none of the programs in
//! the settings.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use franz_screen::child::{self, Environment};
use franz_screen::desktop::{self, Display, IsOver};
use franz_screen::{Browser, Desktop, PrivateDesktop, Screen, Target};

use super::finding::Finding;
use crate::config::screen_kind::ScreenKind;
use crate::config::settings::Settings;
use crate::exit::Unusable;
use crate::keys;
use crate::screen;

pub(super) fn examine(settings: &Settings) -> Vec<Finding> {
    match settings.screen.kind {
        ScreenKind::Canvas => {
            let (width, height) = settings.screen_size(settings.image.size());
            vec![Finding::fine("screen", format!("canvas {width}x{height}"))]
        }
        ScreenKind::Desktop => of_target(settings, &screen::session()),
        ScreenKind::Vnc => match keys::vnc_password().and_then(|password| screen::vnc_server(settings, password)) {
            Ok(server) => of_target(settings, &Target::Vnc(Box::new(server))),
            Err(error) => vec![Finding::problem("screen", &error)],
        },
        ScreenKind::Browser => match screen::start_browser(settings, &never()) {
            Ok(browser) => of_browser(settings, &browser),
            Err(error) => vec![Finding::problem("screen", &error)],
        },
        ScreenKind::Virtual => match screen::start_bare(settings, &never()) {
            Ok(private) => of_private(settings, &*private),
            Err(error) => vec![Finding::problem("screen", &error)],
        },
    }
}

/// Nothing ends an examination early.
fn never() -> IsOver {
    Arc::new(|| false)
}

fn of_target(settings: &Settings, target: &Target) -> Vec<Finding> {
    let opened = desktop::open(target).and_then(|mut display| display.claim().map(|()| display));
    match opened {
        Ok(display) => of_desktop(settings, display),
        Err(error) => vec![Finding::problem("screen", &Unusable::screen(error).into())],
    }
}

fn of_private(settings: &Settings, private: &dyn PrivateDesktop) -> Vec<Finding> {
    let mut findings = vec![match private.window_manager() {
        Some(name) => Finding::fine("windows", format!("managed by {name}")),
        None => Finding::remark("windows", screen::UNMANAGED),
    }];
    match private.open() {
        Ok(display) => findings.extend(of_desktop(settings, display)),
        Err(error) => findings.push(Finding::problem("screen", &Unusable::screen(error).into())),
    }
    let missing = settings.screen.start.iter().filter(|command| lacks_program(command));
    findings.extend(missing.map(|command| {
        let error = Unusable::screen(screen::cannot_find(command));
        Finding::problem("programs", &error.into())
    }));
    findings
}

/// Returns whether a shell finds no program for this command. If it is not obvious which program the command starts,
/// assumes that there is one.
fn lacks_program(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let is_known = |character: char| character.is_ascii_alphanumeric() || "+-./_".contains(character);
    // A value in quotes can go on in the next word, which is then no program.
    let is_assignment = |word: &str| {
        let value = word.split_once('=').map(|(_, value)| value);
        value.is_some_and(|value| {
            value
                .chars()
                .all(|character| is_known(character) || ",:@%=".contains(character))
        })
    };
    let program = words.find(|word| *word != "exec" && !is_assignment(word));
    let is_plain = |word: &&str| !word.starts_with('-') && word.chars().all(is_known);
    let Some(program) = program.filter(is_plain) else {
        return false;
    };
    let mut shell = child::command("sh", &Environment::guest(&[]));
    shell.args(["-c", "command -v \"$1\"", "sh", program]);
    let status = shell.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.code().is_some_and(|code| code != 0))
}

fn of_browser(settings: &Settings, browser: &Browser) -> Vec<Finding> {
    let mut findings = vec![Finding::fine("browser", browser.name())];
    let notices = browser.notices().iter();
    findings.extend(notices.map(|notice| Finding::remark("browser", notice.clone())));
    match browser.open() {
        Ok(display) => findings.extend(of_desktop(settings, display)),
        Err(error) => findings.push(Finding::problem("screen", &Unusable::screen(error).into())),
    }
    findings
}

fn of_desktop(settings: &Settings, mut display: Box<dyn Display>) -> Vec<Finding> {
    if let Some(question) = display.consent() {
        // Only a run asks the person.
        return vec![
            Finding::fine("screen", display.name()),
            Finding::remark("consent", format!("when a run starts, {question}")),
        ];
    }
    let input = match display.held() {
        Ok(None) => Finding::fine("input", "mouse and keyboard work"),
        Ok(Some(held)) if held.is_empty() => Finding::fine("input", "mouse and keyboard work; nothing is held down"),
        Ok(Some(held)) => Finding::remark(
            "input",
            format!("held down by a program: {}; franz release frees it", held.join(", ")),
        ),
        Err(error) => Finding::problem("input", &Unusable::screen(error).into()),
    };
    let capture = capture(settings, display).unwrap_or_else(|error| Finding::problem("capture", &error));
    vec![capture, input]
}

fn capture(settings: &Settings, display: Box<dyn Display>) -> Result<Finding> {
    let mut desktop = Desktop::new(display, screen::options(settings)).map_err(Unusable::screen)?;
    screen::watch(settings, &mut desktop, drop)?;
    let began = Instant::now();
    desktop.capture().map_err(Unusable::screen)?;
    let took = began.elapsed().as_secs_f64() * 1000.0;
    Ok(Finding::fine(
        "capture",
        format!("{}, captured in {took:.1} ms", desktop.name()),
    ))
}
