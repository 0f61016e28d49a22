//! The program `franz`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    franz_agent::main()
}
