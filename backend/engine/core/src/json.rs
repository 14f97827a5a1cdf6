//! Common parts of the JSON of all sections: times, and parts that may be missing.
//!
//! Moments are ns as numbers, or decimal strings for readers whose numbers end at 2^53, as a browser's do.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

thread_local! {
    static FOR_BROWSER: Cell<bool> = const { Cell::new(false) };
}

/// Runs `write`; what it serializes on this thread is for a browser: moments are decimal strings, and parts that may be
/// missing say that they are there.
pub fn for_browser<T>(write: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            FOR_BROWSER.set(self.0);
        }
    }
    let _before = Before(FOR_BROWSER.replace(true));
    write()
}

/// Returns whether [`for_browser`] runs on this thread.
#[must_use]
pub fn is_for_browser() -> bool {
    FOR_BROWSER.get()
}

/// A moment, ns of the reference clock. A field that is a plain number is written as one by `#[serde(with = "Moment")]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

impl Moment {
    /// Writes `ns`.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        ns: &(impl Serialize + Display),
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if is_for_browser() {
            serializer.collect_str(ns)
        } else {
            ns.serialize(serializer)
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(&self.0, serializer)
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if is_for_browser() {
            json_schema!({"type": "string", "pattern": "^-?[0-9]+$", "maxLength": 20})
        } else {
            json_schema!({"type": "integer", "format": "int64"})
        }
    }
}

/// A moment that may be unknown; see [`Moment`].
#[derive(Debug)]
pub enum OptionalMoment {}

impl OptionalMoment {
    /// Writes `ns`.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    #[allow(clippy::ref_option, reason = "serde hands the field in")]
    pub fn serialize<S: Serializer>(
        ns: &Option<impl Serialize + Display>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match ns {
            Some(ns) => Moment::serialize(ns, serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl JsonSchema for OptionalMoment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OptionalMoment".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<Moment>::json_schema(generator)
    }
}

/// Marks an optional part as present: `true` for a browser, left out otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Available;

impl Available {
    /// Returns whether it is left out.
    #[must_use]
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands the field in"
    )]
    pub fn is_implied(&self) -> bool {
        !is_for_browser()
    }
}

impl Serialize for Available {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl JsonSchema for Available {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Available".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean", "const": true})
    }
}

/// A section, or a part of one, without content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unavailable {
    /// Always false.
    #[schemars(extend("const" = false))]
    available: bool,
    /// One sentence: which input is missing.
    pub reason: String,
}

impl Unavailable {
    /// For a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            available: false,
            reason: reason.into(),
        }
    }
}
