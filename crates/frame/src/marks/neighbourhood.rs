//! The neighbourhood of a target. Marks leave it untouched, because the model must see what is there.

use franz_action::Action;

use super::MarkData;
use super::area::MarkArea;
use super::measure::place;
use crate::area::Area;
use crate::frame::Frame;

/// Half a neighbourhood's side in pixels, in a picture of height `HEIGHT`, and the minimum at any height.
const HALF: f32 = 14.0;
const HEIGHT: f32 = 896.0;
const LEAST: f32 = 10.0;

/// Returns half a neighbourhood's side, in pixels.
pub(super) fn reach(frame: &Frame) -> f32 {
    (HALF * frame.height() as f32 / HEIGHT).max(LEAST)
}

/// Returns the neighbourhood of a position, in whole pixels.
pub(super) fn around(frame: &Frame, (x, y): (f32, f32)) -> MarkArea {
    let reach = reach(frame).ceil();
    MarkArea::around((x.round(), y.round()), reach + 0.5)
}

/// Returns the neighbourhoods of all targets in a scene.
pub(super) fn of_targets(frame: &Frame, scene: &MarkData<'_>) -> Vec<MarkArea> {
    let points = scene.actions.iter().flat_map(Action::places).copied();
    let points = points.chain([scene.pointer, scene.previous].into_iter().flatten());
    let mut areas = Vec::new();
    for area in points.map(|point| around(frame, place(frame, point))) {
        if !areas.contains(&area) {
            areas.push(area);
        }
    }
    areas
}

/// The pixels of some areas, as they were before anything was drawn over them.
pub(super) struct Kept(Vec<(Area, Vec<u8>)>);

impl Kept {
    pub(super) fn of(frame: &Frame, areas: &[MarkArea]) -> Kept {
        let whole = Area::whole(frame.width(), frame.height());
        // A position between two pixels can be rounded to either.
        let grown = areas.iter().map(MarkArea::pixels).map(|area| Area {
            x: area.x - 1,
            y: area.y - 1,
            width: area.width + 2,
            height: area.height + 2,
        });
        let parts = grown.filter_map(|area| area.intersection(&whole));
        Kept(parts.map(|part| (part, copied(frame, part))).collect())
    }

    /// Restores the pixels.
    pub(super) fn restore(self, frame: &mut Frame) {
        let step = frame.format().bytes();
        for (part, rows) in self.0 {
            frame.update(part, &rows, part.width as usize * step);
        }
    }
}

fn copied(frame: &Frame, part: Area) -> Vec<u8> {
    let step = frame.format().bytes();
    let (left, length) = (part.x as usize * step, part.width as usize * step);
    let rows = frame.data().chunks_exact(frame.width() as usize * step);
    let rows = rows.skip(part.y as usize).take(part.height as usize);
    rows.flat_map(|row| &row[left..left + length]).copied().collect()
}
