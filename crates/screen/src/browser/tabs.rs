//! The pages of a browser, as its events report them.

use serde_json::{Value, json};

use super::dialog::{Dialog, DialogKind};
use super::message::{Command, Event, text};
use crate::window::{NOT_RESPONDING, WindowId};

/// The largest number of open pages, so that a page cannot keep opening others forever.
const MOST: usize = 40;

/// The size at which pages are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Viewport {
    /// The width of the picture in pixels.
    pub(super) width: u32,
    /// The height of the picture in pixels.
    pub(super) height: u32,
    /// How many pixels of the picture one pixel of a page spans.
    pub(super) scale: f64,
}

impl Viewport {
    /// Returns the parameters that lay out a page at this size.
    pub(super) fn metrics(self) -> Value {
        let side = |pixels: u32| (f64::from(pixels) / self.scale).round().max(1.0) as u32;
        json!({
            "width": side(self.width),
            "height": side(self.height),
            // The browser itself has the scale: on a busy machine, it divides a click by an emulated one twice.
            "deviceScaleFactor": 0,
            "mobile": false,
        })
    }
}

/// A page.
#[derive(Debug)]
pub(super) struct Tab {
    pub(super) id: WindowId,
    target: String,
    pub(super) session: String,
    title: String,
    url: String,
    pub(super) dialog: Option<Dialog>,
    /// Whether the page failed to answer when it was last asked for a picture.
    pub(super) is_busy: bool,
}

impl Tab {
    /// Returns the page's title, or its address if it has none.
    pub(super) fn name(&self) -> String {
        let name = if self.title.is_empty() { &self.url } else { &self.title };
        if self.is_busy {
            format!("{name}{NOT_RESPONDING}")
        } else {
            name.clone()
        }
    }
}

/// All pages, the one in front last.
#[derive(Debug)]
pub(super) struct Tabs {
    list: Vec<Tab>,
    /// New pages that have yet to get their settings.
    coming: Vec<Tab>,
    viewport: Viewport,
    /// The number of the newest page or dialog.
    last: u64,
}

impl Tabs {
    /// Creates an empty list. Its pages will be laid out at this size.
    pub(super) fn none(viewport: Viewport) -> Tabs {
        Tabs {
            list: Vec::new(),
            coming: Vec::new(),
            viewport,
            last: 0,
        }
    }

    /// Returns the pages, the one in front first.
    pub(super) fn front_first(&self) -> impl Iterator<Item = &Tab> {
        self.list.iter().rev()
    }

    pub(super) fn front(&self) -> Option<&Tab> {
        self.list.last()
    }

    pub(super) fn front_mut(&mut self) -> Option<&mut Tab> {
        self.list.last_mut()
    }

    pub(super) fn has(&self, session: &str) -> bool {
        self.list.iter().any(|tab| tab.session == session)
    }

    /// Returns whether the page is waiting for the answer to a dialog.
    pub(super) fn is_in_dialog(&self, session: &str) -> bool {
        self.of_session(session).is_some_and(|tab| tab.dialog.is_some())
    }

    pub(super) fn of_session(&self, session: &str) -> Option<&Tab> {
        self.list.iter().find(|tab| tab.session == session)
    }

    pub(super) fn of_session_mut(&mut self, session: &str) -> Option<&mut Tab> {
        self.list.iter_mut().find(|tab| tab.session == session)
    }

    /// Brings a page to the front, given its number or its dialog's number. Returns the command to send, or `None` if
    /// there is no such page.
    pub(super) fn bring_to_front(&mut self, id: WindowId) -> Option<Command> {
        let is_it = |tab: &Tab| tab.id == id || tab.dialog.as_ref().is_some_and(|dialog| dialog.id == id);
        let place = self.list.iter().position(is_it)?;
        let tab = self.list.remove(place);
        let command = activated(&tab);
        self.list.push(tab);
        Some(command)
    }

    /// Returns the command that closes the page in front.
    pub(super) fn close_front(&self) -> Option<Command> {
        self.front().map(|tab| closed(&tab.target))
    }

    /// Records an event. Returns the commands to send in response.
    pub(super) fn hear(&mut self, event: &Event) -> Vec<Command> {
        let params = &event.params;
        let session = event.session.as_deref().unwrap_or_default();
        match event.method.as_str() {
            "Target.attachedToTarget" => self.open(params),
            "Target.targetInfoChanged" => {
                self.name(&params["targetInfo"]);
                Vec::new()
            }
            "Target.detachedFromTarget" => self.close(&text(&params["sessionId"])),
            "Page.javascriptDialogOpening" => {
                self.last += 1;
                let id = WindowId(self.last);
                if let Some(tab) = self.of_session_mut(session) {
                    tab.dialog = Some(Dialog::of_page(id, params));
                }
                Vec::new()
            }
            "Page.javascriptDialogClosed" => {
                if let Some(tab) = self.of_session_mut(session) {
                    tab.dialog = None;
                }
                Vec::new()
            }
            "Inspector.targetCrashed" => {
                self.last += 1;
                let id = WindowId(self.last);
                if let Some(tab) = self.of_session_mut(session) {
                    tab.dialog = Some(Dialog::of_crash(id));
                }
                Vec::new()
            }
            "Inspector.targetReloadedAfterCrash" => {
                if let Some(tab) = self.of_session_mut(session) {
                    tab.dialog.take_if(|dialog| dialog.kind == DialogKind::Crash);
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Records a page's title and address.
    pub(super) fn name(&mut self, info: &Value) {
        let target = text(&info["targetId"]);
        let pages = self.list.iter_mut().chain(&mut self.coming);
        for tab in pages.filter(|tab| tab.target == target) {
            (tab.title, tab.url) = (text(&info["title"]), text(&info["url"]));
        }
    }

    /// Prepares a new page, which comes to the front.
    fn open(&mut self, params: &Value) -> Vec<Command> {
        let (session, info) = (text(&params["sessionId"]), &params["targetInfo"]);
        let target = text(&info["targetId"]);
        if info["type"] != "page" || self.list.len() >= MOST {
            return vec![
                Command::to_page(&session, "Runtime.runIfWaitingForDebugger", json!({})),
                closed(&target),
            ];
        }
        self.last += 1;
        let tab = Tab {
            id: WindowId(self.last),
            target,
            session,
            title: text(&info["title"]),
            url: text(&info["url"]),
            dialog: None,
            is_busy: false,
        };
        let to_page = |method, params| Command::to_page(&tab.session, method, params);
        let commands = vec![
            to_page("Page.enable", json!({})),
            to_page("Inspector.enable", json!({})),
            to_page("Emulation.setDeviceMetricsOverride", self.viewport.metrics()),
            to_page(
                "Page.setInterceptFileChooserDialog",
                json!({ "enabled": true, "cancel": true }),
            ),
            to_page("Runtime.runIfWaitingForDebugger", json!({})),
            activated(&tab),
        ];
        self.coming.push(tab);
        commands
    }

    /// Records that all commands returned for the events so far have been sent.
    pub(super) fn said(&mut self) {
        self.list.append(&mut self.coming);
    }

    /// Forgets a page. Returns the commands that show the next one, or that open a new one if it was the last.
    fn close(&mut self, session: &str) -> Vec<Command> {
        let front = self.front().map(|tab| tab.id);
        self.list.retain(|tab| tab.session != session);
        match self.front() {
            None => vec![Command::to_browser(
                "Target.createTarget",
                json!({ "url": "about:blank" }),
            )],
            Some(tab) if front != Some(tab.id) => vec![activated(tab)],
            Some(_) => Vec::new(),
        }
    }
}

/// Returns the command that shows a page in front and gives it the keyboard focus, which a new page leaves in the
/// browser's address bar.
pub(super) fn activated(tab: &Tab) -> Command {
    Command::to_page(&tab.session, "Page.bringToFront", json!({}))
}

fn closed(target: &str) -> Command {
    Command::to_browser("Target.closeTarget", json!({ "targetId": target }))
}
