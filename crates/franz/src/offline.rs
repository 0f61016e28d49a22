//! Replaying a recorded run offline: it goes through the whole program once more, into a directory of its own, with the
//! record in place of the model, of the person and of a desktop.
//!
//! A [`RecordedRun`] is read once. The agent asks a [`RecordedModel`], which compares each request with the recorded
//! one ([`comparison`]) before it gives the recorded answer. A desktop is a [`RecordedScreen`], on which nothing
//! happens; the canvas is real. Facts that cannot be determined again, such as a person's decision, come from the
//! [`RecordedFacts`].
//!
//! [`RecordedRun`]: recorded_run::RecordedRun
//! [`RecordedScreen`]: recorded_screen::RecordedScreen

mod comparison;
mod learned;
mod recorded_facts;
mod recorded_model;
mod recorded_run;
mod recorded_screen;
mod rerun;

pub(crate) use recorded_facts::{RecordedFacts, Repeated};
pub(crate) use recorded_model::RecordedModel;
pub(crate) use rerun::Rerun;
