//! Receives the body of a request, within limits of size and time.

use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use tokio::time::timeout;

use super::answer::{HttpResponse, refusal};

/// The maximum size of a body in bytes. The longest value in one is a goal.
const LARGEST_BODY: usize = 64 << 10;

/// How long receiving a body may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Reads a request's body.
pub(super) async fn collect(body: &mut Incoming) -> Result<Bytes, Box<HttpResponse>> {
    let too_large = || {
        let sentence = format!("the request is larger than {LARGEST_BODY} bytes; send a shorter one");
        Box::new(refusal(StatusCode::PAYLOAD_TOO_LARGE, &sentence))
    };
    if body.size_hint().lower() > LARGEST_BODY as u64 {
        return Err(too_large());
    }
    match timeout(BODY_TIME, Limited::new(body, LARGEST_BODY).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Box::new(refusal(
            StatusCode::BAD_REQUEST,
            "the request arrived incomplete; send it again",
        ))),
        Err(_) => Err(Box::new(refusal(
            StatusCode::REQUEST_TIMEOUT,
            "the request took too long; send it again",
        ))),
    }
}
