//! A whole reply in the python protocol: fence, evaluator and feedback stay within limits on work, memory and time.
#![no_main]

use franz_dialect::protocol::ReadingSettings;
use franz_action::ToolSet;
use franz_dialect::{Limits, PythonProtocol, ReplyText, Scene};
use libfuzzer_sys::fuzz_target;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The memory that reading needs in addition to a block's values: the parsed source, the plan and the feedback.
const BESIDE: usize = 32 << 20;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let limits = Limits { steps: 200_000, bytes: 16 << 20, ..Limits::default() };
    let settings = ReadingSettings { limits, ..ReadingSettings::new(ToolSet::all()) };
    let actions = settings.actions;
    let python = PythonProtocol::from(settings);
    // Most inputs have no fence, so also read each input as the contents of one.
    for reply in [text.to_string(), format!("```python\n{text}\n```")] {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let (plan, work) = python.read_measured(&ReplyText::of(&reply));
        let peak = MEMORY.peak_usage().saturating_sub(before);
        assert!(plan.steps.len() <= actions);
        assert!(!plan.feedback(&plan.all_done(), &Scene::default()).is_empty());
        // Formatting an error can take a little more.
        assert!(work.steps <= limits.steps + 4096 && work.bytes <= limits.bytes + (256 << 10), "{work:?}");
        assert!(peak <= 4 * work.bytes + BESIDE, "{work:?}, but {peak} bytes");
    }
});
