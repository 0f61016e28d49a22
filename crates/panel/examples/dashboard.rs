//! Serves the dashboard for a run directory, for working on the page:
//! `cargo run -p franz-panel --example dashboard -- RUN 7878`.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use franz_panel::controls::LookOnly;
use franz_panel::history::History;
use franz_panel::runs::Runs;
use franz_panel::{Hub, web};
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let run = arguments.next().ok_or("name the directory of a run")?;
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let options = web::WebOptions {
        hub: Hub::default(),
        history: Arc::new(History::open(Path::new(&run))?),
        runs: Arc::new(Runs::below(
            &franz_home::View::open(Path::new(&run))?,
            Hub::default(),
            franz_secret::Secret::default(),
        )),
        registered: None,
        controls: Arc::new(LookOnly),
        token: "0123456789abcdef0123456789abcdef".to_owned(),
        allow_hosts: Vec::new(),
        codes: web::Codes::default(),
        secret: franz_secret::Secret::default(),
        dropped: Arc::new(|| 0),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        println!("http://{}/?token={}", listener.local_addr()?, options.token);
        web::serve(listener, options, std::future::pending()).await;
        Ok(())
    })
}
