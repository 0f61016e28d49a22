//! A proxy in front of the real server, which makes it pass for LM Studio. LM Studio uses the same engine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Listens in front of a server, and returns the address.
pub(crate) fn as_lm_studio(url: &str, model: &'static str) -> String {
    let server = url.strip_prefix("http://").unwrap().to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(stream), server) = (stream, server.clone()) else {
                return;
            };
            // The client is free to drop the connection.
            std::thread::spawn(move || pass(&stream, &server, model));
        }
    });
    format!("http://{address}")
}

/// Passes one request on, unless only LM Studio or only llama.cpp would know the answer.
fn pass(mut stream: &TcpStream, server: &str, model: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let name = line.to_ascii_lowercase();
        if let Some(value) = name.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if !name.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let answer = if head.starts_with("GET /api/v0/models ") {
        let models = format!(r#"{{"data":[{{"id":"{model}","type":"vlm","state":"loaded"}}]}}"#);
        let (length, end) = (models.len(), "connection: close\r\n\r\n");
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{end}{models}").into_bytes()
    } else if head.starts_with("GET /props ") {
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()
    } else {
        let mut server = TcpStream::connect(server)?;
        let head = head.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        server.write_all(&[head.as_bytes(), &body].concat())?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        answer
    };
    stream.write_all(&answer)
}
