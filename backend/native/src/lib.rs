//! The Python binding of the readers and the engine: files, progress and exceptions, and nothing that computes.
//!
//! It is the module `numalens_native`, built by maturin into the one distribution, whose `pyproject.toml` is at the top;
//! `../numalens_native/__init__.pyi` describes it.
//!
//! * `python.rs` has the functions and classes: arguments in, JSON or Arrow bytes out, progress and pieces passed to callables;
//! * `table.rs` passes tables by Arrow's C data interface, without a copy;
//! * `error.rs` and `exceptions.rs` are the exceptions that errors become;
//! * `confine.rs` takes from a process what reading files does not need (Landlock, seccomp).
//!
//! Python's types, the GIL and exceptions belong here.

mod confine;
mod error;
mod exceptions;
mod python;
mod refused;
mod table;

/// The compiled module.
#[pyo3::pymodule]
mod numalens_native {
    use pyo3::prelude::*;

    use crate::exceptions::{DamagedError, InputError, LimitError, NotRecordedError, OptionError};

    #[pymodule_export]
    use crate::python::{
        Bundle, QueryRows, catalogue, compare_decisions, compare_metrics, compare_rows, confine,
        ingest, recordings, schemas, sniff, unpack,
    };

    #[pymodule_export]
    use crate::refused::refused;

    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("InputError", module.py().get_type::<InputError>())?;
        module.add("OptionError", module.py().get_type::<OptionError>())?;
        module.add("DamagedError", module.py().get_type::<DamagedError>())?;
        let not_recorded = module.py().get_type::<NotRecordedError>();
        module.add("NotRecordedError", not_recorded)?;
        module.add("LimitError", module.py().get_type::<LimitError>())
    }
}
