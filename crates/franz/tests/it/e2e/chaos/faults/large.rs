//! Answers too large to be of use.

use super::{CHUNKED, Fault, OPEN, Weight, fault};
use crate::e2e::chaos::server::Act;

/// One megabyte. Nobody sends an answer of a hundred of these on purpose.
const PIECE: usize = 1 << 20;

pub(super) fn all() -> Vec<Fault> {
    let flood = |name, start: &str, piece: &str, times, told| Fault {
        weight: Weight::Heavy,
        ..fault(
            name,
            Act::Flood(start.into(), piece.repeat(PIECE / piece.len()).into(), times),
            told,
        )
    };
    let chunk = format!("{:x}\r\n{}\r\n", PIECE, "0".repeat(PIECE));
    let announced = format!("{OPEN}Content-Length: {}\r\n\r\n", 100 * PIECE);
    let open = format!("{OPEN}\r\n");
    vec![
        flood(
            "100 MB that were announced",
            &announced,
            "0",
            Some(100),
            "larger than 64 MB",
        ),
        flood("100 MB that were not", &open, "0", Some(100), "larger than 64 MB"),
        Fault {
            weight: Weight::Heavy,
            ..fault(
                "a stream of 100 MB",
                Act::Flood(CHUNKED.into(), chunk.into(), Some(100)),
                "larger than 64 MB",
            )
        },
        flood("an answer without end", &open, "0", None, "larger than 64 MB"),
        flood(
            "100 MB of headers",
            OPEN,
            "X-Header: 0123456789\r\n",
            Some(100),
            "the response's head never ends",
        ),
        flood(
            "a header of 100 MB",
            &format!("{OPEN}X: "),
            "x",
            Some(100),
            "the response's head never ends",
        ),
        flood(
            "a refusal without end",
            "HTTP/1.1 503 Busy\r\n\r\n",
            "busy ",
            None,
            "returned 503: busy busy",
        ),
    ]
}
