//! The desktop of Windows, with real programs.
#![cfg(windows)]
