//! Tests of the statistics: against `scipy`, `statsmodels` and exact fractions, and properties of any results.

mod calibration;
mod properties;
mod reference;
