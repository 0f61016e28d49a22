//! A program on a Wayland compositor that covers the screen, and remembers which keys and buttons it has seen. A press
//! of a button changes its colour.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use wayland_client::protocol::{
    wl_buffer, wl_compositor, wl_keyboard, wl_pointer, wl_registry, wl_seat, wl_shm, wl_shm_pool, wl_surface,
};
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle, WEnum, delegate_noop};
use wayland_protocols::xdg::shell::client::{xdg_surface, xdg_toplevel, xdg_wm_base};

/// The first colour, and the one after every other press of a button: blue, green, red and the unused byte.
pub(crate) const COLORS: [[u8; 4]; 2] = [[0x60, 0x40, 0x20, 0], [0x20, 0xa0, 0x60, 0]];

/// A window that covers a monitor.
pub(crate) struct WaylandClient {
    queue: EventQueue<Seen>,
    pub(crate) seen: Seen,
}

/// The window's state, as reported by the compositor.
#[derive(Default)]
pub(crate) struct Seen {
    compositor: Option<wl_compositor::WlCompositor>,
    shell: Option<xdg_wm_base::XdgWmBase>,
    shm: Option<wl_shm::WlShm>,
    surface: Option<wl_surface::WlSurface>,
    size: (i32, i32),
    color: usize,
    /// The pointer's position on the window.
    pub(crate) pointer: Option<(f64, f64)>,
    pub(crate) buttons: BTreeSet<u32>,
    pub(crate) keys: BTreeSet<u32>,
    pub(crate) modifiers: u32,
    /// All presses of keys, in order.
    pub(crate) pressed: Vec<u32>,
    /// The notches of the wheel: right and down.
    pub(crate) notches: (i32, i32),
    /// How far the wheel was turned, of which ten are a notch.
    pub(crate) scrolled: (f64, f64),
    is_active: bool,
}

impl WaylandClient {
    /// Opens the window, and waits until the keyboard belongs to it.
    pub(crate) fn on(socket: &Path) -> WaylandClient {
        let connection = Connection::from_socket(UnixStream::connect(socket).unwrap()).unwrap();
        let mut queue = connection.new_event_queue();
        let handle = queue.handle();
        connection.display().get_registry(&handle, ());
        let mut seen = Seen::default();
        queue.roundtrip(&mut seen).unwrap();
        let surface = seen.compositor.as_ref().unwrap().create_surface(&handle, ());
        let shell = seen.shell.as_ref().unwrap();
        let window = shell.get_xdg_surface(&surface, &handle, ());
        let toplevel = window.get_toplevel(&handle, ());
        toplevel.set_title("recorder".to_owned());
        toplevel.set_fullscreen(None);
        surface.commit();
        seen.surface = Some(surface);
        let mut client = WaylandClient { queue, seen };
        super::stage::until("the window has the keyboard", || {
            client.look();
            (client.seen.is_active && client.seen.size.0 > 1).then_some(())
        });
        client
    }

    /// Processes everything that the compositor has sent.
    pub(crate) fn look(&mut self) -> &Seen {
        self.queue.roundtrip(&mut self.seen).unwrap();
        self.queue.flush().unwrap();
        &self.seen
    }

    pub(crate) fn is_at_rest(&mut self) -> bool {
        let seen = self.look();
        seen.buttons.is_empty() && seen.keys.is_empty() && seen.modifiers == 0
    }
}

impl Seen {
    fn paint(&self, handle: &QueueHandle<Seen>) {
        let (Some(surface), Some(shm)) = (&self.surface, &self.shm) else {
            return;
        };
        let (width, height) = self.size;
        let pixels = COLORS[self.color].repeat((width * height) as usize);
        let memory = rustix::fs::memfd_create("window", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let mut memory = std::fs::File::from(memory);
        memory.write_all(&pixels).unwrap();
        let pool = shm.create_pool(memory.as_fd(), pixels.len() as i32, handle, ());
        let buffer = pool.create_buffer(0, width, height, width * 4, wl_shm::Format::Xrgb8888, handle, ());
        pool.destroy();
        surface.attach(Some(&buffer), 0, 0);
        surface.damage(0, 0, i32::MAX, i32::MAX);
        surface.commit();
    }
}

impl Dispatch<wl_registry::WlRegistry, ()> for Seen {
    fn event(
        seen: &mut Seen,
        registry: &wl_registry::WlRegistry,
        event: wl_registry::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Seen>,
    ) {
        let wl_registry::Event::Global { name, interface, .. } = event else {
            return;
        };
        match interface.as_str() {
            "wl_compositor" => seen.compositor = Some(registry.bind(name, 4, handle, ())),
            "wl_shm" => seen.shm = Some(registry.bind(name, 1, handle, ())),
            "xdg_wm_base" => seen.shell = Some(registry.bind(name, 1, handle, ())),
            "wl_seat" => drop(registry.bind::<wl_seat::WlSeat, _, _>(name, 5, handle, ())),
            _ => {}
        }
    }
}

impl Dispatch<wl_seat::WlSeat, ()> for Seen {
    fn event(
        _: &mut Seen,
        seat: &wl_seat::WlSeat,
        event: wl_seat::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Seen>,
    ) {
        // A seat without any device gains them when an agent comes.
        if let wl_seat::Event::Capabilities {
            capabilities: WEnum::Value(has),
        } = event
        {
            if has.contains(wl_seat::Capability::Pointer) {
                seat.get_pointer(handle, ());
            }
            if has.contains(wl_seat::Capability::Keyboard) {
                seat.get_keyboard(handle, ());
            }
        }
    }
}

impl Dispatch<wl_pointer::WlPointer, ()> for Seen {
    fn event(
        seen: &mut Seen,
        _: &wl_pointer::WlPointer,
        event: wl_pointer::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Seen>,
    ) {
        match event {
            wl_pointer::Event::Enter {
                surface_x, surface_y, ..
            }
            | wl_pointer::Event::Motion {
                surface_x, surface_y, ..
            } => seen.pointer = Some((surface_x, surface_y)),
            wl_pointer::Event::Button { button, state, .. } => {
                if state == WEnum::Value(wl_pointer::ButtonState::Released) {
                    seen.buttons.remove(&button);
                } else if seen.buttons.insert(button) {
                    seen.color = (seen.color + 1) % COLORS.len();
                    seen.paint(handle);
                }
            }
            wl_pointer::Event::Axis {
                axis: WEnum::Value(axis),
                value,
                ..
            } => match axis {
                wl_pointer::Axis::HorizontalScroll => seen.scrolled.0 += value,
                _ => seen.scrolled.1 += value,
            },
            wl_pointer::Event::AxisDiscrete {
                axis: WEnum::Value(axis),
                discrete,
            } => match axis {
                wl_pointer::Axis::HorizontalScroll => seen.notches.0 += discrete,
                _ => seen.notches.1 += discrete,
            },
            _ => {}
        }
    }
}

impl Dispatch<wl_keyboard::WlKeyboard, ()> for Seen {
    fn event(
        seen: &mut Seen,
        _: &wl_keyboard::WlKeyboard,
        event: wl_keyboard::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Seen>,
    ) {
        match event {
            wl_keyboard::Event::Enter { keys, .. } => {
                let (numbers, _) = keys.as_chunks::<4>();
                seen.keys = numbers.iter().map(|number| u32::from_ne_bytes(*number)).collect();
            }
            wl_keyboard::Event::Key { key, state, .. } => {
                if state == WEnum::Value(wl_keyboard::KeyState::Released) {
                    seen.keys.remove(&key);
                } else if seen.keys.insert(key) {
                    seen.pressed.push(key);
                }
            }
            wl_keyboard::Event::Modifiers { mods_depressed, .. } => seen.modifiers = mods_depressed,
            _ => {}
        }
    }
}

impl Dispatch<xdg_wm_base::XdgWmBase, ()> for Seen {
    fn event(
        _: &mut Seen,
        shell: &xdg_wm_base::XdgWmBase,
        event: xdg_wm_base::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Seen>,
    ) {
        if let xdg_wm_base::Event::Ping { serial } = event {
            shell.pong(serial);
        }
    }
}

impl Dispatch<xdg_surface::XdgSurface, ()> for Seen {
    fn event(
        seen: &mut Seen,
        window: &xdg_surface::XdgSurface,
        event: xdg_surface::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Seen>,
    ) {
        if let xdg_surface::Event::Configure { serial } = event {
            window.ack_configure(serial);
            seen.paint(handle);
        }
    }
}

impl Dispatch<xdg_toplevel::XdgToplevel, ()> for Seen {
    fn event(
        seen: &mut Seen,
        _: &xdg_toplevel::XdgToplevel,
        event: xdg_toplevel::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Seen>,
    ) {
        if let xdg_toplevel::Event::Configure { width, height, states } = event {
            // The compositor leaves the first size to the window.
            seen.size = (width.max(1), height.max(1));
            let (numbers, _) = states.as_chunks::<4>();
            let active = xdg_toplevel::State::Activated as u32;
            seen.is_active = numbers.iter().any(|number| u32::from_ne_bytes(*number) == active);
        }
    }
}

delegate_noop!(Seen: wl_compositor::WlCompositor);
delegate_noop!(Seen: ignore wl_surface::WlSurface);
delegate_noop!(Seen: ignore wl_shm::WlShm);
delegate_noop!(Seen: wl_shm_pool::WlShmPool);
delegate_noop!(Seen: ignore wl_buffer::WlBuffer);
