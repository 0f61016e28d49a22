//! Sentences for the model: each appears once, and there are never hundreds of them.

/// How many notices a plan lists individually.
const MOST: usize = 5;

/// Returns each distinct notice once; beyond the limit, a single sentence says how many more calls were `became`.
pub(crate) fn few(notices: impl IntoIterator<Item = String>, became: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut untold = 0;
    for notice in notices {
        if told.contains(&notice) {
            continue;
        }
        if told.len() < MOST {
            told.push(notice);
        } else {
            untold += 1;
        }
    }
    if untold > 0 {
        told.push(format!("and {untold} more calls were {became}."));
    }
    told
}
