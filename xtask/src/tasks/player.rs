//! A model that sees well and plans well. It looks for colours, and makes as many calls as it may in one reply.

use std::collections::VecDeque;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::page::{DONE, GO, Kind, LEFT, PATTERN, Page, TEXTS, flashed, numbered};
use super::picture::{Patch, Picture, Rgb};

/// A call, which consists of a function and its arguments.
pub(super) type Call = (&'static str, Value);

/// The maximum number of calls in a reply, if a reply can contain several.
const MOST_CALLS: usize = 8;

/// A model that works on a task.
#[derive(Clone)]
pub(super) struct Player {
    page: &'static Page,
    /// The rest of the plan.
    plan: VecDeque<Call>,
    /// The calls of the previous reply.
    sent: Vec<Call>,
    /// The answer that flashed.
    flashed: Option<u8>,
    asked: u32,
    has_finished: bool,
}

/// The tools that a request offers, and the picture that it shows.
struct Sight<'a> {
    request: &'a Value,
    screen: Picture,
    beside: Vec<Picture>,
}

impl Player {
    pub(super) fn new(page: &'static Page) -> Player {
        Player {
            page,
            plan: VecDeque::new(),
            sent: Vec::new(),
            flashed: None,
            asked: 0,
            has_finished: false,
        }
    }

    /// Returns the number of requests to the model.
    pub(super) fn asked(&self) -> u32 {
        self.asked
    }

    /// Checks whether the model has seen that the task is done.
    pub(super) fn has_finished(&self) -> bool {
        self.has_finished
    }

    /// Answers a request with calls.
    pub(super) fn answer(&mut self, request: &Value) -> Result<Vec<Call>> {
        self.asked += 1;
        let sight = Sight::of(request)?;
        if sight.screen.patch(DONE).is_some_and(|patch| patch.height > 200) {
            self.has_finished = true;
            return Ok(vec![("finish", json!({"answer": "It is done.", "success": true}))]);
        }
        self.again(&sight);
        if self.plan.is_empty() {
            self.plan = self.planned(&sight).into();
        }
        if self.plan.is_empty() {
            self.plan.push_back(("observe_screen", json!({})));
        }
        let most = if sight.may_have_several() { MOST_CALLS } else { 1 };
        self.sent = self.plan.drain(..most.min(self.plan.len())).collect();
        Ok(self.sent.clone())
    }

    /// Drops the rest of the plan if a call failed, because the next picture shows what is left to do.
    fn again(&mut self, sight: &Sight<'_>) {
        if sight.failed() {
            self.plan.clear();
        }
    }

    fn planned(&mut self, sight: &Sight<'_>) -> Vec<Call> {
        let found = |color: Rgb| sight.screen.patch(color);
        let go = found(GO).map(|patch| sight.click(patch.middle(), 1));
        match self.page.kind {
            Kind::Form => {
                let fields = (0..)
                    .zip(TEXTS)
                    .filter_map(|(n, text)| Some((found(numbered(n))?, text)));
                let filled = fields.flat_map(|(dot, text)| sight.fill(dot.beside(3), text));
                filled.chain(go.into_iter().flatten()).collect()
            }
            Kind::List => {
                // Work from the bottom up, so that entries that are still to be clicked do not move.
                let marked = (0..8).rev().filter_map(|n| found(numbered(n)));
                marked.flat_map(|dot| sight.click(dot.beside(2), 1)).collect()
            }
            Kind::Pattern => {
                let dots: Option<Vec<Patch>> = PATTERN.iter().map(|n| found(numbered(*n))).collect();
                dots.map(|dots| sight.stroke(&dots)).unwrap_or_default()
            }
            Kind::Counter => {
                let (Some(left), Some(button)) = (found(LEFT), found(GO)) else {
                    return Vec::new();
                };
                // The button is 60 pixels wide, and each click removes 24 pixels from the bar.
                let times = (left.width * 60).div_ceil(button.width * 24);
                sight.click(button.middle(), times)
            }
            Kind::Selection => {
                let dots = (0..3).filter_map(|n| found(numbered(n)));
                let chosen = dots.map(|dot| sight.click_with_ctrl(dot.middle()));
                chosen.chain(go.into_iter().flatten()).collect()
            }
            Kind::Flash => self.flash(sight, go),
        }
    }

    fn flash(&mut self, sight: &Sight<'_>, go: Option<Vec<Call>>) -> Vec<Call> {
        let pictures = sight.beside.iter().chain([&sight.screen]);
        let seen = pictures.flat_map(|picture| (0..3).filter(|n| picture.patch(flashed(*n)).is_some()));
        self.flashed = seen.last().or(self.flashed);
        if let Some(answer) = self.flashed.take() {
            let button = sight.screen.patch(numbered(answer));
            return button.map(|patch| sight.click(patch.middle(), 1)).unwrap_or_default();
        }
        let mut calls = go.unwrap_or_default();
        calls.push(if sight.offers("watch", "seconds") {
            ("watch", json!({"seconds": 2}))
        } else {
            ("observe_screen", json!({}))
        });
        calls
    }
}

impl<'a> Sight<'a> {
    fn of(request: &'a Value) -> Result<Sight<'a>> {
        let messages = request["messages"].as_array().context("no messages")?;
        let mut beside = Picture::of(messages.last().context("no message")?)?;
        let screen = beside.pop().context("no picture")?;
        Ok(Sight {
            request,
            screen,
            beside,
        })
    }

    /// Checks whether a function with this parameter is offered.
    fn offers(&self, function: &str, parameter: &str) -> bool {
        let tools = self.request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        let offered = tools.iter().map(|tool| &tool["function"]);
        let mut same = offered.filter(|offered| offered["name"] == function);
        same.any(|offered| offered["parameters"]["properties"].get(parameter).is_some())
    }

    /// Checks whether the prompt allows several calls in a reply.
    fn may_have_several(&self) -> bool {
        let prompt = self.request["messages"][0]["content"].as_str().unwrap_or_default();
        prompt.contains(" at once")
    }

    /// Checks whether any call in the previous reply was not performed.
    fn failed(&self) -> bool {
        let messages = self.request["messages"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let results = messages
            .iter()
            .rev()
            .skip(1)
            .take_while(|message| message["role"] == "tool");
        let texts = results.filter_map(|message| message["content"].as_str());
        texts.into_iter().any(|text| text.starts_with("{\"ok\":false"))
    }

    fn click(&self, at: (usize, usize), times: usize) -> Vec<Call> {
        let click = json!({"label": "it", "box": self.screen.thousandths(at)});
        if times > 1 && self.offers("click_element", "count") {
            let mut counted = click;
            counted["count"] = times.into();
            return vec![("click_element", counted)];
        }
        vec![("click_element", click); times]
    }

    fn click_with_ctrl(&self, at: (usize, usize)) -> Call {
        let mut click = json!({"label": "it", "box": self.screen.thousandths(at)});
        if self.offers("click_element", "modifiers") {
            click["modifiers"] = "ctrl".into();
        }
        ("click_element", click)
    }

    /// Replaces the text of a field.
    fn fill(&self, at: (usize, usize), text: &str) -> Vec<Call> {
        if self.offers("type_text", "replace") {
            let place = self.screen.thousandths(at);
            return vec![("type_text", json!({"text": text, "box": place, "replace": true}))];
        }
        let mut calls = self.click(at, 1);
        calls.push(("press_key", json!({"key": "ctrl+a"})));
        calls.push(("type_text", json!({"text": text})));
        calls
    }

    fn stroke(&self, dots: &[Patch]) -> Vec<Call> {
        let points: Vec<_> = dots.iter().map(|dot| self.screen.thousandths(dot.middle())).collect();
        let [first, between @ .., last] = &points[..] else {
            return Vec::new();
        };
        if self.offers("drag", "via") {
            return vec![("drag", json!({"from": first, "to": last, "via": between}))];
        }
        let pairs = points.windows(2);
        pairs
            .map(|pair| ("drag", json!({"from": pair[0], "to": pair[1]})))
            .collect()
    }
}
