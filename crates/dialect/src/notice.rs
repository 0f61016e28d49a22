//! Sentences for the model: each one appears only once, and their number is limited.

/// How many notices in a plan to list individually.
const MOST: usize = 5;

/// Returns each distinct notice once. If there are too many, a single sentence says how many more calls were `became`.
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
