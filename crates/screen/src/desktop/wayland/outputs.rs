//! The monitors in one picture: each pixel of a monitor is a pixel of the desktop, whatever its scale.

use std::path::Path;

use franz_frame::Area;
use wayland_client::protocol::wl_output::WlOutput;

use super::connection::Connection;
use super::events::Output;
use super::socket;
use crate::desktop::display::{DisplayError, IsOver};

/// A monitor with its place on the desktop, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) id: u32,
    pub(super) proxy: WlOutput,
    pub(super) name: String,
    pub(super) area: Area,
    /// Its top left corner in the compositor's own units.
    origin: (i32, i32),
    /// How many pixels one of these units has.
    scale: f64,
}

/// The properties of a monitor that determine its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::desktop) struct Extent {
    /// Its place and size in the compositor's own units.
    pub(in crate::desktop) place: (i32, i32),
    pub(in crate::desktop) size: (i32, i32),
    /// Its size in pixels.
    pub(in crate::desktop) mode: (i32, i32),
}

impl Extent {
    pub(in crate::desktop) fn scale(&self) -> f64 {
        (f64::from(self.mode.0) / f64::from(self.size.0.max(1))).max(0.1)
    }
}

/// Asks the compositor where its monitors are.
pub(in crate::desktop) fn rectangles(path: &Path, is_over: IsOver) -> Result<Vec<Rectangle>, DisplayError> {
    let mut connection = Connection::over(socket::connect(path)?, is_over)?;
    connection.globals()?;
    let outputs = connection.outputs().iter();
    let rectangles = outputs.filter_map(|output| {
        let ((x, y), (width, height)) = (output.place, output.size?);
        Some(Rectangle { x, y, width, height })
    });
    Ok(rectangles.collect())
}

/// Places the monitors on the desktop, in the order in which the compositor lists them.
pub(super) fn placed(outputs: &[Output]) -> Result<Vec<Placed>, DisplayError> {
    let shown: Vec<(&Output, (i32, i32))> = outputs
        .iter()
        .filter_map(|output| Some((output, output.mode.filter(|(width, height)| *width > 0 && *height > 0)?)))
        .collect();
    if let Some((turned, _)) = shown.iter().find(|(output, _)| output.is_turned) {
        return Err(DisplayError::Unavailable(format!(
            "the monitor {} is rotated, which FRANZ does not support on Wayland; set its rotation back to normal",
            name(turned)
        )));
    }
    if shown.is_empty() {
        return Err(DisplayError::Unavailable(
            "the desktop has no monitor; turn one on".to_owned(),
        ));
    }
    let boxes: Vec<Extent> = shown
        .iter()
        .map(|(output, mode)| Extent {
            place: output.place,
            size: output
                .size
                .filter(|(width, height)| *width > 0 && *height > 0)
                .unwrap_or((mode.0 / output.scale.max(1), mode.1 / output.scale.max(1))),
            mode: *mode,
        })
        .collect();
    let areas = areas(&boxes);
    Ok(shown
        .into_iter()
        .zip(boxes.iter().zip(areas))
        .map(|((output, _), (extent, area))| Placed {
            id: output.id,
            proxy: output.proxy.clone(),
            name: name(output),
            area,
            origin: extent.place,
            scale: extent.scale(),
        })
        .collect())
}

fn name(output: &Output) -> String {
    output.name.clone().unwrap_or_else(|| format!("output {}", output.id))
}

/// Spreads the monitors out so far that none overlaps another where their scales differ.
pub(in crate::desktop) fn areas(boxes: &[Extent]) -> Vec<Area> {
    let widest = boxes.iter().map(Extent::scale).fold(0.1, f64::max);
    let at = |of: &Extent| {
        let (x, y) = of.place;
        (
            (f64::from(x) * widest).round() as i32,
            (f64::from(y) * widest).round() as i32,
        )
    };
    let left = boxes.iter().map(|of| at(of).0).min().unwrap_or_default();
    let top = boxes.iter().map(|of| at(of).1).min().unwrap_or_default();
    boxes
        .iter()
        .map(|of| {
            let (x, y) = at(of);
            Area {
                x: x - left,
                y: y - top,
                width: of.mode.0 as u32,
                height: of.mode.1 as u32,
            }
        })
        .collect()
}

/// Returns the monitor that shows a pixel, or the nearest one, and the pixel on it.
pub(super) fn at(placed: &[Placed], (x, y): (i32, i32)) -> Option<(&Placed, (u32, u32))> {
    let clamped = |area: &Area| {
        let right = area.x + area.width as i32 - 1;
        let bottom = area.y + area.height as i32 - 1;
        (x.clamp(area.x, right), y.clamp(area.y, bottom))
    };
    let distance = |area: &Area| {
        let (near_x, near_y) = clamped(area);
        let (dx, dy) = (i64::from(near_x - x), i64::from(near_y - y));
        dx * dx + dy * dy
    };
    let nearest = placed.iter().min_by_key(|output| distance(&output.area))?;
    let (near_x, near_y) = clamped(&nearest.area);
    let on = ((near_x - nearest.area.x) as u32, (near_y - nearest.area.y) as u32);
    Some((nearest, on))
}

/// A rectangle in the compositor's own units.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize)]
pub(in crate::desktop) struct Rectangle {
    pub(in crate::desktop) x: i32,
    pub(in crate::desktop) y: i32,
    pub(in crate::desktop) width: i32,
    pub(in crate::desktop) height: i32,
}

/// Returns the visible pixels of a rectangle on the monitor that shows most of it, or `None` if no monitor shows it.
pub(super) fn visible(placed: &[Placed], rectangle: Rectangle) -> Option<Area> {
    let on = |output: &Placed| in_pixels(output.area, output.origin, output.scale, rectangle);
    let shown = placed.iter().filter_map(on);
    shown.max_by_key(|area| u64::from(area.width) * u64::from(area.height))
}

/// Returns the pixels of a rectangle on a monitor with this area, or `None` if it is elsewhere.
fn in_pixels(monitor: Area, origin: (i32, i32), scale: f64, rectangle: Rectangle) -> Option<Area> {
    let pixel = |unit: i64, start: i32, first: i32| {
        let pixel = ((unit - i64::from(start)) as f64 * scale).round() as i64;
        (pixel + i64::from(first)).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    };
    let (x, y) = (i64::from(rectangle.x), i64::from(rectangle.y));
    let left = pixel(x, origin.0, monitor.x);
    let top = pixel(y, origin.1, monitor.y);
    let right = pixel(x + i64::from(rectangle.width), origin.0, monitor.x);
    let bottom = pixel(y + i64::from(rectangle.height), origin.1, monitor.y);
    let (left, top) = (left.max(monitor.x), top.max(monitor.y));
    let right = right.min(monitor.x + monitor.width as i32);
    let bottom = bottom.min(monitor.y + monitor.height as i32);
    (left < right && top < bottom).then(|| Area {
        x: left,
        y: top,
        width: (right - left) as u32,
        height: (bottom - top) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_lie_side_by_side_in_pixels() {
        let of = |place, size, mode| Extent { place, size, mode };
        let area = |x, y, width, height| Area { x, y, width, height };
        for (boxes, expected) in [
            (
                vec![of((0, 0), (1920, 1080), (1920, 1080))],
                vec![area(0, 0, 1920, 1080)],
            ),
            // A monitor at one and a half times the size has more pixels than units.
            (
                vec![of((0, 0), (1280, 720), (1920, 1080))],
                vec![area(0, 0, 1920, 1080)],
            ),
            // The left monitor begins at a negative place.
            (
                vec![
                    of((0, 0), (1000, 500), (1000, 500)),
                    of((-800, 100), (800, 400), (800, 400)),
                ],
                vec![area(800, 0, 1000, 500), area(0, 100, 800, 400)],
            ),
            // Next to a monitor of twice the scale, places are twice as far apart.
            (
                vec![
                    of((0, 0), (1000, 500), (1000, 500)),
                    of((1000, 0), (960, 540), (1920, 1080)),
                ],
                vec![area(0, 0, 1000, 500), area(2000, 0, 1920, 1080)],
            ),
        ] {
            let areas = areas(&boxes);
            assert_eq!(areas, expected);
            for (index, one) in areas.iter().enumerate() {
                assert!(areas[index + 1..].iter().all(|other| one.intersection(other).is_none()));
            }
        }
    }

    #[test]
    fn a_rectangle_in_units_becomes_pixels_of_one_monitor() {
        let monitor = Area {
            x: 2000,
            y: 0,
            width: 1920,
            height: 1080,
        };
        let rectangle = |x, y, width, height| Rectangle { x, y, width, height };
        let area = |x, y, width, height| Some(Area { x, y, width, height });
        for (scale, given, expected) in [
            (1.0, rectangle(1000, 0, 100, 50), area(2000, 0, 100, 50)),
            (2.0, rectangle(1010, 5, 100, 50), area(2020, 10, 200, 100)),
            (1.5, rectangle(1001, 1, 3, 3), area(2002, 2, 4, 4)),
            // What lies beyond the edges is not visible.
            (2.0, rectangle(990, -10, 20, 20), area(2000, 0, 20, 20)),
            (1.0, rectangle(900, 0, 100, 50), None),
            (1.0, rectangle(1000, 0, 0, 50), None),
            (2.0, rectangle(i32::MAX, i32::MAX, i32::MAX, i32::MAX), None),
        ] {
            assert_eq!(
                in_pixels(monitor, (1000, 0), scale, given),
                expected,
                "{given:?} {scale}"
            );
        }
    }
}
