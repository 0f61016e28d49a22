//! Tests of the report: what it says, and what it makes of names and reasons that mean ill.

mod csv_lines;
mod made_up;
mod page;
mod words;
