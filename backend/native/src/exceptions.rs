//! The module's own exceptions.
// The macro's own code, which cannot be annotated from outside.
#![allow(unsafe_code, clippy::expect_used, unreachable_pub)]

pyo3::create_exception!(
    numalens_native,
    InputError,
    pyo3::exceptions::PyValueError,
    "An input was rejected: one sentence, and name, offset, unit and expected as attributes."
);
pyo3::create_exception!(
    numalens_native,
    OptionError,
    pyo3::exceptions::PyValueError,
    "An option of a section is wrong: which one, and what was expected."
);
pyo3::create_exception!(
    numalens_native,
    DamagedError,
    pyo3::exceptions::PyValueError,
    "Inconsistent bundle; the message says which part."
);
pyo3::create_exception!(
    numalens_native,
    LimitError,
    InputError,
    "An input asked for more than allowed: cap and limit as attributes besides InputError's."
);
pyo3::create_exception!(
    numalens_native,
    NotRecordedError,
    pyo3::exceptions::PyLookupError,
    "The requested data was not recorded; the message says what is missing."
);
