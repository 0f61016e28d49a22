//! Offers the tools to a block of Python. Each call becomes an action.

use std::ops::Range;

use franz_python::{Arg, CallRefusal, Host, HostFunction};

use serde_json::Value;

use crate::bind::bind;
use crate::geometry::Geometry;
use crate::notation::Arguments;
use crate::usual::{self, UsualCall};
use franz_action::tool::TOOLS;
use franz_action::{Action, Tool, ToolSet};

/// Collects what a block asks for. Tools are identified by their index in [`TOOLS`].
#[derive(Debug)]
pub(super) struct ActionHost<'a> {
    tools: &'a ToolSet,
    /// How many actions a block can request.
    most: usize,
    geometry: &'a Geometry,
    /// The requested actions, each with the byte range of its call in the block's source.
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

impl ActionHost<'_> {
    /// Reads a call the way other programs would.
    fn usual(&self, name: &str, args: Vec<Arg>, named: Vec<(String, Arg)>) -> Result<Action, String> {
        let args = Arguments {
            positional: args.into_iter().map(value).collect(),
            named: named.into_iter().map(|(name, arg)| (name, value(arg))).collect(),
        };
        match usual::read(name, &args, self.tools, self.geometry).map_err(|why| why.to_string())? {
            UsualCall::Act(action) => Ok(action),
            UsualCall::End(_) | UsualCall::Remark => Err("nobody is there to read it".to_owned()),
        }
    }
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg, Arg::Sequence(..))
}

/// Checks whether an argument has a name that no tool uses.
fn is_named(named: &[(String, Arg)]) -> bool {
    let own = |name: &str| {
        TOOLS
            .iter()
            .flat_map(|tool| tool.params)
            .any(|param| param.name == name)
    };
    named.iter().any(|(name, _)| !own(name))
}

/// Returns an argument as JSON.
fn value(arg: Arg) -> Value {
    match arg {
        Arg::Int(number) | Arg::Float(number) => Value::from(number),
        Arg::Bool(truth) => Value::from(truth),
        Arg::Text(text) => Value::from(text),
        Arg::Sequence(_, items) => items.into_iter().map(value).collect(),
        Arg::None => Value::Null,
        Arg::Other(name) => Value::from(format!("<{name}>")),
    }
}

impl Host for ActionHost<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        let tool = self.tools.get(name).map(|tool| tool.verb as usize);
        tool.or_else(|| Some(TOOLS.len() + usual::place(name, self.tools)?))
    }

    fn describe(&self, function: usize) -> HostFunction {
        match TOOLS.get(function) {
            Some(Tool { name, doc, .. }) => HostFunction { name, doc },
            None => HostFunction {
                name: usual::name(function - TOOLS.len()),
                doc: "",
            },
        }
    }

    fn call(
        &mut self,
        function: usize,
        at: Range<usize>,
        args: Vec<Arg>,
        named: Vec<(String, Arg)>,
    ) -> Result<(), CallRefusal> {
        let action = if let Some(tool) = TOOLS.get(function) {
            match bind(tool, args.clone(), named.clone(), self.tools, self.geometry) {
                Err(error) if args.iter().chain(named.iter().map(|(_, arg)| arg)).any(is_list) || is_named(&named) => {
                    self.usual(tool.name, args, named).map_err(|_| error)?
                }
                bound => bound?,
            }
        } else {
            let name = usual::name(function - TOOLS.len());
            let asked = self.usual(name, args, named);
            asked.map_err(|why| CallRefusal::Value(format!("{name}(): {why}")))?
        };
        if let Some(tool) = self.tools.lacks(&action).filter(|_| action != Action::Screenshot) {
            return Err(CallRefusal::Value(format!("{} is switched off", tool.name)));
        }
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
