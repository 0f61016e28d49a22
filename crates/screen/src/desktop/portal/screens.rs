//! The monitors of a session, and what they show.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use franz_frame::{Area, Frame};

use super::bus::Bus;
use super::pipewire::Stream;
use super::session::{Session, Source};
use crate::desktop::display::{DisplayError, IsOver, Monitor};
use crate::desktop::wayland::{Extent, Rectangle, areas, paint};

/// How long to wait for the first picture.
const FIRST: Duration = Duration::from_secs(15);

/// How often that wait checks whether the run is over.
const SLICE: Duration = Duration::from_millis(20);

pub(super) struct Screens {
    screens: Vec<SharedMonitor>,
    /// What the frame of the last capture shows.
    shown: Option<Area>,
}

/// A monitor with its pictures.
struct SharedMonitor {
    source: Source,
    stream: Stream,
    extent: Extent,
    /// The size of its first picture. The portal gives the monitor's size in the compositor's units only then.
    first: Option<(u32, u32)>,
    area: Area,
    /// The number of the picture that the frame of the last capture shows.
    count: u64,
}

/// Where to move the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aim {
    pub(super) node: u32,
    /// The place on the monitor, in the compositor's own units.
    pub(super) place: (f64, f64),
    /// The pixel of the desktop.
    pub(super) pixel: (i32, i32),
}

/// Gives the monitors that the portal shows their places, where it does not report them. Tells monitors apart by their
/// sizes; those of the same size have the order in which the compositor lists them.
pub(super) fn locate(sources: &mut [Source], mut monitors: Vec<Rectangle>) {
    for source in sources.iter_mut().filter(|source| source.place.is_none()) {
        let alike = |monitor: &Rectangle| Some((monitor.width, monitor.height)) == source.size;
        if let Some(index) = monitors.iter().position(alike) {
            let monitor = monitors.remove(index);
            source.place = Some((monitor.x, monitor.y));
        }
    }
}

impl Screens {
    /// Begins to receive the pictures of a session.
    pub(super) fn receive(bus: &Bus, session: &Session) -> Result<Screens, DisplayError> {
        const DOING: &str = "connecting to PipeWire";
        let receive = |source: &Source| {
            let remote = session
                .pipewire(bus)
                .map_err(|error| DisplayError::failed(DOING, error))?;
            let stream = Stream::receive(remote, source.node).map_err(|error| DisplayError::failed(DOING, error))?;
            Ok(SharedMonitor {
                source: source.clone(),
                stream,
                extent: Extent {
                    place: (0, 0),
                    size: (1, 1),
                    mode: (1, 1),
                },
                first: None,
                area: Area::whole(1, 1),
                count: 0,
            })
        };
        Ok(Screens {
            screens: session.sources.iter().map(receive).collect::<Result<_, _>>()?,
            shown: None,
        })
    }

    /// Finds out where the monitors are, once each of them has sent a picture.
    pub(super) fn place(&mut self, is_over: &IsOver) -> io::Result<Vec<Monitor>> {
        let deadline = Instant::now() + FIRST;
        for screen in &mut self.screens {
            let (width, height) = screen.size(deadline, is_over)?;
            if *screen.first.get_or_insert((width, height)) != (width, height) {
                return Err(io::Error::other("a monitor changed its resolution"));
            }
            let mode = (width.cast_signed(), height.cast_signed());
            screen.extent = Extent {
                place: screen.source.place.unwrap_or_default(),
                size: screen
                    .source
                    .size
                    .filter(|(width, height)| *width > 0 && *height > 0)
                    .unwrap_or(mode),
                mode,
            };
        }
        let extents: Vec<Extent> = self.screens.iter().map(|screen| screen.extent).collect();
        let placed = self.screens.iter_mut().zip(areas(&extents)).zip(1..);
        Ok(placed
            .map(|((screen, area), number)| {
                screen.area = area;
                let name = format!("monitor {number}");
                Monitor { name, area }
            })
            .collect())
    }

    /// Updates `frame`, which shows `area` of the desktop; returns the changed part.
    pub(super) fn capture(&mut self, area: Area, frame: &mut Frame) -> io::Result<Option<Area>> {
        let as_before = self.shown.take() == Some(area);
        if !as_before {
            frame.data_mut().fill(0);
        }
        let mut changed = (!as_before).then(|| Area::whole(area.width, area.height));
        for screen in &mut self.screens {
            if screen.area.intersection(&area).is_none() {
                continue;
            }
            let count = if as_before { screen.count } else { 0 };
            let Some(rows) = screen.stream.newest().since(count)? else {
                continue;
            };
            if rows.size != (screen.area.width, screen.area.height) {
                return Err(io::Error::other("a monitor changed size"));
            }
            screen.count = rows.count;
            if let Some(part) = paint((&rows.bytes, rows.stride), screen.area, area, frame) {
                changed = Some(changed.map_or(part, |before| before.union(&part)));
            }
        }
        self.shown = Some(area);
        Ok(changed)
    }

    /// Returns where the middle of a pixel of the desktop is, or of the one nearest to it.
    pub(super) fn aim(&self, (x, y): (i32, i32)) -> Option<Aim> {
        let clamped = |area: &Area| {
            let right = area.x + area.width.cast_signed() - 1;
            let bottom = area.y + area.height.cast_signed() - 1;
            (x.clamp(area.x, right), y.clamp(area.y, bottom))
        };
        let distance = |screen: &&SharedMonitor| {
            let (near_x, near_y) = clamped(&screen.area);
            i64::from(near_x.abs_diff(x)).pow(2) + i64::from(near_y.abs_diff(y)).pow(2)
        };
        let screen = self.screens.iter().min_by_key(distance)?;
        let pixel = clamped(&screen.area);
        let unit = |at: i32, from: i32| (f64::from(at - from) + 0.5) / screen.extent.scale();
        Some(Aim {
            node: screen.source.node,
            place: (unit(pixel.0, screen.area.x), unit(pixel.1, screen.area.y)),
            pixel,
        })
    }
}

impl SharedMonitor {
    /// Waits for the first picture, and returns its size.
    fn size(&self, deadline: Instant, is_over: &IsOver) -> io::Result<(u32, u32)> {
        loop {
            if let Some(size) = self.stream.newest().size(SLICE)? {
                return Ok(size);
            }
            if is_over() || Instant::now() >= deadline {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "PipeWire sent no picture; check that it and its session manager, such as WirePlumber, are running",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_without_a_place_get_that_of_one_of_their_size() {
        let source = |place, size| Source { node: 1, place, size };
        let monitor = |x, (width, height)| Rectangle { x, y: 0, width, height };
        let (small, large) = ((800, 600), (1920, 1080));
        let mut sources = [
            source(None, Some(large)),
            source(None, Some(small)),
            source(None, Some(small)),
            source(None, Some((1, 1))),
            source(Some((5, 5)), Some(small)),
        ];
        locate(
            &mut sources,
            vec![monitor(0, small), monitor(800, small), monitor(1600, large)],
        );
        let places = sources.map(|source| source.place);
        assert_eq!(
            places,
            [Some((1600, 0)), Some((0, 0)), Some((800, 0)), None, Some((5, 5))]
        );
    }
}
