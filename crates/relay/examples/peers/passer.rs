//! Runs the relay as a process, with a consumer for its copies.

use std::net::Ipv4Addr;

use franz_relay::{ClientKeys, Copies, Relay, RelayOptions};

use crate::{Outcome, RUN_KEY};

/// Relays to the origin until the process is stopped.
pub(crate) fn serve(origin: u16, stuck: bool) -> Outcome {
    let (copies, reader) = Copies::queue();
    std::thread::spawn(move || {
        if stuck {
            loop {
                std::thread::park();
            }
        }
        while let Some(exchange) = reader.next() {
            std::hint::black_box((
                exchange.request.payload().is_ok(),
                exchange.response.map(|response| response.payload().is_ok()),
            ));
        }
    });
    let options = RelayOptions {
        keys: ClientKeys {
            run: Some(RUN_KEY.to_owned()),
            relay: None,
        },
        ..RelayOptions::new(format!("http://127.0.0.1:{origin}").parse()?, copies)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let relay = Relay::bind((Ipv4Addr::LOCALHOST, 0).into(), options).await?;
        println!("{}", relay.address().port());
        relay.serve(std::future::pending()).await;
        Ok(())
    })
}
