//! What programs have on a screen.

use franz_frame::Area;

use crate::desktop::window::Window;
use crate::elements::DesktopLayer;

/// The windows of programs and what else they have on a screen, in its pixels. It may reach beyond the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacking {
    /// The windows, those that cannot be seen included.
    pub windows: Vec<Window>,
    /// What can be seen, the topmost first; `None` where the system does not tell.
    pub layers: Option<Vec<DesktopLayer>>,
}

impl Stacking {
    /// Returns the same in pixels of a screen that shows this part of the desktop.
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
