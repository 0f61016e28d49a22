//! A llama.cpp server whose model says given replies, one after the other.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The server; killed when dropped. It also ends by itself when its standard input does, should a test be killed.
pub(crate) struct Parrot {
    server: Child,
    folder: tempfile::TempDir,
    pub(crate) url: String,
    /// Whether the chat template tells the model of tools.
    pub(crate) template_shows_tools: bool,
}

/// A reply of the model.
pub(crate) struct Said {
    pub(crate) text: String,
    /// Words in it that come back with the conversation, whatever the chat template makes of the rest.
    pub(crate) mark: String,
}

impl Parrot {
    /// Starts a server that lists its model under a name, with the chat template of the model called so in Xinference.
    pub(crate) fn start(template: &str, model: &str, replies: &[Said]) -> Parrot {
        Parrot::with_context(template, model, replies, None)
    }

    /// The same, with a context of so many tokens of Qwen2's vocabulary; otherwise every byte is a token, and the context long.
    pub(crate) fn with_context(template: &str, model: &str, replies: &[Said], context: Option<u64>) -> Parrot {
        let mut wanted = json!({ "template": template, "model": model });
        if let Some(context) = context {
            wanted["context"] = json!(context);
            wanted["vocabulary"] = json!(installed().join("qwen2.json"));
        }
        Parrot::launch(wanted, replies)
    }

    /// Starts a server with a chat template of this text.
    pub(crate) fn with_template(text: &str, model: &str, replies: &[Said]) -> Parrot {
        Parrot::launch(json!({ "template_text": text, "model": model }), replies)
    }

    /// Starts a server whose model says anything, a byte a token.
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
            .arg("-B") // without files beside the script
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
        // llama.cpp remarks on some templates there, too.
        let lines = BufReader::new(parrot.server.stdout.as_mut().unwrap()).lines();
        let ready = lines.map_while(Result::ok).find(|line| line.starts_with("{\"url\""));
        let ready = ready.unwrap_or_else(|| panic!("the model server did not start:\n{}", parrot.log()));
        let ready: Value = serde_json::from_str(&ready).unwrap();
        ready["url"].as_str().unwrap().clone_into(&mut parrot.url);
        parrot.template_shows_tools = ready["template_shows_tools"].as_bool().unwrap();
        parrot
    }

    /// What the server complained about.
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

/// Where `cargo xtask model-server` installs the server, in the build output.
pub(crate) fn installed() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("model-server")
}
