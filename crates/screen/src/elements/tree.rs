//! Walks through the tree of one program, level by level. It queries all objects of a level at once, and descends only
//! into visible ones.

use std::cell::RefCell;

use franz_frame::Area;
use futures_util::future::join_all;
use zbus::Connection;

use super::AccessibleElement;
use super::accessible::Accessible;
use super::role::Role;
use super::sieve::{ReportedElement, one_line};

/// The maximum length of a list whose children are queried, because the program creates an object for each child.
const MOST_CHILDREN: i32 = 250;

/// The maximum number of objects to query in one program.
const MOST_OBJECTS: usize = 3000;

/// What a walk through a program's tree has found so far.
pub(super) struct Walk<'a> {
    pub(super) bus: &'a Connection,
    /// The elements found so far, which are kept when the time for the walk runs out.
    pub(super) found: &'a RefCell<Vec<ReportedElement>>,
}

/// An object to visit, with what is known from its ancestors.
#[derive(Clone)]
struct Node {
    object: Accessible,
    /// The area of its window; `None` for a window itself.
    window: Option<Area>,
    /// The part of the desktop in which it can be visible, if an ancestor cuts it off.
    porthole: Option<Area>,
}

/// A visible object's answer.
struct Said {
    children: Vec<Node>,
    is_complete: bool,
}

impl Said {
    /// Returns an answer without children. `is_complete` is `false` if there might be some.
    fn nothing(is_complete: bool) -> Said {
        Said {
            children: Vec::new(),
            is_complete,
        }
    }
}

impl Walk<'_> {
    /// Walks through a program. Returns whether it saw everything; fails if the program is gone.
    pub(super) async fn through(&self, program: &Accessible, process: Option<u32>) -> zbus::Result<bool> {
        let windows = program.children(self.bus).await?;
        let mut level: Vec<Node> = windows.into_iter().map(Node::window).collect();
        let (mut asked, mut is_complete) = (0, true);
        while !level.is_empty() {
            asked += level.len();
            if asked > MOST_OBJECTS {
                return Ok(false);
            }
            let said = join_all(level.iter().map(|node| self.ask(node, process))).await;
            level.clear();
            for said in said {
                is_complete &= said.is_complete;
                level.extend(said.children);
            }
        }
        Ok(is_complete)
    }

    /// Queries one object, and keeps the result as soon as the object answers. An object that vanishes in the meantime
    /// has no answer.
    async fn ask(&self, node: &Node, process: Option<u32>) -> Said {
        self.answer(node, process).await.unwrap_or_else(|error| {
            let is_gone = matches!(error, zbus::Error::MethodError(..));
            Said::nothing(is_gone)
        })
    }

    async fn answer(&self, node: &Node, process: Option<u32>) -> zbus::Result<Said> {
        let (bus, object) = (self.bus, &node.object);
        let (states, role) = tokio::try_join!(object.states(bus), object.role(bus))?;
        if !states.is_showing() {
            return Ok(Said::nothing(true));
        }
        let is_wanted = role.word().is_some() && node.window.is_some();
        let place = async {
            if is_wanted || node.window.is_none() || role.is_porthole() {
                object.place(bus).await
            } else {
                Ok(None)
            }
        };
        let name = async {
            if is_wanted {
                self.name(object).await
            } else {
                Ok(String::new())
            }
        };
        let (place, name, (children, is_complete)) = tokio::try_join!(place, name, self.children(object, role))?;
        let told = node.told(role, place, process).map(|told| ReportedElement {
            element: AccessibleElement {
                name,
                is_enabled: states.is_enabled(),
                is_checked: role.is_switch() && states.is_checked(),
                ..told.element
            },
            ..told
        });
        self.found.borrow_mut().extend(told);
        let children = children.into_iter().filter_map(|child| node.child(child, role, place));
        Ok(Said {
            children: children.collect(),
            is_complete,
        })
    }

    async fn children(&self, object: &Accessible, role: Role) -> zbus::Result<(Vec<Accessible>, bool)> {
        if role.is_leaf() {
            return Ok((Vec::new(), true));
        }
        if role.is_long() && object.child_count(self.bus).await? > MOST_CHILDREN {
            return Ok((Vec::new(), false));
        }
        Ok((object.children(self.bus).await?, true))
    }

    /// Returns the name, or else the text that serves as one.
    async fn name(&self, object: &Accessible) -> zbus::Result<String> {
        let name = one_line(&object.name(self.bus).await?);
        if !name.is_empty() {
            return Ok(name);
        }
        // A program without relations still has a description.
        let label = async { Ok(object.label(self.bus).await.ok().flatten()) };
        let (label, description) = tokio::try_join!(label, object.description(self.bus))?;
        let label = label.map(|label| one_line(&label)).filter(|label| !label.is_empty());
        Ok(label.unwrap_or_else(|| one_line(&description)))
    }
}

impl Node {
    fn window(object: Accessible) -> Node {
        Node {
            object,
            window: None,
            porthole: None,
        }
    }

    /// Returns the node of a child, given this one's role and place, or `None` if nothing is known about the window.
    fn child(&self, object: Accessible, role: Role, place: Option<Area>) -> Option<Node> {
        let cut_off = match (self.porthole, place.filter(|_| role.is_porthole())) {
            (Some(outer), Some(inner)) => Some(outer.intersection(&inner)?),
            (outer, inner) => inner.or(outer),
        };
        Some(Node {
            object,
            window: Some(self.window.or(place)?),
            // A popup is on top of everything, so no ancestor cuts it off.
            porthole: cut_off.filter(|_| !role.pops_up()),
        })
    }

    /// Returns the object as an element without a name, if it is an element and visible.
    fn told(&self, role: Role, place: Option<Area>, process: Option<u32>) -> Option<ReportedElement> {
        let place = place?;
        let place = match self.porthole {
            Some(porthole) => porthole.intersection(&place)?,
            None => place,
        };
        Some(ReportedElement {
            role,
            element: AccessibleElement {
                role: role.word()?,
                name: String::new(),
                place,
                is_enabled: true,
                is_checked: false,
            },
            process,
            window: self.window?,
        })
    }
}
