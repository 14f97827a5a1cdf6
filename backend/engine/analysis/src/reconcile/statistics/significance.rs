//! Which differences mmtests stars.

use serde::Serialize;

use crate::reconcile::statistics::student::student_two_sided;

/// A difference is significant below this probability (mmtests in February 2020; a benchmark's own module may say another).
pub const THRESHOLD_2020: f64 = 0.10;

/// Deviations on each side of the mean that hold 95 % of a normal distribution.
pub const NORMAL_95: f64 = 1.95996;

/// A row's mean and how far its values spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The mean that the row prints, harmonic or arithmetic.
    pub mean: f64,
    /// A deviation; which one, each rule says.
    pub deviation: f64,
    /// How many values.
    pub n: usize,
}

/// A t test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TTest {
    /// Difference of the means in standard errors; `None` when nothing spreads.
    pub t: Option<f64>,
    /// Degrees of freedom.
    pub df: usize,
    /// Probability of such a difference by chance, both sides; `None` when nothing spreads.
    pub p: Option<f64>,
    /// Whether it gets a star.
    pub significant: bool,
}

/// mmtests' test in February 2020: `t = |a - b| / sqrt(s_a²/n_a + s_b²/n_b)` with `n_a + n_b - 2` degrees of freedom, where a
/// and b are the printed means and s the sample deviations around the arithmetic ones. Where nothing spreads, any difference is
/// significant. `None` without degrees of freedom.
#[must_use]
pub fn t_test_2020(a: Spread, b: Spread, threshold: f64) -> Option<TTest> {
    let df = a.n.checked_add(b.n)?.checked_sub(2).filter(|&df| df > 0)?;
    if a.n == 0 || b.n == 0 {
        return None;
    }
    let variance = |spread: Spread| spread.deviation.powi(2) / spread.n as f64;
    let error = (variance(a) + variance(b)).sqrt();
    let distance = (a.mean - b.mean).abs();
    if error.is_nan() || distance.is_nan() {
        return None;
    }
    if error == 0.0 {
        return Some(TTest {
            t: None,
            df,
            p: None,
            significant: distance != 0.0,
        });
    }
    let t = distance / error;
    let p = student_two_sided(t, df as f64);
    Some(TTest {
        t: Some(t),
        df,
        p: Some(p),
        significant: p < threshold,
    })
}

/// Two intervals and whether they are apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Intervals {
    /// Half of the base's interval.
    pub base: f64,
    /// Half of the new one's interval.
    pub new: f64,
    /// Difference of the means (new less base) in halves of both intervals together; the bare difference when both are points.
    pub cidiff: f64,
    /// Whether it gets a star.
    pub significant: bool,
}

/// mmtests' test since 2024-11-28: `mean ± 1.95996 · deviation` must not overlap. The deviation is that of the values, not of
/// their mean, and around the harmonic mean for a harmonic mean.
#[must_use]
pub fn intervals_2024(new: Spread, base: Spread) -> Intervals {
    let half = |spread: Spread| NORMAL_95 * spread.deviation;
    let (both, difference) = (half(new) + half(base), new.mean - base.mean);
    let cidiff = if both == 0.0 {
        difference
    } else {
        difference / both
    };
    Intervals {
        base: half(base),
        new: half(new),
        cidiff,
        significant: cidiff.abs() > 1.0,
    }
}
