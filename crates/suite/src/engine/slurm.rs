//! The array job for Slurm.

use std::fmt::Write as _;

use super::SuiteJob;

/// What to do with a signal: Slurm wants the part to end.
const BEGIN: &str = r#"child=
ending=
trap 'ending=yes; [ -z "$child" ] || kill -TERM "$child"' TERM INT
"#;

/// What to do with the end of a part: Slurm requeues a task only on request. A part that lacks results is run again,
/// and so is one that was killed, unless Slurm wanted it to end.
const END: &str = r#"child=$!
# The signal came before there was a part to tell.
[ -z "$ending" ] || kill -TERM "$child"
wait "$child"
code=$?
# A signal ends the first wait before the part has ended.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
again=
[ "$code" -eq 75 ] && again=yes
[ "$code" -gt 128 ] && [ -z "$ending" ] && again=yes
if [ -n "$again" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && exit 0
fi
exit "$code"
"#;

impl SuiteJob {
    /// Returns the script for `sbatch`.
    pub fn slurm(&self) -> String {
        let mut text = format!(
            "#!/bin/sh\n\
             # Plays the suite {suite}: one part of the plan for each task of the array.\n\
             #SBATCH --job-name=franz-{suite}\n\
             #SBATCH --array=0-{last}\n\
             #SBATCH --cpus-per-task={jobs}\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --signal=B:TERM@60\n\
             #SBATCH --export=NIL\n\
             #SBATCH --output={output}\n\n",
            suite = self.suite,
            last = self.shards - 1,
            jobs = self.jobs,
            output = self.printed(),
        );
        for (variable, file) in &self.key_files {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "export {variable}_FILE={}", quoted(&file.to_string_lossy()));
        }
        text.push_str(BEGIN);
        let words: Vec<String> = self.words().iter().map(|word| quoted(word)).collect();
        let _ = writeln!(text, "{} &", words.join(" "));
        text + END
    }

    /// Returns the files for what the parts print, as a directive names them.
    fn printed(&self) -> String {
        let folder = self.results.to_string_lossy().replace('%', "%%");
        format!("\"{}/slurm-%A_%a.txt\"", folder.replace('"', "\\\""))
    }
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
