//! A dashboard for a run that the test records. It listens on a free port.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use franz_json::{Raw, Story};
use franz_panel::controls::{AgentCommand, Controls, LookOnly, Refused, SettingsPage, ShownSetting};
use franz_panel::history::History;
use franz_panel::registered_runs::{PROTOCOL, RegisteredRuns, Registration, RunStatus};
use franz_panel::runs::Runs;
use franz_panel::{Hub, web};
use franz_record::{PictureFile, PictureName, Run, RunOptions, StoredStory, TurnLine};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::web::wire::{self, Reply};

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A run on disk.
pub(crate) struct Recorder {
    pub(crate) place: TempDir,
    run: Run,
}

impl Recorder {
    pub(crate) fn new() -> Recorder {
        Recorder::with(RunOptions::default())
    }

    pub(crate) fn with(options: RunOptions) -> Recorder {
        let place = tempfile::tempdir().unwrap();
        let (run, _) = Run::create(Some(&place.path().join("run_1")), place.path(), options).unwrap();
        Recorder { place, run }
    }

    /// Records `turn` as an agent would, with this literal as its reply.
    pub(crate) fn turn(&mut self, turn: u64, reply: &str) -> &mut Recorder {
        let line = line(turn, reply);
        self.line(&line)
    }

    pub(crate) fn line(&mut self, line: &TurnLine) -> &mut Recorder {
        self.run.append_turn(line).unwrap();
        self
    }

    pub(crate) fn picture(&mut self, name: PictureName, bytes: &[u8]) -> &mut Recorder {
        self.run.write_picture(name, PictureFile::Png(bytes)).unwrap();
        self
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.run.path().to_owned()
    }

    pub(crate) fn verdicts(&self, lines: &str) -> &Recorder {
        append(&self.directory().join("verdicts.jsonl"), lines.as_bytes());
        self
    }
}

pub(crate) fn append(path: &Path, bytes: &[u8]) {
    use std::io::Write as _;
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// Returns a turn with this literal as its reply.
pub(crate) fn line(turn: u64, reply: &str) -> TurnLine {
    TurnLine {
        story: StoredStory::Full(Raw::string("a story of before").try_into().unwrap()),
        reply: Some(Story::from_raw(reply).unwrap()),
        ..TurnLine::new(turn, "2026-01-02T03:04:05Z")
    }
}

/// Remembers what the dashboard asked the run to do.
#[derive(Default)]
pub(crate) struct Puppet {
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Controls for Puppet {
    fn command(&self, command: AgentCommand) -> Result<(), Refused> {
        self.asked.lock().unwrap().push(format!("{command:?}"));
        match command {
            AgentCommand::Stop => Err(Refused::NothingThere("no agent".to_owned())),
            _ => Ok(()),
        }
    }

    fn settings(&self) -> Result<Option<SettingsPage>, Refused> {
        let setting = ShownSetting {
            key: "prompt.goal".to_owned(),
            text: "draw sk-hidden-0123".to_owned(),
            ..ShownSetting::default()
        };
        Ok(Some(SettingsPage {
            hash: "h1".to_owned(),
            keys: vec![setting],
        }))
    }

    fn set(&self, key: &str, text: &str, hash: &str) -> Result<String, Refused> {
        self.asked.lock().unwrap().push(format!("{key}={text} if {hash}"));
        match (key, hash) {
            (_, "old") => Err(Refused::Changed),
            ("wide", _) => Err(Refused::Forbidden("that is wider".to_owned())),
            ("odd", _) => Err(Refused::Wrong("no such key".to_owned())),
            ("broken", _) => Err(Refused::Failed("the disk is full".to_owned())),
            _ => Ok("h2".to_owned()),
        }
    }
}

/// A dashboard that is served until this value is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) hub: Hub,
    pub(crate) puppet: Arc<Puppet>,
    pub(crate) codes: web::Codes,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

impl Site {
    pub(crate) async fn over(directory: &Path) -> Site {
        let puppet: Arc<Puppet> = Arc::default();
        let controls: Arc<dyn Controls> = Arc::clone(&puppet) as Arc<dyn Controls>;
        Site::with(directory, puppet, controls).await
    }

    pub(crate) async fn with(directory: &Path, puppet: Arc<Puppet>, controls: Arc<dyn Controls>) -> Site {
        Site::hiding("sk-hidden-0123", directory, puppet, controls).await
    }

    /// Serves a dashboard that must not show this key anywhere.
    pub(crate) async fn hiding(
        secret: &str,
        directory: &Path,
        puppet: Arc<Puppet>,
        controls: Arc<dyn Controls>,
    ) -> Site {
        Site::serving(directory, puppet, controls, secret, false).await
    }

    /// Serves the dashboard of a panel with which runs can register.
    pub(crate) async fn standing(directory: &Path) -> Site {
        Site::serving(directory, Arc::default(), Arc::new(LookOnly), "sk-hidden-0123", true).await
    }

    async fn serving(
        directory: &Path,
        puppet: Arc<Puppet>,
        controls: Arc<dyn Controls>,
        secret: &str,
        is_standing: bool,
    ) -> Site {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let hub = Hub::default();
        let codes = web::Codes::default();
        let options = web::WebOptions {
            hub: hub.clone(),
            history: Arc::new(History::open(directory).unwrap()),
            runs: Arc::new(Runs::below(
                &franz_home::View::open(directory).unwrap(),
                hub.clone(),
                franz_secret::Secret::new([secret]),
            )),
            registered: is_standing.then(|| Arc::new(RegisteredRuns::new(hub.clone()))),
            controls,
            token: TOKEN.to_owned(),
            allow_hosts: vec!["Box.example".to_owned(), "proxy.example:99".to_owned()],
            codes: codes.clone(),
            secret: franz_secret::Secret::new([secret]),
            dropped: Arc::new(|| 7),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move { drop(stopped.await) };
        let serving = tokio::spawn(web::serve(listener, options, shutdown));
        Site {
            address,
            hub,
            puppet,
            codes,
            stop: Some(stop),
            serving: Some(serving),
        }
    }

    /// Registers the run that `other` serves, under the name `run`. It stays registered as long as the connection
    /// lasts.
    pub(crate) async fn register(&self, other: &Site) -> TcpStream {
        let body = Registration {
            protocol: PROTOCOL,
            version: String::new(),
            name: "run".to_owned(),
            directory: "/nowhere".into(),
            dashboard: other.address,
            token: TOKEN.to_owned(),
            code: None,
            status: RunStatus::default(),
        };
        let body = serde_json::to_string(&body).unwrap();
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n",
            web::REGISTER,
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let mut status = [0; 15];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200 OK");
        stream
    }

    /// Tells the server to shut down.
    pub(crate) fn end(&mut self) {
        drop(self.stop.take());
    }

    /// Shuts the server down, and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        self.end();
        self.serving.take().unwrap().await.unwrap();
    }

    /// Gets `path`, with the token, as a script would.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"").await
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        serde_json::from_slice(&reply.body).unwrap()
    }

    /// Sends a request with the token and these additional headers.
    pub(crate) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let bearer = format!("Bearer {TOKEN}");
        let mut all = vec![("Authorization", &*bearer)];
        all.extend(headers);
        self.stranger(method, path, &all, body).await
    }

    /// Sends a request with nothing but these headers and, unless they contain one, a correct `Host`.
    pub(crate) async fn stranger(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let host = self.address.to_string();
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&wire::line("Host", &host));
        }
        for (name, value) in headers {
            head.push_str(&wire::line(name, value));
        }
        if !body.is_empty() {
            head.push_str(&wire::line("Content-Length", &body.len().to_string()));
        }
        head.push_str("Connection: close\r\n\r\n");
        self.raw(&[head.as_bytes(), body].concat()).await
    }

    /// Sends these bytes and reads until the connection ends.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> Reply {
        wire::exchange(self.address, bytes).await
    }
}
