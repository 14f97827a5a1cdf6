//! Tables passed on through Arrow's C data interface: the receiver shares their memory.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use numalens_export::Table as Columns;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A table of a window.
#[pyclass(module = "numalens_native", frozen)]
pub(crate) struct Table {
    columns: Columns,
}

impl From<Columns> for Table {
    fn from(columns: Columns) -> Self {
        Self { columns }
    }
}

#[pymethods]
impl Table {
    /// The schema, as Arrow's `PyCapsule` protocol has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.columns.schema.as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns the rows by Arrow's `PyCapsule` protocol, always in their own schema.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.columns.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.columns.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.columns.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Name and type of each column.
    fn columns(&self) -> Vec<(String, String)> {
        let fields = self.columns.schema.fields().iter();
        fields
            .map(|field| (field.name().clone(), field.data_type().to_string()))
            .collect()
    }

    /// Provenance of all rows; `None` if rows differ.
    #[getter]
    fn provenance(&self) -> Option<&str> {
        let metadata = self.columns.schema.metadata();
        metadata.get("provenance").map(String::as_str)
    }
}
