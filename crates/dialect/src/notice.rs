//! Sentences for the model, told once each and never by the hundred.

/// Notices that a plan tells one by one.
const MOST: usize = 5;

/// Each of these notices once; of many only how many more calls became this.
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
