//! The size of a screen that FRANZ creates, unless the person sets it.

use super::screen_kind::ScreenKind;
use super::settings::{ImageSettings, Settings};

const CANVAS: (u32, u32) = (1920, 1080);

/// The smallest picture whose size a private desktop adopts. A smaller desktop would leave programs and pages too
/// little room.
const LEAST: (u32, u32) = (1024, 576);

/// The size of a private desktop for smaller pictures. The models of every family see pictures of this size unchanged.
const PRIVATE: (u32, u32) = (1568, 896);

impl Settings {
    /// Returns the width and height of the canvas, private desktop or browser for a model that gets pictures of this
    /// size. A private desktop is as large as the picture, because small print does not survive downscaling.
    pub(crate) fn screen_size(&self, picture: (u32, u32)) -> (u32, u32) {
        let fits = picture.0 >= LEAST.0 && picture.1 >= LEAST.1;
        let (width, height) = match self.screen.kind {
            ScreenKind::Virtual | ScreenKind::Browser if fits => picture,
            ScreenKind::Virtual | ScreenKind::Browser => PRIVATE,
            ScreenKind::Canvas | ScreenKind::Desktop | ScreenKind::Vnc => CANVAS,
        };
        let of = &self.screen;
        (of.width.unwrap_or(width), of.height.unwrap_or(height))
    }
}

impl ImageSettings {
    /// Returns the width and height of the picture before it is fitted to the size that the model's family can see.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::flags::set_flags;
    use crate::config::layer::Layer;

    #[test]
    fn a_private_desktop_is_as_large_as_the_picture_unless_it_is_given_a_size() {
        for (flags, picture, size) in [
            ("screen.kind=virtual", (1568, 896), (1568, 896)),
            ("screen.kind=virtual", (1024, 576), (1024, 576)),
            ("screen.kind=virtual", (1023, 576), (1568, 896)),
            ("screen.kind=virtual", (512, 288), (1568, 896)),
            ("screen.kind=virtual screen.width=1280", (1568, 896), (1280, 896)),
            (
                "screen.kind=virtual screen.width=640 screen.height=480",
                (512, 288),
                (640, 480),
            ),
            ("screen.kind=browser", (1568, 896), (1568, 896)),
            ("screen.kind=browser", (512, 288), (1568, 896)),
            ("screen.kind=canvas", (1568, 896), (1920, 1080)),
            ("screen.kind=canvas screen.height=720", (512, 288), (1920, 720)),
        ] {
            let given: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            let settings = Settings::resolve(&Layer::defaults().over(set_flags(&given).unwrap()));
            assert_eq!(settings.screen_size(picture), size, "{flags:?} {picture:?}");
        }
    }
}
