//! The model over HTTP: the story, the request, the reply, the client.
#![forbid(unsafe_code)]
