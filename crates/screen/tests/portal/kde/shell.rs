//! The Plasma desktop in a private session, with a person who presses buttons and looks at windows through their
//! accessibility.

use std::path::PathBuf;
use std::process::Command;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use zbus::{Connection, DynamicType, OwnedObjectPath, OwnedVariant, Type, connection};

use crate::stage::until;

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const KEYBOARD: &str = "org.kde.keyboard";
const LAYOUTS: (&str, &str) = (KEYBOARD, "org.kde.KeyboardLayouts");
const PORTAL: &str = "org.freedesktop.portal.Desktop";
const SESSIONS: &str = "/org/freedesktop/portal/desktop/session";

/// A part of a program's window: the program's name on the bus, and the path of the part.
type Part = (String, OwnedObjectPath);

/// The number of the state of a window that has the keyboard.
const ACTIVE: u32 = 1;

/// How deep the parts of a window are nested at most.
const DEPTH: usize = 24;

/// The connections to the desktop and to what programs tell about their windows.
pub(crate) struct Shell {
    runtime: Runtime,
    bus: Connection,
    windows: Connection,
}

impl Shell {
    pub(crate) fn connect() -> Shell {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (bus, windows) = runtime.block_on(async {
            let bus = Connection::session().await.unwrap();
            let asked = bus.call_method(
                Some("org.a11y.Bus"),
                "/org/a11y/bus",
                Some("org.a11y.Bus"),
                "GetAddress",
                &(),
            );
            let address: String = asked.await.unwrap().body().deserialize().unwrap();
            let windows = connection::Builder::address(&*address).build().await.unwrap();
            (bus, windows)
        });
        Shell { runtime, bus, windows }
    }

    fn call<T: DeserializeOwned + Type>(
        &self,
        bus: &Connection,
        path: &str,
        (name, interface): (&str, &str),
        method: &str,
        body: &(impl Serialize + DynamicType),
    ) -> zbus::Result<T> {
        self.runtime.block_on(async {
            let called = bus.call_method(Some(name), path, Some(interface), method, body);
            called.await?.body().deserialize()
        })
    }

    fn ask<T: DeserializeOwned + Type>(&self, part: &Part, method: &str) -> Option<T> {
        let of = (&*part.0, ACCESSIBLE);
        self.call(&self.windows, part.1.as_str(), of, method, &()).ok()
    }

    fn name(&self, part: &Part) -> Option<String> {
        let asked = (ACCESSIBLE, "Name");
        let name = self.call::<OwnedVariant>(&self.windows, part.1.as_str(), (&*part.0, PROPERTIES), "Get", &asked);
        String::try_from(name.ok()?).ok()
    }

    /// Returns all parts of the windows that are open.
    fn parts(&self) -> Vec<Part> {
        let root = OwnedObjectPath::try_from("/org/a11y/atspi/accessible/root").unwrap();
        let mut level = vec![("org.a11y.atspi.Registry".to_owned(), root)];
        let mut parts = Vec::new();
        for _ in 0..DEPTH {
            let children = |part: &Part| self.ask::<Vec<Part>>(part, "GetChildren");
            level = level.iter().filter_map(children).flatten().collect();
            parts.extend(level.iter().cloned());
        }
        parts
    }

    /// Returns the button with this name, if it is there.
    fn button(&self, name: &str) -> Option<Part> {
        let is_it = |part: &Part| {
            self.name(part).as_deref() == Some(name)
                && self
                    .ask::<String>(part, "GetRoleName")
                    .is_some_and(|role| role.contains("button"))
        };
        self.parts().into_iter().find(is_it)
    }

    /// Waits for the portal's question, and presses one of its buttons.
    fn answer(&self, name: &str) {
        let button = until("the portal asks", || self.button(name));
        let to = (&*button.0, "org.a11y.atspi.Action");
        let pressed = self.call::<bool>(&self.windows, button.1.as_str(), to, "DoAction", &(0,));
        assert!(pressed.unwrap(), "{name} cannot be pressed");
    }

    pub(crate) fn allow(&self) {
        self.answer("Share");
    }

    pub(crate) fn deny(&self) {
        self.answer("Cancel");
    }

    /// Returns whether the window with this title has the keyboard.
    pub(crate) fn has_focus(&self, title: &str) -> bool {
        let is_active = |part: &Part| {
            let states = self.ask::<Vec<u32>>(part, "GetState").unwrap_or_default();
            states.first().is_some_and(|states| states >> ACTIVE & 1 == 1)
        };
        let is_it = |part: &Part| self.name(part).as_deref() == Some(title) && is_active(part);
        self.parts().iter().any(is_it)
    }

    /// Gives the keyboard these layouts, and uses the one with this number.
    pub(crate) fn use_layout(&self, layouts: &str, layout: u32) {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap()).join(".config");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(
            home.join("kxkbrc"),
            format!("[Layout]\nUse=true\nLayoutList={layouts}\n"),
        )
        .unwrap();
        let changed = self
            .bus
            .emit_signal(None::<&str>, "/Layouts", KEYBOARD, "reloadConfig", &());
        self.runtime.block_on(changed).unwrap();
        until("the layout is in use", || {
            self.call::<bool>(&self.bus, "/Layouts", LAYOUTS, "setLayout", &(layout,))
                .ok()?;
            let used = self.call::<u32>(&self.bus, "/Layouts", LAYOUTS, "getLayout", &());
            (used.ok()? == layout).then_some(())
        });
    }

    /// Ends the portal's sessions, as the icon in the panel does.
    pub(crate) fn end(&self) {
        let inspect = |path: &str| {
            let place = (PORTAL, "org.freedesktop.DBus.Introspectable");
            self.call::<String>(&self.bus, path, place, "Introspect", &()).unwrap()
        };
        let nodes = |xml: &str| -> Vec<String> {
            let named = xml.split("<node name=\"").skip(1);
            named.map(|node| node.split('"').next().unwrap().to_owned()).collect()
        };
        let mut ended = 0;
        for owner in nodes(&inspect(SESSIONS)) {
            for session in nodes(&inspect(&format!("{SESSIONS}/{owner}"))) {
                let path = format!("{SESSIONS}/{owner}/{session}");
                let place = (
                    "org.freedesktop.impl.portal.desktop.kde",
                    "org.freedesktop.impl.portal.Session",
                );
                self.call::<()>(&self.bus, &path, place, "Close", &()).unwrap();
                ended += 1;
            }
        }
        assert_ne!(ended, 0);
    }

    /// Shows the monitor at scale 2.
    #[expect(clippy::unused_self, reason = "GNOME's is called in the same way")]
    pub(crate) fn set_scale_2(&mut self) {
        let set = Command::new("kscreen-doctor").arg("output.1.scale.2").status().unwrap();
        assert!(set.success());
    }
}
