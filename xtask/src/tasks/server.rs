//! The model's server, which answers one request at a time.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};

use super::player::Player;
use crate::http;

/// A server that answers for one player until the program ends.
pub(super) struct Server {
    address: SocketAddr,
    player: Arc<Mutex<Player>>,
}

impl Server {
    pub(super) fn start(player: Player) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let player = Arc::new(Mutex::new(player));
        let answering = Arc::clone(&player);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let player = Arc::clone(&answering);
                std::thread::spawn(move || {
                    if let Err(error) = converse(&stream, &player) {
                        eprintln!("the simulated model: {error:#}");
                    }
                });
            }
        });
        Ok(Server { address, player })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops the server and returns the player.
    pub(super) fn stop(self) -> Player {
        self.player.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn converse(stream: &TcpStream, player: &Mutex<Player>) -> Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut start = String::new();
        if reader.read_line(&mut start)? == 0 {
            return Ok(());
        }
        let mut body = Vec::new();
        let length = http::length(&mut reader)?;
        reader.by_ref().take(length).read_to_end(&mut body)?;
        let answer = if start.starts_with("POST ") && start.contains("/chat/completions") {
            let request: Value = serde_json::from_slice(&body)?;
            let mut player = player.lock().unwrap_or_else(PoisonError::into_inner);
            completion(&player.answer(&request)?)
        } else {
            json!({"object": "list", "data": [{"id": "simulated", "object": "model"}]})
        };
        http::answer(stream, &answer.to_string())?;
    }
}

fn completion(calls: &[(&'static str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(number, (name, arguments))| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{number}"), "type": "function", "function": function})
        })
        .collect();
    let message = json!({"role": "assistant", "content": "The next step.", "tool_calls": calls});
    json!({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
}
