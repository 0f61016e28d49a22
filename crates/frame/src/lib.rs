//! Pixels: frames, scaling, drawing, marks and PNG encoding.
//!
//! The crate is pure except for one lookup: it reads the system's fonts when text contains a character that the bundled
//! font lacks.
//!
//! In reading order: [`area`] is a rectangle of pixels, [`frame`] is a picture in memory, in a layout of
//! [`pixel_format`], and [`scale`] resizes it for the model. [`look`] compares pictures. [`color`] and [`draw`] paint
//! shapes on a frame, [`text`] writes on it, [`marks`] shows where each action took place, and [`png`] encodes the
//! result.
//!
//! This crate deliberately does not capture pictures, which is a screen's job. It supports no other file formats,
//! because all model servers accept PNG and some refuse others. It does no text shaping: characters are drawn one by
//! one, from left to right.
#![forbid(unsafe_code)]

pub mod area;
pub mod color;
pub mod draw;
pub mod frame;
pub mod look;
pub mod marks;
pub mod pixel_format;
pub mod png;
pub mod scale;
pub mod text;

pub use area::Area;
pub use color::{Color, Paint};
pub use frame::{Frame, FrameError};
pub use look::{Difference, Motion};
pub use marks::{MarkData, Marker, Marks};
pub use pixel_format::PixelFormat;
pub use png::PngError;
pub use scale::Scaler;
pub use text::{Lettering, Missing};
