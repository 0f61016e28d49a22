//! A whole reply in the python protocol: fence, evaluator, feedback.
#![no_main]

use franz_action::{Limits, Protocol, Python, Reply, Scene, ToolSet};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let limits = Limits { steps: 200_000, bytes: 16 << 20, ..Limits::default() };
    let protocol = Python { tools: ToolSet::all(), strict: false, limits };
    // Most inputs have no fence: what they hold is read as the inside of one, too.
    for reply in [text.to_string(), format!("```python\n{text}\n```")] {
        let plan = protocol.read(&Reply::of(&reply));
        assert!(plan.steps.len() <= limits.actions);
        assert!(!plan.feedback(&plan.all_done(), &Scene::default()).is_empty());
    }
});
