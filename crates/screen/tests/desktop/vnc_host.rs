//! A VNC server with its own X server: `Xtigervnc`.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use franz_rfb::VncAddress;
use franz_screen::VncServer;
use tempfile::TempDir;
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, Rotation};
use x11rb::protocol::xinput::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, WindowClass};

use super::client::Client;

/// The password of the servers that require one.
pub(crate) const PASSWORD: &str = "secret12";

/// That password, in the format of `vncpasswd`.
const PASSWORD_FILE: [u8; 8] = [0x24, 0xb5, 0xae, 0x4c, 0xe1, 0x55, 0x03, 0xc6];

/// Who can connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Security {
    Open,
    Password,
}

/// A VNC server, which ends when this is dropped.
pub(crate) struct VncHost {
    process: Child,
    /// The programs on its screen.
    guests: Vec<Child>,
    display: String,
    pub(crate) port: u16,
    pub(crate) directory: TempDir,
}

impl VncHost {
    pub(crate) fn start(security: Security) -> VncHost {
        // Another program might take the port before the server does.
        (0..5)
            .find_map(|_| {
                let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
                VncHost::try_at(port, security)
            })
            .expect("a VNC server can be started")
    }

    /// Starts a server at the port of an earlier one.
    pub(crate) fn start_at(port: u16, security: Security) -> VncHost {
        super::stage::until("the VNC server is back", || VncHost::try_at(port, security))
    }

    fn try_at(port: u16, security: Security) -> Option<VncHost> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("password");
        std::fs::write(&file, PASSWORD_FILE).unwrap();
        let mut command = Command::new("Xtigervnc");
        command
            .args([
                "-displayfd",
                "1",
                "-geometry",
                "1000x700",
                "-depth",
                "24",
                "-nolisten",
                "tcp",
            ])
            .args(["-noreset", "-interface", "127.0.0.1", "-rfbport", &port.to_string()])
            .args(match security {
                Security::Open => &["-SecurityTypes", "None"][..],
                Security::Password => &["-SecurityTypes", "VncAuth"],
            })
            .arg("-PasswordFile")
            .arg(file)
            .env_remove("DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut number = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        let mut host = VncHost {
            process,
            guests: Vec::new(),
            display: format!(":{}", number.trim()),
            port,
            directory,
        };
        // A server that could not get its port has exited or is about to.
        let is_there = !number.trim().is_empty() && std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        (is_there && host.process.try_wait().unwrap().is_none()).then_some(host)
    }

    pub(crate) fn url(&self) -> String {
        format!("vnc://127.0.0.1:{}", self.port)
    }

    /// Returns the server as a screen, without a password.
    pub(crate) fn server(&self) -> VncServer {
        VncServer {
            locks: self.directory.path().to_owned(),
            ..VncServer::at(VncAddress {
                host: "127.0.0.1".to_owned(),
                port: self.port,
            })
        }
    }

    /// Starts a program on the server's screen.
    pub(crate) fn run(&mut self, program: &str, arguments: &[&str]) {
        self.guests.push(self.command(program).args(arguments).spawn().unwrap());
    }

    /// Starts a program on the server's screen, and waits until its window is there.
    pub(crate) fn open(&mut self, program: &str, arguments: &[&str]) {
        self.run(program, arguments);
        let Client { connection, root } = self.client();
        super::stage::until("the program's window is there", || {
            let windows = connection.query_tree(root).unwrap().reply().unwrap().children;
            let is_shown = |window: &u32| {
                // A window may have gone meanwhile.
                let asked = connection.get_window_attributes(*window).unwrap().reply();
                asked.is_ok_and(|it| it.map_state == MapState::VIEWABLE && it.class == WindowClass::INPUT_OUTPUT)
            };
            windows.iter().any(is_shown).then_some(())
        });
    }

    /// Returns a program that has yet to be started.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.directory.path())
            .env("DISPLAY", &self.display)
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_RUNTIME_DIR", self.directory.path())
            .env("NO_AT_BRIDGE", "1")
            .env_remove("XAUTHORITY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Connects directly to the X server, bypassing VNC.
    pub(crate) fn client(&self) -> Client {
        let (connection, screen) = x11rb::connect(Some(&self.display)).unwrap();
        connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let root = connection.setup().roots[screen].root;
        Client { connection, root }
    }

    /// Changes the server's screen size.
    pub(crate) fn resize(&self, width: u16, height: u16) {
        let Client { connection, root } = self.client();
        let asked = connection.randr_get_screen_resources_current(root);
        let known = asked.unwrap().reply().unwrap();
        let modes = &mut known.modes.iter();
        let mode = modes.find(|mode| (mode.width, mode.height) == (width, height));
        let mode = mode.expect("the server knows this size").id;
        let (crtc, time) = (known.crtcs[0], known.config_timestamp);
        let set = |mode: u32, outputs: &[u32]| {
            let (now, rotation) = (x11rb::CURRENT_TIME, Rotation::ROTATE0);
            let asked = connection.randr_set_crtc_config(crtc, now, time, 0, 0, mode, rotation, outputs);
            asked.unwrap().reply().unwrap();
        };
        set(x11rb::NONE, &[]);
        let asked = connection.randr_set_screen_size(root, width, height, 300, 200);
        asked.unwrap().check().unwrap();
        set(mode, &known.outputs[..1]);
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for VncHost {
    fn drop(&mut self) {
        self.kill();
        for guest in &mut self.guests {
            let _ = guest.kill();
            let _ = guest.wait();
        }
    }
}
