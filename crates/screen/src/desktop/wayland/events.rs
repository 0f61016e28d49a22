//! What the compositor has sent.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::fd::OwnedFd;

use wayland_client::backend::ObjectId;
use wayland_client::protocol::{wl_buffer, wl_callback, wl_output, wl_registry, wl_shm, wl_shm_pool};
use wayland_client::{Connection, Dispatch, Proxy as _, QueueHandle, WEnum, delegate_noop, event_created_child};
use wayland_protocols::xdg::xdg_output::zv1::client::{zxdg_output_manager_v1, zxdg_output_v1};
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::{
    zwp_virtual_keyboard_manager_v1, zwp_virtual_keyboard_v1,
};
use wayland_protocols_wlr::data_control::v1::client::zwlr_data_control_offer_v1::ZwlrDataControlOfferV1;
use wayland_protocols_wlr::foreign_toplevel::v1::client::{
    zwlr_foreign_toplevel_handle_v1, zwlr_foreign_toplevel_manager_v1,
};
use wayland_protocols_wlr::screencopy::v1::client::{zwlr_screencopy_frame_v1, zwlr_screencopy_manager_v1};
use wayland_protocols_wlr::virtual_pointer::v1::client::{zwlr_virtual_pointer_manager_v1, zwlr_virtual_pointer_v1};

use zwlr_screencopy_frame_v1::Flags;

/// The last version of an output that this display knows.
const OUTPUT_VERSION: u32 = 4;

/// Something that the compositor offers.
pub(super) struct Global {
    pub(super) name: u32,
    pub(super) interface: String,
    pub(super) version: u32,
}

/// A monitor, as the compositor describes it.
#[derive(Clone)]
pub(super) struct Output {
    /// The name of its global.
    pub(super) id: u32,
    pub(super) proxy: wl_output::WlOutput,
    described: Option<zxdg_output_v1::ZxdgOutputV1>,
    pub(super) name: Option<String>,
    /// The size of its picture in pixels.
    pub(super) mode: Option<(i32, i32)>,
    /// Its place among the monitors, in the compositor's own units.
    pub(super) place: (i32, i32),
    /// Its size in the compositor's own units, if reported.
    pub(super) size: Option<(i32, i32)>,
    pub(super) scale: i32,
    pub(super) is_turned: bool,
}

/// The buffer format that the compositor accepts for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) format: WEnum<wl_shm::Format>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) stride: u32,
}

/// The progress of one copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Copying {
    pub(super) shape: Option<Shape>,
    /// Whether all possible shapes have been listed.
    pub(super) is_described: bool,
    /// Whether it succeeded, once it has ended.
    pub(super) is_done: Option<bool>,
    pub(super) is_upside_down: bool,
}

impl Copying {
    /// Notes a shape that the compositor accepts. A format without a name does not replace one with a name.
    pub(super) fn offer(&mut self, shape: Shape) {
        if self.shape.is_none() || matches!(shape.format, WEnum::Value(_)) {
            self.shape = Some(shape);
        }
    }
}

/// What the compositor has reported about the clipboard.
#[derive(Default)]
pub(super) struct SentClipboard {
    /// The types in which each program offers what it has.
    pub(super) types: HashMap<ObjectId, Vec<String>>,
    pub(super) selection: Option<ZwlrDataControlOfferV1>,
    /// Where to write our text.
    pub(super) takers: Vec<OwnedFd>,
    pub(super) is_replaced: bool,
}

/// The keymap that the compositor has sent.
#[derive(Default)]
pub(super) struct SentKeymap {
    /// Whether the seat has a keyboard.
    pub(super) is_expected: bool,
    pub(super) file: Option<(OwnedFd, u32)>,
}

/// Everything that the compositor has sent.
#[derive(Default)]
pub(super) struct Events {
    pub(super) globals: Vec<Global>,
    pub(super) outputs: Vec<Output>,
    pub(super) output_manager: Option<zxdg_output_manager_v1::ZxdgOutputManagerV1>,
    pub(super) clipboard: SentClipboard,
    pub(super) keymap: SentKeymap,
    /// The windows of programs, if asked for.
    pub(super) windows: HashSet<ObjectId>,
    /// The copies under way, by number.
    pub(super) copies: BTreeMap<u64, Copying>,
    /// The number of the last question, and of the last answer.
    pub(super) asked: u64,
    pub(super) answered: u64,
}

impl Events {
    /// Asks for the place of every output that has not been asked about.
    pub(super) fn name_outputs(&mut self, handle: &QueueHandle<Events>) {
        let Some(manager) = &self.output_manager else { return };
        for output in &mut self.outputs {
            let (id, proxy) = (output.id, &output.proxy);
            output
                .described
                .get_or_insert_with(|| manager.get_xdg_output(proxy, handle, id));
        }
    }

    fn output(&mut self, id: u32) -> Option<&mut Output> {
        self.outputs.iter_mut().find(|output| output.id == id)
    }
}

impl Dispatch<wl_registry::WlRegistry, ()> for Events {
    fn event(
        events: &mut Events,
        registry: &wl_registry::WlRegistry,
        event: wl_registry::Event,
        (): &(),
        _: &Connection,
        handle: &QueueHandle<Events>,
    ) {
        match event {
            wl_registry::Event::Global {
                name,
                interface,
                version,
            } => {
                if interface == wl_output::WlOutput::interface().name {
                    let proxy = registry.bind(name, version.min(OUTPUT_VERSION), handle, name);
                    events.outputs.push(Output {
                        id: name,
                        proxy,
                        described: None,
                        name: None,
                        mode: None,
                        place: (0, 0),
                        size: None,
                        scale: 1,
                        is_turned: false,
                    });
                    events.name_outputs(handle);
                }
                events.globals.push(Global {
                    name,
                    interface,
                    version,
                });
            }
            wl_registry::Event::GlobalRemove { name } => {
                events.globals.retain(|global| global.name != name);
                events.outputs.retain(|output| output.id != name);
            }
            _ => {}
        }
    }
}

impl Dispatch<wl_callback::WlCallback, u64> for Events {
    fn event(
        events: &mut Events,
        _: &wl_callback::WlCallback,
        event: wl_callback::Event,
        asked: &u64,
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            events.answered = *asked;
        }
    }
}

impl Dispatch<wl_output::WlOutput, u32> for Events {
    fn event(
        events: &mut Events,
        _: &wl_output::WlOutput,
        event: wl_output::Event,
        id: &u32,
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        let Some(output) = events.output(*id) else { return };
        match event {
            wl_output::Event::Geometry { x, y, transform, .. } => {
                // The description of an output, where there is one, is more exact.
                if output.described.is_none() {
                    output.place = (x, y);
                }
                output.is_turned = transform != WEnum::Value(wl_output::Transform::Normal);
            }
            wl_output::Event::Mode {
                flags: WEnum::Value(flags),
                width,
                height,
                ..
            } if flags.contains(wl_output::Mode::Current) => output.mode = Some((width, height)),
            wl_output::Event::Scale { factor } => output.scale = factor,
            wl_output::Event::Name { name } => output.name = Some(name),
            _ => {}
        }
    }
}

impl Dispatch<zxdg_output_v1::ZxdgOutputV1, u32> for Events {
    fn event(
        events: &mut Events,
        _: &zxdg_output_v1::ZxdgOutputV1,
        event: zxdg_output_v1::Event,
        id: &u32,
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        let Some(output) = events.output(*id) else { return };
        match event {
            zxdg_output_v1::Event::LogicalPosition { x, y } => output.place = (x, y),
            zxdg_output_v1::Event::LogicalSize { width, height } => output.size = Some((width, height)),
            zxdg_output_v1::Event::Name { name } => output.name = Some(name),
            _ => {}
        }
    }
}

impl Dispatch<zwlr_screencopy_frame_v1::ZwlrScreencopyFrameV1, u64> for Events {
    fn event(
        events: &mut Events,
        frame: &zwlr_screencopy_frame_v1::ZwlrScreencopyFrameV1,
        event: zwlr_screencopy_frame_v1::Event,
        number: &u64,
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        let Some(copy) = events.copies.get_mut(number) else {
            return;
        };
        match event {
            zwlr_screencopy_frame_v1::Event::Buffer {
                format,
                width,
                height,
                stride,
            } => {
                copy.offer(Shape {
                    format,
                    width,
                    height,
                    stride,
                });
                // Older compositors list one shape.
                copy.is_described |= frame.version() < 3;
            }
            zwlr_screencopy_frame_v1::Event::BufferDone => copy.is_described = true,
            zwlr_screencopy_frame_v1::Event::Flags {
                flags: WEnum::Value(flags),
            } => copy.is_upside_down = flags.contains(Flags::YInvert),
            zwlr_screencopy_frame_v1::Event::Ready { .. } => copy.is_done = Some(true),
            zwlr_screencopy_frame_v1::Event::Failed => copy.is_done = Some(false),
            _ => {}
        }
    }
}

impl Dispatch<zwlr_foreign_toplevel_manager_v1::ZwlrForeignToplevelManagerV1, ()> for Events {
    fn event(
        events: &mut Events,
        _: &zwlr_foreign_toplevel_manager_v1::ZwlrForeignToplevelManagerV1,
        event: zwlr_foreign_toplevel_manager_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        if let zwlr_foreign_toplevel_manager_v1::Event::Toplevel { toplevel } = event {
            events.windows.insert(toplevel.id());
        }
    }

    event_created_child!(Events, zwlr_foreign_toplevel_manager_v1::ZwlrForeignToplevelManagerV1, [
        zwlr_foreign_toplevel_manager_v1::EVT_TOPLEVEL_OPCODE => (zwlr_foreign_toplevel_handle_v1::ZwlrForeignToplevelHandleV1, ()),
    ]);
}

impl Dispatch<zwlr_foreign_toplevel_handle_v1::ZwlrForeignToplevelHandleV1, ()> for Events {
    fn event(
        events: &mut Events,
        window: &zwlr_foreign_toplevel_handle_v1::ZwlrForeignToplevelHandleV1,
        event: zwlr_foreign_toplevel_handle_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        if let zwlr_foreign_toplevel_handle_v1::Event::Closed = event {
            events.windows.remove(&window.id());
            window.destroy();
        }
    }
}

delegate_noop!(Events: ignore wl_shm::WlShm);
delegate_noop!(Events: ignore wl_buffer::WlBuffer);
delegate_noop!(Events: wl_shm_pool::WlShmPool);
delegate_noop!(Events: zxdg_output_manager_v1::ZxdgOutputManagerV1);
delegate_noop!(Events: zwlr_screencopy_manager_v1::ZwlrScreencopyManagerV1);
delegate_noop!(Events: zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1);
delegate_noop!(Events: zwlr_virtual_pointer_v1::ZwlrVirtualPointerV1);
delegate_noop!(Events: zwp_virtual_keyboard_manager_v1::ZwpVirtualKeyboardManagerV1);
delegate_noop!(Events: zwp_virtual_keyboard_v1::ZwpVirtualKeyboardV1);
