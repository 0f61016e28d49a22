//! A third-party model server. It answers each path with a prepared response, and counts the requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A path, the status and the body. If several routes have the same path, each of them answers once, in order, and the
/// last one keeps answering.
pub(crate) type Route = (&'static str, u16, String);

/// The server, which runs until the test ends.
pub(crate) struct Routes {
    pub(crate) url: String,
    answers: Arc<Mutex<Vec<Route>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Routes {
    /// Starts a server that answers these paths, and all others with 404.
    pub(crate) fn serve(routes: Vec<Route>) -> Routes {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let routes = Arc::new(Mutex::new(routes));
        let (served, seen) = (Arc::clone(&routes), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                answer(stream, &served, &seen);
            }
        });
        Routes {
            url,
            answers: routes,
            asked,
        }
    }

    /// Answers these paths from now on.
    pub(crate) fn change(&self, routes: Vec<Route>) {
        *self.answers.lock().unwrap() = routes;
    }

    /// Returns how often this path was requested.
    pub(crate) fn count(&self, path: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|known| *known == path).count()
    }
}

fn answer(stream: TcpStream, routes: &Mutex<Vec<Route>>, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let Some(path) = request(&mut reader) else { return };
    let route = next(&mut routes.lock().unwrap(), &path);
    let (status, body) = route.map_or((404, String::new()), |(_, status, body)| (status, body));
    asked.lock().unwrap().push(path);
    let head = format!(
        "HTTP/1.1 {status} Said\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // A client that has disconnected needs no answer.
    let _ = reader.get_mut().write_all(format!("{head}{body}").as_bytes());
}

/// Returns the route that answers this path now. Removes the route unless it is the last one for the path.
fn next(routes: &mut Vec<Route>, path: &str) -> Option<Route> {
    let mut places = (0..routes.len()).filter(|&place| routes[place].0 == path);
    let (first, is_last) = (places.next()?, places.next().is_none());
    Some(if is_last {
        routes[first].clone()
    } else {
        routes.remove(first)
    })
}

/// Reads a whole request, and returns its path.
fn request(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let line = line.to_lowercase();
        if line.trim().is_empty() {
            break;
        }
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse().ok()?;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    first.split(' ').nth(1).map(str::to_owned)
}
