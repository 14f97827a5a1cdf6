//! Differences that mmtests stars.

use schemars::JsonSchema;
use serde::Serialize;

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
    /// Number of values.
    pub n: usize,
}

/// A t test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct TTest {
    /// Difference of the means in standard errors; `None` when nothing spreads.
    pub t: Option<f64>,
    /// Degrees of freedom.
    pub df: usize,
    /// Probability of such a difference by chance, both sides; `None` when nothing spreads.
    pub p: Option<f64>,
    /// True if it gets a star.
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

/// Two intervals and whether they are disjoint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Intervals {
    /// Half width of the base's interval.
    pub base: f64,
    /// Half width of the new side's interval.
    pub new: f64,
    /// Difference of the means (new less base) in halves of both intervals together; the bare difference when both are points.
    pub cidiff: f64,
    /// True if it gets a star.
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

// Student's t distribution.

/// Probability that |t| or more comes by chance, with `df` degrees of freedom. NaN unless `df` is above 0.
#[must_use]
pub fn student_two_sided(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    let square = t * t;
    // Both shares are computed from t: neither may be lost as the difference of 1 and the other.
    beta_share(df / (df + square), square / (df + square), df / 2.0)
}

/// Probability of at most `t`, with `df` degrees of freedom.
#[must_use]
pub fn student_cdf(t: f64, df: f64) -> f64 {
    let tail = student_two_sided(t, df) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The regularised incomplete beta function `I_x(a, 1/2)`, where `rest` is 1 - x.
fn beta_share(x: f64, rest: f64, a: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let ln_x = if rest < 0.5 { (-rest).ln_1p() } else { x.ln() };
    let front = (a * ln_x + ln_gamma_step(a)).exp() * (rest / std::f64::consts::PI).sqrt();
    // The fraction converges fast below the distribution's mean; above it the mirrored one does.
    let share = if x < (a + 1.0) / (a + 2.5) {
        front * fraction(x, a, 0.5) / a
    } else {
        1.0 - front * fraction(rest, 0.5, a) / 0.5
    };
    share.clamp(0.0, 1.0)
}

/// Terms after which the fraction is as good as it gets; it needs about the root of the larger parameter.
const MOST_TERMS: u32 = 100_000;

/// The continued fraction of the incomplete beta function, from the front (Lentz).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let lift = |value: f64| if value == 0.0 { 1e-300 } else { value };
    let mut upper = 1.0;
    let mut lower = 1.0 / lift(1.0 - (a + b) * x / (a + 1.0));
    let mut value = lower;
    for term in 1..MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for step in [even, odd] {
            lower = 1.0 / lift(1.0 + step * lower);
            upper = lift(1.0 + step / upper);
            last = lower * upper;
            value *= last;
        }
        if (last - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// From where on the series below is exact to the last digit.
const FAR: f64 = 16.0;

/// `ln Γ(a + 1/2) - ln Γ(a)` of a positive number, by its series in 1/a, reached by `Γ(a + 1) = a Γ(a)`.
fn ln_gamma_step(mut a: f64) -> f64 {
    let mut factor = 1.0;
    while a < FAR {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let inverse = 1.0 / a;
    let square = inverse * inverse;
    // (1 - 4^-k) B(2k) / (k (2k - 1)), from k = 5 to 1.
    let series = [
        31.0 / 18_432.0,
        -17.0 / 14_336.0,
        1.0 / 640.0,
        -1.0 / 192.0,
        1.0 / 8.0,
    ]
    .iter()
    .fold(0.0, |sum, term| sum * square + term)
        * inverse;
    0.5 * a.ln() - series + f64::ln(factor)
}
