//! The tables of a subject, of which the engine makes one list.

/// Lists the kinds of findings and the sections of a subject: `KINDS`, `SECTIONS`, `DESCRIPTIONS` and `PARTS`.
///
/// A section has a name, a function, whether samples alone suffice, and a description for the service (`None`: the service does
/// not have the section). Sections of the report also have options and a shape.
#[macro_export]
macro_rules! subject {
    (
        kinds: $kinds:expr;
        $($name:literal, $answer:path, $samples:literal, $about:expr $(, report($options:expr, $shape:path))?;)*
    ) => {
        /// Kinds of findings.
        pub const KINDS: &[&$crate::findings::FindingEntry] = $kinds;

        /// The sections by name.
        pub const SECTIONS: &[$crate::section::Section] = &[$($crate::section::Section {
            name: $name,
            about: $about,
            answer: |open, window, options| {
                $crate::section::written(($name, $answer), open, window, options, $samples)
            },
            options: || $crate::section::described_options($answer),
        }),*];

        /// Descriptions of their answers, in the same order. Separate from the table, so that programs without them need not
        /// link their code.
        pub const DESCRIPTIONS: &[$crate::section::Describe] =
            &[$(|generator| $crate::section::described_answer($answer, generator)),*];

        /// Sections of the report, in its order: with which options, and in which shape.
        pub const PARTS: &[$crate::report::Part] = &[$($($crate::report::Part {
            name: $name,
            about: $about,
            write: |request, most| {
                $crate::report::part(($name, $answer), request, $options, $samples, $shape, most)
            },
            describe: |generator| $crate::report::described_part($answer, $shape, generator),
        },)?)*];
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
