//! The elements of the page in front, from its accessibility tree, or those of its dialog.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use franz_frame::{Area, Lettering};
use serde::Deserialize;
use serde_json::{Value, json};

use super::connection::{Connection, Unanswered};
use super::message::Command;
use super::message::text;
use super::tabs::Viewport;
use crate::elements::role::Role;
use crate::elements::sieve::{ReportedElement, one_line, sifted};
use crate::elements::{AccessibleElement, DesktopLayer, ElementSource, Elements};

/// How long a turn waits for a page to answer.
const TURN: Duration = Duration::from_millis(300);

/// How long the first turn waits, because the browser must first build the tree of elements.
const FIRST_TURN: Duration = Duration::from_secs(3);

/// The largest number of elements to look up positions for.
const MOST_ASKED: usize = 400;

/// The largest number of frames to query.
const MOST_FRAMES: usize = 12;

/// The kinds of elements on a page, with the AT-SPI roles that supply the words for them.
const ROLES: [(&str, u32); 27] = [
    ("button", 43),
    ("cell", 56),
    ("checkbox", 7),
    ("columnheader", 57),
    ("combobox", 11),
    ("ColorWell", 43),
    ("Date", 12),
    ("DateTime", 12),
    ("DisclosureTriangle", 43),
    ("gridcell", 56),
    ("InputTime", 12),
    ("link", 88),
    ("listbox", 11),
    ("menuitem", 35),
    ("menuitemcheckbox", 8),
    ("menuitemradio", 45),
    ("option", 32),
    ("PopUpButton", 11),
    ("radio", 44),
    ("rowheader", 58),
    ("searchbox", 79),
    ("slider", 51),
    ("spinbutton", 52),
    ("switch", 130),
    ("tab", 37),
    ("textbox", 79),
    ("treeitem", 91),
];

/// A node of the accessibility tree.
#[derive(Deserialize)]
struct Node {
    #[serde(rename = "nodeId")]
    id: String,
    #[serde(rename = "parentId")]
    parent: Option<String>,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    role: Worth,
    #[serde(default)]
    name: Worth,
    #[serde(default)]
    properties: Vec<Property>,
    /// The document node that this node represents.
    #[serde(rename = "backendDOMNodeId")]
    document: Option<i64>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    #[serde(default)]
    value: Worth,
}

#[derive(Default, Deserialize)]
struct Worth {
    #[serde(default)]
    value: Value,
}

impl Node {
    fn role(&self) -> Option<Role> {
        let name = self.role.value.as_str().filter(|_| !self.ignored)?;
        let known = ROLES.iter().find(|(known, _)| *known == name);
        known.map(|(_, number)| Role(*number))
    }

    /// Returns whether a property is set to `true`, as a boolean or as text.
    fn is(&self, name: &str) -> bool {
        let found = self.properties.iter().find(|property| property.name == name);
        found.is_some_and(|property| property.value.value == true || property.value.value == "true")
    }
}

/// Reads the elements of the page in front.
pub(super) struct PageElements {
    connection: Connection,
    viewport: Viewport,
    lettering: Lettering,
    /// Whether a page has answered before.
    is_answered: Cell<bool>,
}

impl PageElements {
    pub(super) fn of(connection: Connection, viewport: Viewport) -> PageElements {
        PageElements {
            connection,
            viewport,
            lettering: Lettering::new(),
            is_answered: Cell::new(false),
        }
    }

    fn whole(&self) -> Area {
        Area::whole(self.viewport.width, self.viewport.height)
    }

    fn told(&self, role: Role, name: &str, place: Area) -> Option<ReportedElement> {
        Some(ReportedElement {
            role,
            element: AccessibleElement {
                role: role.word()?,
                name: one_line(name),
                place,
                is_enabled: true,
                is_checked: false,
            },
            process: None,
            window: self.whole(),
        })
    }

    /// Returns the field and the buttons of the dialog on the page in front, if there is one.
    fn of_dialog(&mut self) -> Option<Vec<ReportedElement>> {
        let dialog = self.connection.with_tabs(|tabs| tabs.front()?.dialog.clone())?;
        let layout = dialog.layout(self.whole(), &mut self.lettering);
        let field = layout.field.and_then(|field| self.told(Role(79), &dialog.field, field));
        let buttons = layout
            .buttons
            .iter()
            .filter_map(|button| self.told(Role(43), button.name, button.area));
        Some(field.into_iter().chain(buttons).collect())
    }

    /// Returns the elements of a page, and whether the list is complete.
    fn of_page(&self, session: &str) -> Result<(Vec<ReportedElement>, bool), Unanswered> {
        let patience = if self.is_answered.get() { TURN } else { FIRST_TURN };
        let until = Instant::now() + patience;
        let left = || until.saturating_duration_since(Instant::now());
        let to_page = |method, params| Command::to_page(session, method, params);
        let tree = self.connection.ask(&to_page("Page.getFrameTree", json!({})), left())?;
        let mut frames = Vec::new();
        list_frames(&tree["frameTree"], &mut frames);
        let mut is_complete = frames.len() <= MOST_FRAMES;
        frames.truncate(MOST_FRAMES);
        let asked = frames
            .iter()
            .map(|frame| to_page("Accessibility.getFullAXTree", json!({ "frameId": frame })));
        let trees = self.connection.ask_all(&asked.collect::<Vec<_>>(), left())?;
        self.is_answered.set(true);
        let mut nodes: Vec<Node> = Vec::new();
        for tree in trees {
            match tree {
                Ok(mut tree) => {
                    nodes.extend(serde_json::from_value::<Vec<Node>>(tree["nodes"].take()).unwrap_or_default());
                }
                Err(_) => is_complete = false,
            }
        }
        let mut wanted: Vec<(&Node, Role, i64)> = nodes
            .iter()
            .filter_map(|node| Some((node, node.role()?, node.document?)))
            .collect();
        is_complete &= wanted.len() <= MOST_ASKED;
        wanted.truncate(MOST_ASKED);
        let quads = wanted
            .iter()
            .map(|(_, _, id)| to_page("DOM.getContentQuads", json!({ "backendNodeId": id })));
        let quads = self.connection.ask_all(&quads.collect::<Vec<_>>(), left())?;
        let mut placed = Vec::new();
        for ((node, role, id), quads) in wanted.into_iter().zip(quads) {
            match quads {
                Ok(quads) => placed.extend(self.place(&quads["quads"][0]).map(|place| (node, role, id, place))),
                // The element is not drawn.
                Err(Unanswered::Refused(_)) => {}
                Err(_) => is_complete = false,
            }
        }
        let scale = self.viewport.scale;
        let hits = placed.iter().map(|(.., place)| {
            let middle = |at: i32, length: u32| ((f64::from(at) + f64::from(length) / 2.0) / scale) as i64;
            let (x, y) = (middle(place.x, place.width), middle(place.y, place.height));
            to_page("DOM.getNodeForLocation", json!({ "x": x, "y": y }))
        });
        let hits = self.connection.ask_all(&hits.collect::<Vec<_>>(), left())?;
        let family = Family::of(&nodes);
        let mut found = Vec::new();
        for ((node, role, id, place), hit) in placed.into_iter().zip(hits) {
            let is_hit = match hit {
                Ok(hit) => hit["backendNodeId"]
                    .as_i64()
                    .is_none_or(|hit| family.are_related(hit, id)),
                Err(Unanswered::Refused(_)) => false,
                Err(_) => {
                    is_complete = false;
                    true
                }
            };
            if let Some(mut told) = self.told(role, &text(&node.name.value), place).filter(|_| is_hit) {
                told.element.is_enabled = !node.is("disabled");
                told.element.is_checked = node.is("checked") || node.is("pressed");
                found.push(told);
            }
        }
        Ok((found, is_complete))
    }

    /// Returns the visible part of a quad, which holds the x and y of an element's four corners in pixels of the page.
    fn place(&self, quad: &Value) -> Option<Area> {
        let numbers: Vec<f64> = quad.as_array()?.iter().filter_map(Value::as_f64).collect();
        let axis = |first: usize| {
            let all = numbers.iter().skip(first).step_by(2).map(|at| at * self.viewport.scale);
            (
                all.clone().fold(f64::INFINITY, f64::min),
                all.fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let ((left, right), (top, bottom)) = (axis(0), axis(1));
        let area = Area {
            x: left.round() as i32,
            y: top.round() as i32,
            width: (right - left).round().max(0.0) as u32,
            height: (bottom - top).round().max(0.0) as u32,
        };
        area.intersection(&self.whole())
    }
}

impl ElementSource for PageElements {
    fn read(&mut self, layers: &[DesktopLayer], seen: Area) -> Elements {
        let (told, is_complete) = self.of_dialog().map_or_else(
            || {
                let session = self
                    .connection
                    .with_tabs(|tabs| tabs.front().map(|tab| tab.session.clone()));
                session
                    .and_then(|session| self.of_page(&session).ok())
                    .unwrap_or_default()
            },
            |told| (told, true),
        );
        Elements {
            is_complete,
            // No page is listed here, because every page reports its elements.
            silent: Vec::new(),
            ..sifted(told, layers, seen)
        }
    }
}

/// Which document nodes contain one another.
struct Family {
    parents: BTreeMap<i64, i64>,
}

impl Family {
    fn of(nodes: &[Node]) -> Family {
        let ids: BTreeMap<&str, i64> = nodes
            .iter()
            .filter_map(|node| Some((node.id.as_str(), node.document?)))
            .collect();
        let parents = nodes.iter().filter_map(|node| {
            let parent = node.parent.as_deref().and_then(|parent| ids.get(parent).copied());
            Some((node.document?, parent.unwrap_or_default()))
        });
        Family {
            parents: parents.collect(),
        }
    }

    /// Returns whether the two nodes are the same or one lies within the other. Returns `true` if the tree leaves out
    /// `one`.
    fn are_related(&self, one: i64, other: i64) -> bool {
        !self.parents.contains_key(&one) || self.is_within(one, other) || self.is_within(other, one)
    }

    fn is_within(&self, inner: i64, outer: i64) -> bool {
        // No real page nests this deeply; only a malicious peer would claim to.
        let mut chain = std::iter::successors(Some(inner), |id| self.parents.get(id).copied()).take(1000);
        chain.any(|id| id == outer)
    }
}

fn list_frames(tree: &Value, found: &mut Vec<String>) {
    found.push(text(&tree["frame"]["id"]));
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        list_frames(child, found);
    }
}
