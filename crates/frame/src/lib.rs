//! Pixels: frames, scaling, drawing, marks and PNG encoding.
//!
//! Pure except for one lookup: the system's fonts are read when a text contains a character that the bundled font
//! lacks.
//!
//! In reading order: [`area`] is a rectangle of pixels, [`frame`] is a picture in memory, and [`scale`] resizes it for
//! the model. [`look`] compares pictures. [`color`] and [`draw`] paint shapes on it, [`text`] writes, [`marks`] shows
//! what was done where, and [`png`] encodes the result.
//!
//! Deliberately absent: capturing, which is a screen's job; other file formats, since all model servers accept PNG and
//! some refuse others; and text shaping, since characters are drawn one by one, from left to right.
#![forbid(unsafe_code)]

pub mod area;
pub mod color;
pub mod draw;
pub mod frame;
pub mod look;
pub mod marks;
pub mod png;
pub mod scale;
pub mod text;

pub use area::Area;
pub use color::{Color, Paint};
pub use frame::{Frame, FrameError, PixelFormat};
pub use look::{Difference, Motion};
pub use marks::{MarkData, Marker, Marks};
pub use png::PngError;
pub use scale::Scaler;
pub use text::{Lettering, Missing};
