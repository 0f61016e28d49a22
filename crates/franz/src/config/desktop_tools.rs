//! The tools that a profile for the canvas gets on a desktop, where drawing tools alone cannot do much.

use toml::Value;

use super::layer::Layer;
use super::origin::Origin;

/// The tools, besides those of a canvas. The clipboard is missing, because only the person may open it to a model.
const TOOLS: [&str; 17] = [
    "middle_click",
    "double_left_click",
    "triple_click",
    "move",
    "mouse_down",
    "mouse_up",
    "scroll",
    "press",
    "hold",
    "wait",
    "observe",
    "watch",
    "zoom",
    "windows",
    "focus",
    "open",
    "ask",
];

/// Returns the layer that switches these tools on if the settings have a profile made for the canvas only, but another
/// screen. It belongs below the profile, so that whatever a layer says about a tool counts.
pub(crate) fn below(settings: &Layer) -> Option<Layer> {
    let is_canvas = |value: &Value| value.as_str() == Some("canvas");
    let screens = settings.get("prompt.screens")?.as_array()?;
    let is_made_for_canvas = !screens.is_empty() && screens.iter().all(is_canvas);
    if !is_made_for_canvas || settings.get("screen.kind").is_none_or(is_canvas) {
        return None;
    }
    let mut layer = Layer::default();
    for tool in TOOLS {
        layer.insert(format!("protocol.tools.{tool}"), true.into(), Origin::Default);
    }
    Some(layer)
}
