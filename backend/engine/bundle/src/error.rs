//! Errors of inputs and bundles.

use arrow_schema::ArrowError;
use numalens_columns::InputError;
use numalens_core::EngineError;

/// Error of a caller's own function, which stops the work: returned unchanged.
pub type Interruption = Box<dyn std::error::Error + Send + Sync>;

/// Anything that stops a call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input cannot be read.
    #[error("{}", error.sentence(name))]
    Input {
        /// The input as the user calls it.
        name: String,
        /// Position of the error, and the expected content.
        error: InputError,
    },
    /// A cap was reached.
    #[error(transparent)]
    Limit(Box<Exceeded>),
    /// Files cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A replay or query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A bundle is inconsistent.
    #[error("{0}")]
    Bundle(String),
    /// A caller requested something impossible.
    #[error("{0}")]
    Wrong(String),
    /// An option of a section is wrong: which one, and what was expected.
    #[error("{0}")]
    Option(String),
    /// The requested item does not exist.
    #[error("{0}")]
    Missing(String),
    /// A function of the caller stopped the work: a progress callback, or one that takes written bytes.
    #[error("{0}")]
    Interrupted(Interruption),
}

/// A cap that an input exceeds.
#[derive(Debug, thiserror::Error)]
#[error("{name}: expected at most {limit} {what} ({cap}), found more")]
pub struct Exceeded {
    /// The input that was read.
    pub name: String,
    /// The cap's name: `max_events`, `max_bytes`.
    pub cap: &'static str,
    /// Counted items.
    pub what: &'static str,
    /// Limit.
    pub limit: u64,
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Self::Engine(error.into())
    }
}

impl Error {
    /// An input that cannot be read, by its name.
    #[must_use]
    pub fn input(name: &str, error: InputError) -> Self {
        Self::Input {
            name: name.to_owned(),
            error,
        }
    }
}
