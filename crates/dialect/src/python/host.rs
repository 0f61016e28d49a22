//! The tools as a host offers them to a block: each call becomes an action.

use std::ops::Range;

use franz_python::{Arg, CallRefusal, Host, HostFunction};

use crate::bind::bind;
use crate::geometry::Geometry;
use franz_action::tool::TOOLS;
use franz_action::{Action, Tool, ToolSet};

/// Collects what a block asks for. A tool is identified by its index in [`TOOLS`].
#[derive(Debug)]
pub(super) struct ActionHost<'a> {
    tools: &'a ToolSet,
    /// How many actions a block may request.
    most: usize,
    geometry: &'a Geometry,
    /// The requested actions, each with the place of its call in the block's source, in bytes.
    pub(super) actions: Vec<(Action, Range<usize>)>,
}

impl<'a> ActionHost<'a> {
    pub(super) fn new(tools: &'a ToolSet, most: usize, geometry: &'a Geometry) -> ActionHost<'a> {
        ActionHost {
            tools,
            most,
            geometry,
            actions: Vec::new(),
        }
    }

    /// Discards everything that was requested.
    pub(super) fn clear(&mut self) {
        self.actions.clear();
    }
}

impl Host for ActionHost<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.tools.get(name).map(|tool| tool.verb as usize)
    }

    fn describe(&self, function: usize) -> HostFunction {
        let Tool { name, doc, .. } = TOOLS[function];
        HostFunction { name, doc }
    }

    fn call(
        &mut self,
        function: usize,
        at: Range<usize>,
        args: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<(), CallRefusal> {
        let action = bind(&TOOLS[function], args, named, self.geometry)?;
        let most = self.most;
        if self.actions.len() >= most {
            return Err(CallRefusal::Stop(format!(
                "LimitError: more than {most} actions in one block. Do fewer and look at the screen in between."
            )));
        }
        self.actions.push((action, at));
        Ok(())
    }
}
