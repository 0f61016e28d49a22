//! What the port of our node accepts: formats of pictures, and buffers for them.

use franz_frame::Frame;

use super::pod::{self, Pod, Writer};

/// The parameters of a port.
pub(super) mod parameter {
    pub(in super::super) const FORMATS: u32 = 3;
    pub(in super::super) const FORMAT: u32 = 4;
    pub(in super::super) const BUFFERS: u32 = 5;
    /// The types of the objects that describe them.
    pub(in super::super) const FORMAT_OBJECT: u32 = 0x4_0003;
    pub(in super::super) const BUFFERS_OBJECT: u32 = 0x4_0004;
    /// What a port does with a parameter.
    pub(in super::super) const CHANGED: u32 = 1;
    pub(in super::super) const READ: u32 = 2;
    pub(in super::super) const WRITE: u32 = 4;
}

/// The kinds of memory to ask for: ordinary memory and files of it, but no memory of a graphics card.
const ORDINARY: u32 = 1 << 1 | 1 << 2;

/// The properties of a video format.
mod property {
    pub(super) const MEDIA_TYPE: u32 = 1;
    pub(super) const VIDEO: u32 = 2;
    pub(super) const MEDIA_SUBTYPE: u32 = 2;
    pub(super) const RAW: u32 = 1;
    pub(super) const PIXELS: u32 = 0x2_0001;
    pub(super) const SIZE: u32 = 0x2_0003;
    pub(super) const RATE: u32 = 0x2_0004;
    pub(super) const RGBX: u32 = 7;
    pub(super) const BGRX: u32 = 8;
    pub(super) const RGBA: u32 = 11;
    pub(super) const BGRA: u32 = 12;
}

/// The format in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) size: (u32, u32),
    pub(super) is_red_first: bool,
}

impl Format {
    pub(super) fn of(pod: Pod<'_>) -> Option<Format> {
        let (mut pixels, mut size) = (None, None);
        for property in pod.object()?.2 {
            match property.key {
                property::PIXELS => pixels = property.value.number(),
                property::SIZE => size = property.value.rectangle(),
                _ => {}
            }
        }
        let is_red_first = match pixels? {
            property::RGBX | property::RGBA => true,
            property::BGRX | property::BGRA => false,
            _ => return None,
        };
        let (width, height) = size?;
        let sides = 1..=Frame::MAX_SIDE;
        let is_possible = sides.contains(&width) && sides.contains(&height);
        is_possible.then_some(Format {
            size: (width, height),
            is_red_first,
        })
    }
}

/// Writes the formats that the port accepts.
pub(super) fn formats(to: &mut Writer) {
    to.object(parameter::FORMAT_OBJECT, parameter::FORMATS, |to| {
        to.key(property::MEDIA_TYPE).id(property::VIDEO);
        to.key(property::MEDIA_SUBTYPE).id(property::RAW);
        // The first is the preferred one, and also the default.
        let pixels = [
            property::BGRX,
            property::BGRX,
            property::BGRA,
            property::RGBX,
            property::RGBA,
        ]
        .map(|pixels| [pixels]);
        to.key(property::PIXELS).choice(pod::ENUM, pod::ID, &pixels);
        let sides = [[1920, 1080], [1, 1], [Frame::MAX_SIDE; 2]];
        to.key(property::SIZE).choice(pod::RANGE, pod::RECTANGLE, &sides);
        let rates = [[0, 1], [0, 1], [1000, 1]];
        to.key(property::RATE).choice(pod::RANGE, pod::FRACTION, &rates);
    });
}

/// Writes the buffers that the port needs: one that it keeps, and others that the compositor fills meanwhile.
pub(super) fn buffers(to: &mut Writer) {
    to.object(parameter::BUFFERS_OBJECT, parameter::BUFFERS, |to| {
        to.key(1).choice(pod::RANGE, pod::INT, &[[4], [3], [16]]);
        to.key(2).int(1);
        to.key(6).choice(pod::FLAGS, pod::INT, &[[ORDINARY]]);
    });
}
