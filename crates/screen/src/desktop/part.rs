//! The part of a desktop in use: a monitor, a region of it, or everything.

use franz_frame::{Area, Frame, PixelFormat};

use super::DesktopOptions;
use super::display::{DisplayError, Monitor};

/// Returns the part of the desktop that the options select.
pub(super) fn part(monitors: &[Monitor], options: &DesktopOptions) -> Result<Area, DisplayError> {
    let whole = match &options.monitor {
        None => monitors
            .iter()
            .map(|monitor| monitor.area)
            .reduce(|whole, area| whole.union(&area))
            .ok_or_else(|| DisplayError::Unavailable("the desktop has no monitor; turn one on".to_owned()))?,
        Some(wanted) => monitor(monitors, wanted)?,
    };
    let Some(region) = options.region else {
        return Ok(whole);
    };
    let on_desktop = Area {
        x: whole.x.saturating_add(region.x),
        y: whole.y.saturating_add(region.y),
        ..region
    };
    on_desktop.intersection(&whole).ok_or_else(|| {
        DisplayError::Unavailable(format!(
            "the region {region} is outside the desktop, {whole}; change screen.region"
        ))
    })
}

fn monitor(monitors: &[Monitor], wanted: &str) -> Result<Area, DisplayError> {
    let by_place = || {
        let place: usize = wanted.parse().ok()?;
        monitors.get(place.checked_sub(1)?)
    };
    let by_name = monitors.iter().find(|monitor| monitor.name == wanted);
    by_name.or_else(by_place).map(|monitor| monitor.area).ok_or_else(|| {
        let names: Vec<_> = monitors
            .iter()
            .zip(1..)
            .map(|(monitor, place)| format!("{place} ({}, {})", monitor.name, monitor.area))
            .collect();
        DisplayError::Unavailable(format!(
            "there is no monitor {wanted}; set screen.monitor to one of {}",
            names.join(", ")
        ))
    })
}

/// Returns a black picture of this part.
pub(super) fn black(area: Area) -> Result<Frame, DisplayError> {
    Frame::black(area.width, area.height, PixelFormat::Bgrx8)
        .map_err(|error| DisplayError::failed("making room for a picture", error))
}
