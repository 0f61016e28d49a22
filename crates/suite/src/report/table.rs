//! Tables for the terminal.

use super::words::printable;

/// A table whose first column is text, and whose other columns are numbers, aligned to the right.
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self {
            rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()],
        }
    }

    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.iter().map(|cell| printable(cell)).collect());
    }

    /// Returns the lines, with two spaces between columns. Leaves out columns, but the first, whose cells are all empty.
    pub(crate) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, column: usize| row.get(column).map_or("", String::as_str).to_owned();
        let shown = (0..columns)
            .filter(|&column| column == 0 || self.rows.iter().skip(1).any(|row| !cell(row, column).is_empty()));
        let shown: Vec<(usize, usize)> = shown
            .map(|column| {
                let widths = self.rows.iter().map(|row| cell(row, column).chars().count());
                (column, widths.max().unwrap_or(0))
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = shown.iter().map(|&(column, width)| {
                let cell = cell(row, column);
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("  {cell:>width$}")
                }
            });
            text.push_str(cells.collect::<String>().trim_end());
            text.push('\n');
        }
        text
    }
}
