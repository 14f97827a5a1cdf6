//! Differences in percent, with mmtests' answers where there is no ratio.

/// By how much `new` is above `base`, percent: for rows where higher is better. 0 when both are the same or `new` is 0, 100
/// when `base` is 0 or not a number.
#[must_use]
pub fn pdiff(new: f64, base: f64) -> f64 {
    if same(new, base) || new == 0.0 {
        0.0
    } else if base == 0.0 || base.is_nan() {
        100.0
    } else {
        new * 100.0 / base - 100.0
    }
}

/// By how much `new` is below `base`, percent: for rows where lower is better, and for deviations. Positive is better. 0 when
/// both are the same, 100 when `new` is 0, -99 when only `base` is.
#[must_use]
pub fn pndiff(new: f64, base: f64) -> f64 {
    if same(new, base) {
        0.0
    } else if new == 0.0 {
        100.0
    } else if base == 0.0 {
        -99.0
    } else {
        100.0 - new * 100.0 / base
    }
}

/// Exactly the same number: the rules are about equality, not about nearness.
#[allow(clippy::float_cmp)]
fn same(a: f64, b: f64) -> bool {
    a == b
}
