//! The stacking of a desktop: windows in their frames, menus, tooltips.

use franz_frame::Area;

use crate::window::WindowId;

/// One of the rectangles that make up a desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesktopLayer {
    /// The area of the layer, including its frame.
    pub area: Area,
    /// Where the layer has recently been: the bounds of all its recent positions and the current one.
    pub path: Area,
    /// The process that owns the layer, if the process reports itself.
    pub process: Option<u32>,
    /// The program's window inside the layer; `None` for a menu, a tooltip and the like.
    pub window: Option<WindowId>,
    /// The connection that created the layer, if the system reports it.
    pub maker: Option<u32>,
    /// The titles and classes of a layer that is not a program's window.
    pub names: Vec<String>,
}

/// Returns the index of the topmost layer that covers a pixel.
pub(super) fn topmost(layers: &[DesktopLayer], (x, y): (i32, i32)) -> Option<usize> {
    layers.iter().position(|layer| layer.area.contains(x, y))
}

/// Returns the index of the layer that is this process's window at this place: the one with the largest overlap.
pub(super) fn of_window(layers: &[DesktopLayer], process: Option<u32>, place: Area) -> Option<usize> {
    let pixels = |area: &Area| u64::from(area.width) * u64::from(area.height);
    let likeness = |layer: &DesktopLayer| {
        let common = layer.area.intersection(&place).as_ref().map_or(0, pixels);
        let both = pixels(&layer.area) + pixels(&place) - common;
        common * 100 / both.max(1)
    };
    let same = |layer: &DesktopLayer| process.is_none() || layer.process.is_none() || layer.process == process;
    let alike = layers.iter().enumerate().filter(|(_, layer)| same(layer));
    let alike = alike.map(|(at, layer)| (likeness(layer), std::cmp::Reverse(at)));
    let (likeness, std::cmp::Reverse(at)) = alike.max()?;
    (likeness >= 50).then_some(at)
}
