//! Watches what the user does, through raw events of every device except those for input from programs.

use std::collections::HashMap;

use x11rb::protocol::Event;
use x11rb::protocol::xinput::{
    ConnectionExt as _, Device, DeviceClassData, EventMask, Fp3232, KeyEventFlags, RawMotionEvent, ValuatorMode,
    XIEventMask,
};
use x11rb::protocol::xproto::ConnectionExt as _;

use super::background::Background;
use super::cursor;
use super::devices::Artificial;
use super::server::{Answer, Server, While};
use crate::desktop::display::{DisplayError, GestureWatch};
use crate::desktop::gesture::Input;

const DOING: &str = "watching mouse and keyboard";

/// Reports what the user does, from a separate thread. Returns `None` if the server lacks `XInput` 2, which
/// distinguishes the user's input from that of programs.
pub(super) fn watch(
    server: &Server,
    mut tell: Box<dyn FnMut(Input) + Send>,
) -> Result<Option<GestureWatch>, DisplayError> {
    let server = server.again().during(DOING)?;
    let Some(mut person) = Person::of(&server).during(DOING)? else {
        return Ok(None);
    };
    let see = move |server: &Server, event: Event| {
        if let Some(input) = person.see(server, event)? {
            tell(input);
        }
        Ok(())
    };
    let background = Background::start("person", server, see).during(DOING)?;
    Ok(Some(GestureWatch::ending_by(move || drop(background))))
}

/// One axis of a device that reports positions instead of movements, such as a tablet or the mouse of a virtual
/// machine.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Places {
    from: f64,
    to: f64,
    last: Option<f64>,
}

impl Places {
    /// Returns the distance moved as a fraction of the whole axis.
    fn moved_to(&mut self, value: f64) -> f64 {
        let before = self.last.replace(value).unwrap_or(value);
        let length = self.to - self.from;
        if length > 0.0 { (value - before) / length } else { 0.0 }
    }
}

/// Everything known about the devices.
struct Person {
    artificial: Artificial,
    /// Axes that report positions, by device and number (0 across, 1 down).
    places: HashMap<(u16, usize), Places>,
    /// The codes of the keys that are Esc.
    escape: Vec<u8>,
}

impl Person {
    fn of(server: &Server) -> Answer<Option<Person>> {
        let Some(artificial) = Artificial::of(server)? else {
            return Ok(None);
        };
        let input = XIEventMask::RAW_MOTION | XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_BUTTON_PRESS;
        let devices = XIEventMask::HIERARCHY | XIEventMask::DEVICE_CHANGED;
        let select = |device: Device, mask: XIEventMask| EventMask {
            deviceid: device.into(),
            mask: vec![mask],
        };
        let masks = [select(Device::ALL_MASTER, input), select(Device::ALL, devices)];
        server
            .connection
            .xinput_xi_select_events(server.root, &masks)?
            .check()?;
        let mut person = Person {
            artificial,
            places: HashMap::new(),
            escape: Vec::new(),
        };
        person.learn_devices(server)?;
        person.learn_keys(server)?;
        Ok(Some(person))
    }

    fn see(&mut self, server: &Server, event: Event) -> Answer<Option<Input>> {
        Ok(match event {
            Event::XinputRawMotion(moved) if !self.artificial.contains(moved.sourceid) => self.moved(server, &moved)?,
            Event::XinputRawKeyPress(key) if !self.artificial.contains(key.sourceid) => {
                let is_repeated = key.flags.contains(KeyEventFlags::KEY_REPEAT);
                let is_escape = u8::try_from(key.detail).is_ok_and(|code| self.escape.contains(&code));
                let input = if is_escape { Input::Escape } else { Input::Other };
                (!is_repeated).then_some(input)
            }
            Event::XinputRawButtonPress(button) if !self.artificial.contains(button.sourceid) => Some(Input::Other),
            Event::XinputHierarchy(_) | Event::XinputDeviceChanged(_) => {
                self.learn_devices(server)?;
                None
            }
            Event::MappingNotify(_) => {
                self.learn_keys(server)?;
                None
            }
            _ => None,
        })
    }

    fn moved(&mut self, server: &Server, event: &RawMotionEvent) -> Answer<Option<Input>> {
        let (x, y) = cursor::pointer(server)?;
        let mut by = [0.0; 2];
        for (axis, value) in axes(event) {
            let Some(by) = by.get_mut(axis) else { break };
            *by = match self.places.get_mut(&(event.sourceid, axis)) {
                None => value,
                Some(places) => {
                    let root = server.connection.get_geometry(server.root)?.reply()?;
                    let length = if axis == 0 { root.width } else { root.height };
                    places.moved_to(value) * f64::from(length)
                }
            };
        }
        let [dx, dy] = by;
        // The wheel has its own axes.
        let moved = dx != 0.0 || dy != 0.0;
        Ok(moved.then_some(Input::Moved { dx, dy, x, y }))
    }

    fn learn_devices(&mut self, server: &Server) -> Answer<()> {
        self.artificial = Artificial::of(server)?.unwrap_or_default();
        let mut places = HashMap::new();
        for device in server.connection.xinput_xi_query_device(Device::ALL)?.reply()?.infos {
            for class in device.classes {
                if let DeviceClassData::Valuator(axis) = class.data
                    && axis.mode == ValuatorMode::ABSOLUTE
                    && axis.number < 2
                {
                    let key = (device.deviceid, usize::from(axis.number));
                    let last = self.places.get(&key).and_then(|known| known.last);
                    let (from, to) = (number(axis.min), number(axis.max));
                    places.insert(key, Places { from, to, last });
                }
            }
        }
        self.places = places;
        Ok(())
    }

    fn learn_keys(&mut self, server: &Server) -> Answer<()> {
        use x11rb::connection::Connection as _;
        let setup = server.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = server
            .connection
            .get_keyboard_mapping(first, last - first + 1)?
            .reply()?;
        let width = usize::from(mapping.keysyms_per_keycode).max(1);
        let keys = (first..=last).zip(mapping.keysyms.chunks(width));
        let escape = keys.filter(|(_, symbols)| symbols.first() == Some(&xkeysym::key::Escape));
        self.escape = escape.map(|(code, _)| code).collect();
        Ok(())
    }
}

/// Returns the axes that an event reports, each with its value.
fn axes(event: &RawMotionEvent) -> impl Iterator<Item = (usize, f64)> {
    let words = event.valuator_mask.iter().enumerate();
    let told = words.flat_map(|(word, bits)| {
        (0..32)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word * 32 + bit)
    });
    told.zip(event.axisvalues.iter().map(|value| number(*value)))
}

/// Converts a fixed-point number with a fraction of 32 bits.
fn number(fixed: Fp3232) -> f64 {
    f64::from(fixed.integral) + f64::from(fixed.frac) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_positions_become_movements() {
        let mut places = Places {
            from: 0.0,
            to: 65_535.0,
            last: None,
        };
        assert!(
            places.moved_to(1000.0).abs() < f64::EPSILON,
            "where it was before is not known"
        );
        assert!((places.moved_to(1000.0 + 6553.5) - 0.1).abs() < 1e-9);
        let mut none = Places {
            from: 0.0,
            to: -1.0,
            last: Some(1.0),
        };
        assert!(none.moved_to(50.0).abs() < f64::EPSILON, "an axis without length");
    }

    #[test]
    fn fractions_count_upwards_below_zero_too() {
        let fixed = |integral, frac| number(Fp3232 { integral, frac });
        assert!((fixed(-1, 1 << 31) + 0.5).abs() < f64::EPSILON);
        assert!((fixed(2, 1 << 30) - 2.25).abs() < f64::EPSILON);
    }
}
