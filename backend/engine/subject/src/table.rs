//! The tables of a subject, of which the engine makes one list.

use crate::findings::{Finding, FindingEntry};
use crate::metrics::Measure;
use crate::report::Part;
use crate::section::{Describe, Section, Stop};
use crate::{Context, Window};

/// Part of a subject in the engine's lists.
pub struct Subject {
    /// Kinds of findings.
    pub kinds: &'static [&'static FindingEntry],
    /// Findings that need nothing but a window, unranked.
    pub found: Option<Found>,
    /// Figures for comparisons.
    pub metrics: Option<Measure>,
    /// The sections by name.
    pub sections: &'static [Section],
    /// Descriptions of their answers, in the same order.
    pub descriptions: &'static [Describe],
    /// Sections of the report, in its order, with their options and shapes.
    pub parts: &'static [Part],
}

/// Findings of a window of a bundle.
pub type Found = fn(&Context, Window) -> Result<Vec<Finding>, Stop>;

/// Lists what a subject has, as `SUBJECT`: kinds of findings, the function that finds them if it needs nothing but a window, figures for
/// comparisons, and sections.
///
/// A section has a name, a function, whether samples alone suffice, and a description for the service (`None`: the service does
/// not have the section). Sections of the report also have options and a shape.
#[macro_export]
macro_rules! subject {
    (
        kinds: $kinds:expr $(, found: $found:path)? $(, metrics: $metrics:path)?;
        $($name:literal, $answer:path, $samples:literal, $about:expr $(, report($options:expr, $shape:path))?;)*
    ) => {
        /// Part of the subject in the engine's lists.
        pub const SUBJECT: $crate::Subject = $crate::Subject {
            kinds: $kinds,
            found: [$(Some($found as $crate::Found),)? None][0],
            metrics: [$(Some($metrics as $crate::metrics::Measure),)? None][0],
            sections: &[$($crate::section::Section {
                name: $name,
                about: $about,
                answer: |open, window, options| {
                    $crate::section::written(($name, $answer), open, window, options, $samples)
                },
                options: || $crate::section::described_options($answer),
            }),*],
            descriptions: &[$(|generator| $crate::section::described_answer($answer, generator)),*],
            parts: &[$($($crate::report::Part {
                name: $name,
                about: $about,
                write: |request, most| {
                    $crate::report::part(($name, $answer), request, $options, $samples, $shape, most)
                },
                describe: |generator| $crate::report::described_part($answer, $shape, generator),
            },)?)*],
        };
    };
}

/// Lists the detectors of a subject, each a kind and a function of the subject's facts: `KINDS` and `detect`.
#[macro_export]
macro_rules! detectors {
    ($facts:ty; $($kind:path => $detect:path),+ $(,)?) => {
        /// Kinds of findings, in the order in which they are looked for.
        pub const KINDS: &[&$crate::findings::FindingEntry] = &[$(&$kind),+];

        /// Returns everything that the detectors find in `facts`, unranked.
        #[must_use]
        pub fn detect(facts: &$facts) -> Vec<$crate::findings::Finding> {
            let mut found = Vec::new();
            $(found.extend($detect(facts));)+
            found
        }
    };
}
