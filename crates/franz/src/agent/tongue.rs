//! How the current model writes calls, after a switch to another server or a change of its picture size.

use franz_dialect::{Family, Space};

use super::{Agent, Turn};
use crate::idiom::{self, Idiom};

impl Agent {
    /// Switches to the idiom of the current server's model, as if the run had started with that server. If the model
    /// gets pictures of another size, takes the turn's picture again. Returns a message to the person, for when the
    /// model has answered.
    pub(super) fn adopt_model(&mut self, turn: &mut Turn) -> String {
        self.recall();
        let (settings, upstream) = (&self.live.settings, self.server.upstream());
        let own = |error: anyhow::Error| {
            let idiom = Idiom {
                family: Family::franz(),
                measured: None,
                ..self.idiom.clone()
            };
            (idiom, vec![format!("{error:#}; using FRANZ's own calls")])
        };
        let (mut idiom, mut said) = idiom::choose(settings, upstream, self.idiom.screen).unwrap_or_else(own);
        if said.is_empty() {
            said.push(format!(
                "treating '{}' as a model of the {} family",
                upstream.known.id, idiom.family.name
            ));
        }
        idiom.pointer = self.idiom.pointer;
        let resized = idiom.picture(settings) != self.idiom.picture(settings);
        self.idiom = idiom;
        if resized && turn.view.is_some() {
            self.capture_again(turn);
        }
        self.of_numbers(said)
    }

    /// Uses the calibration for pictures of the size that will be sent from now on.
    pub(super) fn adopt_picture(&mut self) {
        let before = self.idiom.measured;
        let said = self.idiom.measure(&self.live.settings, self.server.upstream());
        let mut said: Vec<String> = said.into_iter().collect();
        if before.is_some() && self.idiom.measured.is_none() {
            let (width, height) = self.idiom.picture(&self.live.settings);
            let space = self.idiom.geometry(&self.live.settings).space.name();
            said.push(format!(
                "in pictures of {width}x{height} its coordinates are {space}, as its family says"
            ));
        }
        if !said.is_empty() {
            let said = self.of_numbers(said);
            self.notice(&said);
        }
    }

    /// Joins these sentences into one line, and adds one if FRANZ cannot read the model's coordinates.
    fn of_numbers(&self, mut said: Vec<String>) -> String {
        if self.idiom.geometry(&self.live.settings).space == Space::Unknown {
            said.push(
                "the unit of its coordinates is unknown, so FRANZ cannot use them; run franz calibrate".to_owned(),
            );
        }
        said.join("; ")
    }
}
