//! The Python exceptions that errors become.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;
use numalens_bundle::{Error, Exceeded};
use numalens_columns::Place;
use numalens_core::EngineError;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::exceptions;

/// Message of a panic: a defect, which a damaged bundle may have caused.
const PANICKED: &str = "The engine met what it was not written for and gave up: a fault of NumaLens, or the bundle is damaged.";

/// Runs what needs no Python without the GIL. Its error becomes an exception, and so does a panic, which would otherwise be one
/// that `except Exception` lets through.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    run: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    // What a panic leaves behind is as it was before or made again: caches that hold whole results.
    match py.detach(|| catch_unwind(AssertUnwindSafe(run))) {
        Ok(done) => done.map_err(|error| raise(py, error)),
        Err(_) => Err(PyRuntimeError::new_err(PANICKED)),
    }
}

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        Error::Input { name, error } => {
            let error = Rejected {
                name,
                place: Some(error.place),
                expected: error.expected.clone(),
            };
            error.raise(py, exceptions::InputError::new_err(sentence), None)
        }
        Error::Limit(exceeded) => {
            let Exceeded {
                name,
                cap,
                what,
                limit,
            } = *exceeded;
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
        // An exception of the code that fetches a bundle's bytes comes back as it was raised.
        Error::Io(error) | Error::Engine(EngineError::Io(error)) => error.into(),
        Error::Engine(EngineError::Arrow(error)) => match *error {
            ArrowError::IoError(_, error) => error.into(),
            _ => PyRuntimeError::new_err(sentence),
        },
        Error::Engine(EngineError::Damaged(_)) => exceptions::DamagedError::new_err(sentence),
        Error::Bundle(_) | Error::Wrong(_) => PyValueError::new_err(sentence),
        Error::Option(_) => exceptions::OptionError::new_err(sentence),
        Error::Engine(_) => PyRuntimeError::new_err(sentence),
        Error::Missing(_) => PyKeyError::new_err(sentence),
        // So does one of a listener.
        Error::Interrupted(error) => match error.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(_) => PyRuntimeError::new_err(sentence),
        },
    }
}

/// Fields of an exception for a rejected input besides its message.
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
