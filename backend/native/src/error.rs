//! What can go wrong, and the Python exceptions it becomes.

use arrow_schema::ArrowError;
use numalens_columns::{InputError, Place};
use numalens_engine::EngineError;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::exceptions;

/// Anything that stops a call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// An input cannot be read.
    #[error("{}", error.sentence(name))]
    Input { name: String, error: InputError },
    /// A cap was reached.
    #[error("{name}: expected at most {limit} {what} ({cap}), found more")]
    Limit {
        name: String,
        cap: &'static str,
        what: &'static str,
        limit: u64,
    },
    /// Files cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A replay or query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A bundle does not hold together.
    #[error("{0}")]
    Bundle(String),
    /// A caller asked for something that cannot be.
    #[error("{0}")]
    Wrong(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// Python raised an exception.
    #[error("{0}")]
    Python(#[from] PyErr),
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Self::Engine(error.into())
    }
}

impl Error {
    pub(crate) fn input(name: &str, error: InputError) -> Self {
        Self::Input {
            name: name.to_owned(),
            error,
        }
    }

    /// The exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let sentence = self.to_string();
        match self {
            Self::Input { name, error } => {
                let error = Rejected {
                    name,
                    place: Some(error.place),
                    expected: error.expected,
                };
                error.raise(py, exceptions::InputError::new_err(sentence), None)
            }
            Self::Limit {
                name,
                cap,
                what,
                limit,
            } => {
                let error = Rejected {
                    name,
                    place: None,
                    expected: format!("at most {limit} {what}"),
                };
                error.raise(
                    py,
                    exceptions::LimitError::new_err(sentence),
                    Some((cap, limit)),
                )
            }
            // An exception of whoever fetches a bundle's bytes comes back as it was raised.
            Self::Io(error)
            | Self::Engine(
                EngineError::Io(error) | EngineError::Arrow(ArrowError::IoError(_, error)),
            ) => error.into(),
            Self::Engine(EngineError::Damaged(_)) | Self::Bundle(_) | Self::Wrong(_) => {
                PyValueError::new_err(sentence)
            }
            Self::Engine(_) => PyRuntimeError::new_err(sentence),
            Self::Missing(_) => PyKeyError::new_err(sentence),
            Self::Python(error) => error,
        }
    }
}

/// What an exception for a rejected input has besides its sentence.
struct Rejected {
    name: String,
    place: Option<Place>,
    expected: String,
}

impl Rejected {
    /// The exception with its attributes; an exception that cannot take them is raised in its place.
    fn raise(self, py: Python<'_>, error: PyErr, cap: Option<(&str, u64)>) -> PyErr {
        match self.put(error.value(py), cap) {
            Ok(()) => error,
            Err(other) => other,
        }
    }

    fn put(self, value: &Bound<'_, PyAny>, cap: Option<(&str, u64)>) -> PyResult<()> {
        value.setattr("name", self.name)?;
        value.setattr("offset", self.place.map(Place::number))?;
        value.setattr("unit", self.place.map_or("byte", Place::unit))?;
        value.setattr("expected", self.expected)?;
        if let Some((cap, limit)) = cap {
            value.setattr("cap", cap)?;
            value.setattr("limit", limit)?;
        }
        Ok(())
    }
}
