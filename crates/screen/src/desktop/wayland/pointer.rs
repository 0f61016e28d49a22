//! The pointer, moved by virtual ones: one for each monitor, and one for the buttons and the wheel.

use std::collections::BTreeMap;
use std::time::Instant;

use franz_action::Button;
use wayland_client::QueueHandle;
use wayland_client::protocol::wl_pointer::{Axis, AxisSource, ButtonState};
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1;
use wayland_protocols_wlr::virtual_pointer::v1::client::zwlr_virtual_pointer_v1::ZwlrVirtualPointerV1;

use super::connection::Globals;
use super::events::Events;
use super::outputs::{self, Placed};
use crate::desktop::display::Press;

/// The distance that one notch of a wheel scrolls, in the compositor's own units, as for mice.
const NOTCH: f64 = 15.0;

pub(super) struct VirtualPointer {
    manager: Option<ZwlrVirtualPointerManagerV1>,
    seat: Option<WlSeat>,
    /// The pointers that move on one monitor each, by its number.
    movers: BTreeMap<u32, ZwlrVirtualPointerV1>,
    presser: Option<ZwlrVirtualPointerV1>,
    began: Instant,
    /// Where this pointer was last moved to.
    place: Option<(i32, i32)>,
}

impl VirtualPointer {
    pub(super) fn of(globals: &Globals, handle: &QueueHandle<Events>) -> VirtualPointer {
        let seat = globals.seat.clone();
        let manager = globals.pointers.clone();
        let presser = manager
            .as_ref()
            .map(|manager| manager.create_virtual_pointer(seat.as_ref(), handle, ()));
        VirtualPointer {
            manager,
            seat,
            movers: BTreeMap::new(),
            presser,
            began: Instant::now(),
            place: None,
        }
    }

    pub(super) fn place(&self) -> Option<(i32, i32)> {
        self.place
    }

    fn now(&self) -> u32 {
        self.began.elapsed().as_millis() as u32
    }

    /// Moves to the middle of a pixel of the desktop, or of the one nearest to it.
    pub(super) fn move_to(&mut self, handle: &QueueHandle<Events>, placed: &[Placed], at: (i32, i32)) {
        let now = self.now();
        let Some((output, (x, y))) = outputs::at(placed, at) else {
            return;
        };
        let Some(manager) = &self.manager else { return };
        self.movers.retain(|id, mover| {
            let is_there = placed.iter().any(|output| output.id == *id);
            if !is_there {
                mover.destroy();
            }
            is_there
        });
        let mover = self.movers.entry(output.id).or_insert_with(|| {
            manager.create_virtual_pointer_with_output(self.seat.as_ref(), Some(&output.proxy), handle, ())
        });
        let (width, height) = (output.area.width, output.area.height);
        mover.motion_absolute(now, 2 * x + 1, 2 * y + 1, 2 * width, 2 * height);
        mover.frame();
        self.place = Some((output.area.x + x as i32, output.area.y + y as i32));
    }

    pub(super) fn button(&self, button: Button, press: Press) {
        let Some(presser) = &self.presser else { return };
        // Their numbers in Linux.
        let number = match button {
            Button::Left => 0x110,
            Button::Right => 0x111,
            Button::Middle => 0x112,
        };
        let state = match press {
            Press::Down => ButtonState::Pressed,
            Press::Up => ButtonState::Released,
        };
        presser.button(self.now(), number, state);
        presser.frame();
    }

    pub(super) fn notch(&self, dx: i32, dy: i32) {
        let Some(presser) = &self.presser else { return };
        for (axis, turn) in [(Axis::VerticalScroll, dy), (Axis::HorizontalScroll, dx)] {
            if turn != 0 {
                presser.axis_source(AxisSource::Wheel);
                presser.axis_discrete(self.now(), axis, f64::from(turn.signum()) * NOTCH, turn.signum());
                presser.frame();
            }
        }
    }
}
