//! Pixels: frames, scaling, drawing, marks and PNG encoding.
#![forbid(unsafe_code)]
