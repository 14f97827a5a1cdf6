//! Rows of the catalogue: the only wording of causes in reports, on the page and in its reference.

use schemars::JsonSchema;
use serde::Serialize;

/// Wording of a cause of waiting or of waste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CauseEntry {
    /// Name in reports.
    pub id: &'static str,
    /// Label on the page.
    pub title: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Unit of its time: `ns`, or `CPU-ns` for waste.
    pub unit: &'static str,
    /// Kernel functions, with the version where it matters.
    pub kernel: &'static str,
    /// CSS background, the same in every chart.
    pub color: &'static str,
    /// True if it is a conclusion that no event shows.
    pub inferred: bool,
}

/// Declares an enum with `ALL`, its variants in their order, and, where each has a text (`Variant => "text"`), with `name`.
///
/// ```
/// numalens_core::listed! {
///     /// Side of a road.
///     #[derive(Debug, Clone, Copy, PartialEq)]
///     pub enum Side {
///         Left => "left",
///         Right => "right",
///     }
/// }
/// assert_eq!(Side::ALL.map(Side::name), ["left", "right"]);
/// ```
#[macro_export]
macro_rules! listed {
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident $(= $number:literal)?),+ $(,)?
    }) => {
        $(#[$about])*
        $vis enum $name {
            $($(#[$doc])* $variant $(= $number)?,)+
        }

        impl $name {
            /// All of them, in their order.
            $vis const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident $(= $number:literal)? => $text:literal),+ $(,)?
    }) => {
        $crate::listed! {
            $(#[$about])*
            $vis enum $name {
                $($(#[$doc])* $variant $(= $number)?,)+
            }
        }

        impl $name {
            /// Name in reports and tables.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

/// Declares an enum of causes with a row of the catalogue for each: the constant `IN_ORDER`, and the
/// methods `entry` and `clause`.
#[macro_export]
macro_rules! causes {
    ($(#[$about:meta])* $name:ident, $($cause:ident $(= $number:literal)? {
        id: $id:literal,
        title: $title:literal,
        meaning: $meaning:literal,
        clause: $clause:literal,
        kernel: $kernel:literal,
        color: $color:literal,
        inferred: $inferred:literal,
    })+) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        // Meanings are also text of the page, which is not Markdown.
        #[allow(clippy::doc_markdown)]
        pub enum $name {
            $(#[doc = $meaning] $cause $(= $number)?,)+
        }

        impl $name {
            /// All causes, in the order of the catalogue.
            pub const IN_ORDER: [Self; [$($id),+].len()] = [$(Self::$cause),+];

            /// Row of the catalogue.
            #[must_use]
            pub const fn entry(self) -> &'static $crate::catalogue::CauseEntry {
                match self {
                    $(Self::$cause => &$crate::catalogue::CauseEntry {
                        id: $id,
                        title: $title,
                        meaning: $meaning,
                        unit: "ns",
                        kernel: $kernel,
                        color: $color,
                        inferred: $inferred,
                    },)+
                }
            }

            /// Clause of a sentence about time with this cause.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self {
                    $(Self::$cause => $clause,)+
                }
            }
        }
    };
}
