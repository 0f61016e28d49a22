//! A llama.cpp server whose model gives scripted replies, one after the other.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The server, which is killed when this value is dropped. If a test is killed, the server ends on its own, because its
/// standard input is closed.
pub(crate) struct Parrot {
    server: Child,
    folder: tempfile::TempDir,
    pub(crate) url: String,
    /// Whether the chat template tells the model about tools.
    pub(crate) template_shows_tools: bool,
}

/// A reply of the model.
pub(crate) struct Said {
    pub(crate) text: String,
    /// Words of the reply that come back with the conversation, whatever the chat template does to the rest.
    pub(crate) mark: String,
}

impl Parrot {
    /// Starts a server that lists its model as `model`. The chat template is that of the model `template` in
    /// Xinference.
    pub(crate) fn start(template: &str, model: &str, replies: &[Said]) -> Parrot {
        Parrot::with_context(template, model, replies, None)
    }

    /// Starts the same server with a context of this many tokens in Qwen2's vocabulary. Without `context`, every byte
    /// is a token and the context is long.
    pub(crate) fn with_context(template: &str, model: &str, replies: &[Said], context: Option<u64>) -> Parrot {
        let mut wanted = json!({ "template": template, "model": model });
        if let Some(context) = context {
            wanted["context"] = json!(context);
            wanted["vocabulary"] = json!(installed().join("qwen2.json"));
        }
        Parrot::launch(wanted, replies)
    }

    /// Starts a server with this text as its chat template.
    pub(crate) fn with_template(text: &str, model: &str, replies: &[Said]) -> Parrot {
        Parrot::launch(json!({ "template_text": text, "model": model }), replies)
    }

    /// Starts a server whose model writes random text, with one byte per token.
    pub(crate) fn babbling(template: &str, model: &str) -> Parrot {
        Parrot::launch(json!({ "template": template, "model": model, "seed": 1 }), &[])
    }

    fn launch(mut wanted: Value, replies: &[Said]) -> Parrot {
        let python = installed().join("bin/python");
        assert!(
            python.exists(),
            "there is no {}: `cargo xtask model-server` installs a model server",
            python.display()
        );
        let folder = tempfile::tempdir().unwrap();
        let server = Command::new(python)
            .arg("-B") // write no files next to the script
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/real_server/parrot.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("log")).unwrap())
            .spawn();
        let mut parrot = Parrot {
            server: server.unwrap(),
            folder,
            url: String::new(),
            template_shows_tools: false,
        };
        let replies: Vec<Value> = replies
            .iter()
            .map(|said| json!({ "text": said.text, "mark": said.mark }))
            .collect();
        wanted["folder"] = json!(parrot.folder.path());
        wanted["replies"] = json!(replies);
        writeln!(parrot.server.stdin.as_mut().unwrap(), "{wanted}").unwrap();
        // llama.cpp also prints remarks about some templates there.
        let lines = BufReader::new(parrot.server.stdout.as_mut().unwrap()).lines();
        let ready = lines.map_while(Result::ok).find(|line| line.starts_with("{\"url\""));
        let ready = ready.unwrap_or_else(|| panic!("the model server did not start:\n{}", parrot.log()));
        let ready: Value = serde_json::from_str(&ready).unwrap();
        ready["url"].as_str().unwrap().clone_into(&mut parrot.url);
        parrot.template_shows_tools = ready["template_shows_tools"].as_bool().unwrap();
        parrot
    }

    /// Returns the server's log.
    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Parrot {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Returns the directory in the build output in which `cargo xtask model-server` installs the server.
pub(crate) fn installed() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("model-server")
}
