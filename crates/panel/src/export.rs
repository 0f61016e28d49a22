//! The history to keep: one HTML file that opens offline, and JSON lines.
