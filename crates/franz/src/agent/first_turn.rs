//! The first turn of a run without its screen: what a model is asked about a picture, and where its reply clicks.
//! Nothing is performed.

use std::convert::Infallible;

use franz_action::{Action, Mode, Point};
use franz_chat::{Picture, Reply, Request, Sampling};
use franz_dialect::{Intent, Plan, Scene};
use franz_json::Story;
use franz_record::{GivenTask, TurnLine};

use super::memory::Asked;
use super::{Memory, notices};
use crate::config::settings::Settings;
use crate::idiom::Idiom;
use crate::reading::{Reader, RecordedReply};
use crate::shortcomings::picture_tokens;

/// A model that is asked as in the first turn of a run.
pub(crate) struct FirstTurn<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) idiom: &'a Idiom,
    /// The model's name on its server.
    pub(crate) model: &'a str,
    /// The length of the server's context in tokens, if it is known.
    pub(crate) context: Option<u64>,
}

impl FirstTurn<'_> {
    /// Returns the request of the first turn, with this picture and goal.
    pub(crate) fn request(&self, picture: Picture, goal: &str) -> Request {
        let settings = self.settings;
        let tasks = [GivenTask {
            turn: 1,
            text: goal.to_owned(),
        }];
        let sampling = Sampling {
            streaming: settings.streaming(),
            ..settings.sampling(self.idiom, Some(self.model))
        };
        let asked = Asked {
            system: &self.idiom.system_prompt(settings, goal),
            tasks: &tasks,
            messages: &[],
            tools: &self.idiom.protocol(settings).schema().unwrap_or_default(),
            story: &Story::default(),
            feedback: &self.feedback(goal),
            beside: Vec::new(),
            picture: Some(picture),
            sampling: &sampling,
            budget: settings.budget(self.context),
            picture_tokens: picture_tokens(self.idiom.picture(settings)),
        };
        Memory::empty(settings).request(settings, &asked)
    }

    /// Returns where the first click of a reply is, or in words why there is none.
    pub(crate) fn click(&self, reply: &Reply) -> Result<Point, String> {
        let line = TurnLine {
            reply: reply.story().cloned(),
            tool_calls: reply.tool_calls().cloned(),
            cut: reply.cut(self.settings.model.max_tokens),
            read_as: self.idiom.record(self.settings),
            ..TurnLine::new(1, "")
        };
        let reader = Reader::new(self.settings, self.idiom, &[]);
        let read = reader.read(RecordedReply::in_turn(&line), |_, _| Ok::<_, Infallible>(()));
        let plan = read.unwrap_or_else(|never| match never {});
        let click = plan.actions().find_map(|action| match action {
            Action::Click(click) => Some(click.at),
            _ => None,
        });
        click.ok_or_else(|| no_click(&plan))
    }

    /// Returns the feedback before a model's first reply.
    fn feedback(&self, goal: &str) -> String {
        let protocol = self.idiom.protocol(self.settings);
        let scene = Scene {
            picture: "",
            screen: self.idiom.screen,
        };
        let heading = protocol.heading(Mode::Executing, goal, None);
        let opening = protocol.opening().feedback(&[], &scene);
        let heading = heading.map_or(String::new(), |heading| format!("{heading}\n"));
        format!("{heading}{}", notices::indented_ours(&opening))
    }
}

/// Describes a reply without a click.
fn no_click(plan: &Plan) -> String {
    let mut left = plan.steps.iter().filter_map(|step| match &step.intent {
        Intent::Leave(outcome) => Some(format!("{}: {}", step.text, outcome.why()?)),
        Intent::Perform(_) => None,
    });
    if let Some(left) = left.next() {
        return format!("its call cannot be performed: {left}");
    }
    let others: Vec<String> = plan.actions().map(ToString::to_string).collect();
    match &plan.finish {
        _ if !others.is_empty() => format!("it does something else: {}", others.join("; ")),
        Some(finish) if finish.success => "it reports that the task is done".to_owned(),
        Some(_) => "it reports that it cannot do the task".to_owned(),
        None => "it has no call".to_owned(),
    }
}
