//! Student's t distribution.

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
