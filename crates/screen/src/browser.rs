//! Runs an installed Chromium, Chrome or Edge as a private browser: without a visible window, and controlled over pipes
//! with the Chrome DevTools Protocol.
//!
//! FRANZ sees the browser as a desktop with one monitor. In reading order: `program` finds a browser, `process` starts
//! it, and `connection` talks to it. `tabs` keeps track of its pages, and `dialog` of the dialogs that block them.
//! `page_display` captures the page in front and acts on it. `keys` and `shortcut` provide the keyboard, and
//! `page_elements` reads the page's buttons and other elements.

mod arrow;
mod connection;
mod dialog;
mod keys;
mod message;
mod page_display;
mod page_elements;
mod process;
mod program;
mod shortcut;
mod tabs;
#[cfg(test)]
mod tests;

#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) use arrow::at as arrow_at;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desktop::{Display, DisplayError, IsOver};
use crate::elements::ElementSource;
use connection::{Connection, Unanswered};
use message::Command;
use page_display::PageDisplay;
use page_elements::PageElements;
use process::{BrowserProcess, Started};
use tabs::{Tabs, Viewport};

/// How long to wait for a browser to start, even on a busy machine.
const START: Duration = Duration::from_secs(30);

/// How soon a browser that crashed as it started has ended.
const AT_ONCE: Duration = Duration::from_secs(10);

/// How long to wait for the first page to load.
const LOAD: Duration = Duration::from_secs(20);

/// What the browser says if a server answered, but without a page: with a download or nothing, or with an error that
/// has no text.
const PAGELESS: [&str; 2] = ["net::ERR_ABORTED", "net::ERR_HTTP_RESPONSE_CODE_FAILURE"];

/// The page to show if none is given.
const EMPTY: &str = "about:blank";

/// The arguments that every browser gets, so that it runs without a window and sends nothing to its maker.
const ARGUMENTS: [&str; 21] = [
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-pings",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,MediaRouter,OptimizationHints,Translate",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// The warning that the browser runs without its own sandbox.
const BARE: &str = "the browser cannot start in its own sandbox here (as root in a container, for instance), so it runs without one: a page \
                    that breaks out of the browser has all of this user's rights; run FRANZ as another user, or open only pages that you trust";

/// How to start a browser.
#[derive(Clone, Debug, PartialEq)]
pub struct BrowserOptions {
    /// The browser's name or path; `None` for the first one installed.
    pub program: Option<String>,
    /// The page to start with; `None` for an empty one.
    pub url: Option<String>,
    /// The width of the picture in pixels.
    pub width: u32,
    /// The height of the picture in pixels.
    pub height: u32,
    /// How many pixels of the picture one pixel of a page spans.
    pub scale: f64,
}

/// A private browser. It ends when this value is dropped or this process ends.
pub struct Browser {
    connection: Connection,
    /// When dropped, waits for the browser to end. `Browser::drop` has asked it to exit by then.
    _process: BrowserProcess,
    name: String,
    viewport: Viewport,
    notices: Vec<String>,
}

/// Why a browser did not start.
#[derive(Debug)]
struct NoStart {
    /// The browser's own output, or FRANZ's words if there is none.
    words: String,
    /// Whether the browser has ended by itself. Otherwise, it failed to answer in time.
    has_ended: bool,
}

impl NoStart {
    fn of(error: &std::io::Error) -> NoStart {
        NoStart {
            words: error.to_string(),
            has_ended: true,
        }
    }

    /// Checks whether the browser ended because it could not set up its own sandbox. Other lines may mention it, too.
    fn lacks_sandbox(&self) -> bool {
        let is_about_sandbox = |line: &str| {
            let is_fatal = line.contains("FATAL") && (line.contains("sandbox") || line.contains("namespace"));
            is_fatal
                || line.contains("Running as root without --no-sandbox")
                || line.contains("No usable sandbox")
                || line.contains("SUID sandbox helper binary")
                || line.contains("Failed to move to new namespace")
        };
        self.has_ended && self.words.lines().any(is_about_sandbox)
    }
}

impl Browser {
    /// Returns the browser that `start` would use.
    pub fn find(program: Option<&str>) -> Result<PathBuf, DisplayError> {
        program::find(program)
    }

    /// Starts a browser and opens its first page.
    pub fn start(options: &BrowserOptions) -> Result<Browser, DisplayError> {
        let never: IsOver = Arc::new(|| false);
        Browser::start_until(options, &never)
    }

    /// Starts a browser like [`start`](Browser::start). Once `is_over` returns `true`, its waits end early.
    pub fn start_until(options: &BrowserOptions, is_over: &IsOver) -> Result<Browser, DisplayError> {
        let program = program::find(options.program.as_deref())?;
        let mut browser = match Browser::attempt_twice(&program, options, &[], is_over) {
            Ok(browser) => browser,
            Err(why) if why.lacks_sandbox() && !is_over() => {
                let mut bare = Browser::attempt_twice(&program, options, &["--no-sandbox"], is_over)
                    .map_err(|why| cannot_start(&program, &why))?;
                bare.notices.push(BARE.to_owned());
                bare
            }
            Err(why) => return Err(cannot_start(&program, &why)),
        };
        if let Some(url) = &options.url {
            browser.go_to(url)?;
        }
        Ok(browser)
    }

    /// Starts a browser, once more if it ends at once: on a busy machine, a good browser sometimes crashes as it starts.
    fn attempt_twice(
        program: &Path,
        options: &BrowserOptions,
        more: &[&str],
        is_over: &IsOver,
    ) -> Result<Browser, NoStart> {
        let began = Instant::now();
        match Browser::attempt(program, options, more, is_over) {
            Err(why) if !why.lacks_sandbox() && began.elapsed() < AT_ONCE && !is_over() => {
                Browser::attempt(program, options, more, is_over)
            }
            first => first,
        }
    }

    /// Starts a browser with an empty page.
    fn attempt(program: &Path, options: &BrowserOptions, more: &[&str], is_over: &IsOver) -> Result<Browser, NoStart> {
        let viewport = Viewport {
            width: options.width,
            height: options.height,
            scale: options.scale,
        };
        let size = format!("--window-size={},{}", options.width, options.height);
        let arguments = ARGUMENTS.iter().chain(more).copied().map(str::to_owned);
        let scale = format!("--force-device-scale-factor={}", options.scale);
        let arguments: Vec<String> = arguments.chain([size, scale, EMPTY.to_owned()]).collect();
        let Started {
            mut process,
            hears,
            says,
        } = process::start(program, &arguments).map_err(|error| NoStart::of(&error))?;
        let connection = Connection::over(hears, says, Tabs::none(viewport)).map_err(|error| NoStart::of(&error))?;
        connection.until(Arc::clone(is_over));
        let name = match prepare(&connection) {
            Ok(name) => name,
            Err(error) => {
                let has_ended = error.is_lost() || connection.is_gone();
                // Otherwise, the browser would not notice that nobody needs it any more.
                connection.hang_up();
                let words = process.last_words();
                return Err(NoStart { words, has_ended });
            }
        };
        Ok(Browser {
            connection,
            _process: process,
            name,
            viewport,
            notices: Vec::new(),
        })
    }

    /// Returns the browser's name and version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the user should know about how the browser was started.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Opens an address in the page in front. If the browser does not trust the address's certificate, or the server
    /// answers without a page, keeps the browser's own page, and records a notice.
    fn go_to(&mut self, url: &str) -> Result<(), DisplayError> {
        const DOING: &str = "opening the first page";
        let url = &address(url);
        let session = self
            .connection
            .with_tabs(|tabs| tabs.front().map(|tab| tab.session.clone()));
        let session = session.ok_or_else(|| DisplayError::failed(DOING, "there is no page"))?;
        let navigate = Command::to_page(&session, "Page.navigate", json!({ "url": url }));
        match self.connection.ask(&navigate, LOAD) {
            Ok(answer) => match answer["errorText"].as_str() {
                None | Some("") => Ok(()),
                Some(why) if why.starts_with("net::ERR_CERT_") || PAGELESS.contains(&why) => {
                    self.notices.push(format!("{url} cannot be opened: {why}"));
                    Ok(())
                }
                Some(why) => Err(DisplayError::Unavailable(format!(
                    "the browser cannot open {url} ({why}); check the address, and that its server is running"
                ))),
            },
            // The page in front is then another one, or there is none.
            Err(Unanswered::Refused(_)) if !self.connection.with_tabs(|tabs| tabs.has(&session)) => Ok(()),
            Err(Unanswered::Refused(why)) => Err(DisplayError::Unavailable(format!(
                "the browser cannot open {url} ({why}); use an address such as https://example.org"
            ))),
            Err(Unanswered::Late | Unanswered::InDialog) => Ok(()),
            Err(error @ Unanswered::Gone(_)) => Err(error.while_doing(DOING)),
        }?;
        match self.connection.with_tabs(|tabs| tabs.front().map(tabs::activated)) {
            Some(activated) => self
                .connection
                .tell(&activated)
                .map_err(|error| error.while_doing(DOING)),
            None => Ok(()),
        }
    }

    /// Opens an address in a new page, which comes to the front.
    pub fn open_page(&self, url: &str) -> Result<(), DisplayError> {
        let new = Command::to_browser("Target.createTarget", json!({ "url": url }));
        let opened = self.connection.ask(&new, LOAD);
        opened.map(drop).map_err(|error| error.while_doing("opening a page"))
    }

    /// Opens the browser as a desktop with one monitor. Once `is_over` returns `true`, its waits end early.
    pub fn open_until(&self, is_over: IsOver) -> Result<Box<dyn Display>, DisplayError> {
        self.connection.until(is_over);
        match self.connection.check(LOAD) {
            Ok(()) => {}
            Err(_) => return Err(DisplayError::Unavailable("the browser has ended".to_owned())),
        }
        Ok(Box::new(PageDisplay::new(
            self.connection.clone(),
            self.name.clone(),
            self.viewport,
        )))
    }

    /// Opens the browser like [`open_until`](Browser::open_until), but never ends a wait early.
    pub fn open(&self) -> Result<Box<dyn Display>, DisplayError> {
        self.open_until(Arc::new(|| false))
    }

    /// Returns a source for the elements of the page in front.
    pub fn elements(&self) -> impl ElementSource + use<> {
        PageElements::of(self.connection.clone(), self.viewport)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.connection.tell(&Command::to_browser("Browser.close", json!({})));
        self.connection.hang_up();
    }
}

/// Makes a browser report its pages, and waits for the first one. Returns the browser's name and version.
fn prepare(connection: &Connection) -> Result<String, DisplayError> {
    const DOING: &str = "starting the browser";
    let ask = |method, params| {
        let answer = connection.ask(&Command::to_browser(method, params), START);
        answer.map_err(|error| error.while_doing(DOING))
    };
    let pages = json!([{ "type": "page" }, { "exclude": true }]);
    let version: Value = ask("Browser.getVersion", json!({}))?;
    ask(
        "Target.setDiscoverTargets",
        json!({ "discover": true, "filter": pages }),
    )?;
    // A browser that does not know this command keeps its default, which is also to deny downloads if there is no
    // window.
    let deny = Command::to_browser("Browser.setDownloadBehavior", json!({ "behavior": "deny" }));
    let _ = connection.ask(&deny, START);
    ask(
        "Target.setAutoAttach",
        json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": pages }),
    )?;
    if !connection.wait_for_tabs(START, |tabs| tabs.front().is_some()) {
        return Err(DisplayError::failed(DOING, "it opened no page"));
    }
    Ok(version["product"].as_str().unwrap_or("a browser").replace('/', " "))
}

/// Completes an address that a person typed.
fn address(typed: &str) -> String {
    let is_whole = typed.contains("://") || ["about:", "data:"].iter().any(|scheme| typed.starts_with(scheme));
    let is_here = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|host| typed.starts_with(host));
    match (is_whole, is_here) {
        (true, _) => typed.to_owned(),
        (false, true) => format!("http://{typed}"),
        (false, false) => format!("https://{typed}"),
    }
}

fn cannot_start(program: &Path, NoStart { words, has_ended }: &NoStart) -> DisplayError {
    let mut lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(3);
    let why = match (&lines.split_off(first)[..], has_ended) {
        ([], true) => "it ended at once".to_owned(),
        ([], false) => "it did not respond in time".to_owned(),
        (said, _) => format!("it said \"{}\"", said.join("; ")),
    };
    DisplayError::Unavailable(format!(
        "{} cannot be started: {why}; name another browser with screen.browser",
        program.display()
    ))
}
