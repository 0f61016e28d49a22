//! Desktop notifications, which tell a person who might be looking elsewhere that the run is waiting for them. There is
//! only one at a time. It is withdrawn when the wait is over, and clicking it opens the dashboard.

use std::sync::mpsc::{Receiver, Sender, channel};
#[cfg(target_os = "linux")]
use std::time::Duration;

use franz_panel::web::Codes;
use franz_record::{Event, PersonQuestion};

use super::access::DashboardAccess;
use super::browser;

/// Notifies the person. Does nothing on a desktop that cannot show notifications.
pub(super) struct Notifier(Option<Sender<Option<NotificationText>>>);

/// The text of a notification.
#[derive(Debug, PartialEq, Eq)]
struct NotificationText {
    summary: String,
    body: String,
}

impl Notifier {
    /// Creates a notifier for the run with this name. Clicking a notification opens the run's dashboard.
    pub(super) fn new(is_on: bool, run: &str, access: &DashboardAccess, codes: &Codes) -> Notifier {
        if !is_on || !cfg!(target_os = "linux") {
            return Notifier(None);
        }
        let (sender, wanted) = channel();
        let (access, codes) = (access.clone(), codes.clone());
        let open = move || match access.link_once(&codes) {
            Ok(link) => browser::start(&link),
            Err(error) => tracing::warn!("cannot open the dashboard: {error}"),
        };
        let thread = std::thread::Builder::new().name("notifications".to_owned());
        let run = run.to_owned();
        let started = thread.spawn(move || show(&wanted, &run, &open));
        Notifier(started.ok().map(|_| sender))
    }

    /// Checks whether the person can be notified, which requires a desktop that shows notifications they can click.
    pub(super) fn reaches_person(&self) -> bool {
        self.0.is_some() && can_be_clicked()
    }

    /// Shows a notification when an event makes the run wait, and withdraws it when the run continues.
    pub(super) fn hear(&self, event: &Event) {
        let wanted = match event {
            Event::Waiting(question) => Some(waits(question)),
            Event::Paused { why: Some(why), .. } => Some(NotificationText {
                summary: "FRANZ has paused".to_owned(),
                body: why.clone(),
            }),
            Event::Decided { .. } | Event::Resumed { .. } | Event::TakenOver { .. } | Event::RunEnded { .. } => None,
            _ => return,
        };
        if let Some(sender) = &self.0 {
            // A failure means that the thread has ended, because there is no desktop to notify.
            let _ = sender.send(wanted);
        }
    }
}

/// Describes what the run is waiting for. Leaves out the text to be typed, because notifications also appear on locked
/// screens.
fn waits(question: &PersonQuestion) -> NotificationText {
    if question.question.is_some() {
        return NotificationText {
            summary: "The model asks you something".to_owned(),
            body: "Open the dashboard to answer.".to_owned(),
        };
    }
    let name = question.action.split('(').next().unwrap_or_default();
    NotificationText {
        summary: "An action waits for you".to_owned(),
        body: format!("{name}, action {} of turn {}", question.index + 1, question.turn),
    }
}

#[cfg(target_os = "linux")]
fn show(wanted: &Receiver<Option<NotificationText>>, run: &str, open: &(impl Fn() + Clone + Send + 'static)) {
    use notify_rust::{Notification, NotificationHandle, Timeout, handle_action};

    let mut shown: Option<NotificationHandle> = None;
    for wanted in wanted {
        if let Some(before) = shown.take() {
            before.close();
        }
        let Some(NotificationText { summary, body }) = wanted else {
            continue;
        };
        let mut notification = Notification::new();
        notification
            .appname("FRANZ")
            .summary(&summary)
            .body(&plain(&format!("{body} ({run})")))
            .action("default", "Open the dashboard")
            .timeout(Timeout::Never);
        let handle = match notification.show() {
            Ok(handle) => handle,
            Err(error) => {
                tracing::info!("cannot notify you that the run waits: {error}");
                continue;
            }
        };
        let (number, open) = (handle.id(), open.clone());
        shown = Some(handle);
        std::thread::spawn(move || {
            let clicked = handle_action(number, |action| {
                if matches!(action, notify_rust::ActionResponse::Custom("default")) {
                    open();
                }
            });
            if let Err(error) = clicked {
                tracing::info!("clicks on the notification will have no effect: {error}");
            }
        });
    }
    if let Some(last) = shown {
        last.close();
    }
}

/// How long a desktop may take to answer.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(target_os = "linux")]
fn can_be_clicked() -> bool {
    let (sender, answer) = channel();
    let thread = std::thread::Builder::new().name("notifications".to_owned());
    let asked = thread.spawn(move || sender.send(notify_rust::get_capabilities()));
    let known = answer.recv_timeout(PATIENCE);
    asked.is_ok() && known.is_ok_and(|known| known.is_ok_and(|known| known.iter().any(|can| can == "actions")))
}

#[cfg(not(target_os = "linux"))]
fn can_be_clicked() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn show(_: &Receiver<Option<NotificationText>>, _: &str, _: &impl Fn()) {}

/// Escapes text for a notification's body, which is markup.
#[cfg(target_os = "linux")]
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_to_be_typed_is_shown() {
        let question = |action: &str, question: Option<&str>| PersonQuestion {
            turn: 3,
            index: 1,
            action: action.to_owned(),
            question: question.map(str::to_owned),
            ..PersonQuestion::default()
        };
        let body = |question: &PersonQuestion| waits(question).body;
        assert_eq!(body(&question("type(\"secret\")", None)), "type, action 2 of turn 3");
        let asked = question("ask(\"secret\")", Some("secret"));
        assert_eq!(body(&asked), "Open the dashboard to answer.");
    }
}
