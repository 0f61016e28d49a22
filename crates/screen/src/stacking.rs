//! The stacking of programs' windows on a screen.

use franz_frame::Area;

use crate::elements::DesktopLayer;
use crate::window::Window;

/// The windows of programs and everything else that programs show, in pixels of the screen. They can extend beyond it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacking {
    /// All windows, including those that cannot be seen.
    pub windows: Vec<Window>,
    /// The visible layers, the topmost first; `None` where the system does not report them.
    pub layers: Option<Vec<DesktopLayer>>,
}

impl Stacking {
    /// Returns the same stacking in pixels of a screen that shows this part of the desktop.
    pub(crate) fn seen_from(mut self, seen: Area) -> Stacking {
        let moved = |area: &mut Area| {
            area.x = area.x.saturating_sub(seen.x);
            area.y = area.y.saturating_sub(seen.y);
        };
        self.windows
            .iter_mut()
            .filter_map(|window| window.place.as_mut())
            .for_each(moved);
        for layer in self.layers.iter_mut().flatten() {
            moved(&mut layer.area);
            moved(&mut layer.path);
        }
        self
    }
}
