//! Chromium with one page, which reports in its title what happened on it.

use std::fs;

use x11rb::protocol::xproto::Window;

use super::client::Client;
use super::stage::{Stage, until};

/// The beginning of every page. `say` puts text into the title, as code points, because titles lose white space.
const HEAD: &str = "<!doctype html><meta charset=utf-8><title>-</title><script>\
    const say = text => document.title = Array.from(text, c => c.codePointAt(0).toString(16)).join(' ') || '-';\
    </script><body style='margin:0'>";

pub(crate) struct Browser {
    client: Client,
    window: Window,
}

impl Browser {
    /// Opens a page, which reports `ready` as soon as it has the keyboard focus.
    pub(crate) fn open(stage: &mut Stage, page: &str) -> Browser {
        let path = stage.path("page.html");
        fs::write(&path, format!("{HEAD}{page}")).unwrap();
        let profile = format!("--user-data-dir={}", stage.path("profile").display());
        let app = format!("--app=file://{}", path.display());
        let quiet = [
            "--no-sandbox",
            "--no-first-run",
            "--disable-gpu",
            "--password-store=basic",
            "--disable-sync",
        ];
        let arguments: Vec<_> = quiet.into_iter().chain([profile.as_str(), app.as_str()]).collect();
        let arguments: Vec<_> = arguments
            .into_iter()
            .chain(["--window-position=0,0", "--window-size=900,600"])
            .collect();
        stage.run("chromium", &arguments);
        let client = Client::of(&*stage.desktop);
        let window = client.focused("chromium");
        let browser = Browser { client, window };
        until("the page is ready", || (browser.said() == "ready").then_some(()));
        browser
    }

    /// Returns the last text that the page reported.
    pub(crate) fn said(&self) -> String {
        let title = self.client.text_of(self.window, "_NET_WM_NAME");
        title
            .split(' ')
            .filter_map(|word| char::from_u32(u32::from_str_radix(word, 16).ok()?))
            .collect()
    }

    /// Waits until the page reports this text. Returns the last text that it reported, even if the expected one never
    /// came.
    pub(crate) fn says(&self, expected: &str) -> String {
        let mut last = String::new();
        let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
        while std::time::Instant::now() < deadline {
            last = self.said();
            if last == expected {
                break;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(20));
        }
        last
    }
}
