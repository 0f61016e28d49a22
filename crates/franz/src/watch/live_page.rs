//! The page of a live run or of the standing panel, as another process of the same person opens it.

use std::io;
use std::net::SocketAddr;

use anyhow::Result;
use franz_home::View;

use super::access::DashboardAccess;
use super::browser;
use super::standing_panel::StandingPanel;
use crate::exit::Unusable;

/// A page that can be opened.
pub(crate) struct LivePage {
    access: DashboardAccess,
}

impl LivePage {
    /// Returns the page of the standing panel; `None` if none is running.
    pub(crate) fn of_panel() -> Option<LivePage> {
        let access = StandingPanel::find()?.access;
        Some(LivePage { access })
    }

    /// Returns the page that the run's directory names; `None` if it names none.
    pub(crate) fn of_run(run: &View) -> Option<LivePage> {
        let access = DashboardAccess::read(run)?;
        Some(LivePage { access })
    }

    /// Returns the address that opens the page.
    pub(crate) fn link(&self) -> String {
        self.access.link()
    }

    /// Returns an address that opens the page once. Fails if the page's process does not respond.
    pub(crate) async fn link_once(&self) -> Result<String> {
        let code = crate::random()?;
        let opened = self.access.open_code(code.clone()).await;
        opened.map_err(|error| {
            let address = &self.access.address;
            Unusable::usage(format!("the page at {address} cannot be opened: {error}"))
        })?;
        Ok(format!("{}/?code={code}", self.access.address))
    }
}

impl DashboardAccess {
    /// Returns the address to connect to.
    pub(super) fn socket(&self) -> io::Result<SocketAddr> {
        let address = self.address.strip_prefix("http://");
        let address = address.and_then(|address| address.parse().ok());
        address.ok_or_else(|| io::Error::other("its address cannot be read"))
    }
}

/// Opens an address in the person's browser, if they have a terminal and a display.
pub(crate) fn open_browser(link: &str) {
    if browser::can_open() {
        browser::start(link);
    }
}
