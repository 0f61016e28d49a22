//! Pixels: frames, scaling, drawing, marks and PNG encoding.
//!
//! Pure but for one look-up: the system's fonts are read when a text holds a character that the bundled font lacks.
//!
//! In reading order: [`area`] is a rectangle of pixels, [`frame`] is a picture in memory, [`scale`] gives it the size that the model is to see, [`color`] and
//! [`draw`] paint shapes on it, [`text`] writes, [`marks`] shows what was done where, [`png`] encodes the result.
//!
//! Deliberately absent: capturing (that is a screen's work), other file formats (model servers refuse some of them; all
//! take PNG), and shaping of text: each character stands alone, from left to right.
#![forbid(unsafe_code)]

pub mod area;
pub mod color;
pub mod draw;
pub mod frame;
pub mod marks;
pub mod png;
pub mod scale;
pub mod text;

pub use area::Area;
pub use color::{Color, Paint};
pub use frame::{Frame, FrameError, PixelFormat};
pub use marks::{MarkData, Marker, Marks};
pub use png::PngError;
pub use scale::Scaler;
pub use text::{Lettering, Missing};
