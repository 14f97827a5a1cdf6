//! The Python binding of the readers and the engine: files, progress and exceptions, and nothing that computes.

mod confine;
mod error;
mod exceptions;
mod python;
mod table;

/// The compiled module.
#[pyo3::pymodule]
mod numalens_native {
    use pyo3::prelude::*;

    use crate::exceptions::{DamagedError, InputError, LimitError, NotRecordedError, OptionError};

    #[pymodule_export]
    use crate::python::{
        Bundle, QueryRows, catalogue, compare_rows, confine, ingest, recordings, schemas, sniff,
        unpack,
    };

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
