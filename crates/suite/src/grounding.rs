//! Grounding sets: pictures, each with an instruction and the box in which a model should click.
//!
//! In reading order:
//!
//! - [`item`]: one instruction with its picture and box; [`format`](mod@format): the files of ScreenSpot and
//!   ScreenSpot-Pro; [`set`]: all items, and the choice of some of them.
//! - [`size`]: classes of targets by their size; [`answer`]: what a model answered; [`store`]: the folder of answers, to
//!   which each answer is added at once.
//! - [`report`]: how often each model hits, with confidence intervals.

pub mod answer;
pub mod format;
pub mod item;
pub mod report;
pub mod set;
pub mod size;
mod splits;
pub mod store;
mod text;

pub use answer::{GroundingAnswer, GroundingOutcome};
pub use format::{FormatError, GroundingFormat};
pub use item::{GroundingItem, ItemFault, TargetBox};
pub use report::GroundingReport;
pub use set::{GroundingSet, PictureFacts, PicturedItem};
pub use size::TargetSize;
pub use store::{AnswerStore, AnswerStoreError, MeasuredModel, ModelAnswers};
