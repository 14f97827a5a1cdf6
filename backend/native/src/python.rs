//! What Python sees.
// Arguments come out of Python as owned values.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use numalens_engine::ipc::IpcFile;
use numalens_engine::timeline::Lane;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bundle::{Open, TASKS};
use crate::error::Error;
use crate::export::{Format, export};
use crate::ingest::{Limits, Progress, ingest as ingest_inputs, sniff as sniff_input};
use crate::storage::Mapped;

/// Says what the file at `path` is: `trace.dat` or `topology`.
#[pyfunction]
pub(crate) fn sniff(py: Python<'_>, path: PathBuf, name: &str) -> PyResult<&'static str> {
    let kind = py.detach(|| sniff_input(&path, name));
    kind.map(crate::input::Kind::name)
        .map_err(|error| error.raise(py))
}

/// Decodes `(name, path)` inputs into the bundle folder `out_dir` and returns its manifest as JSON.
#[pyfunction]
#[pyo3(signature = (inputs, out_dir, *, progress = None, max_events = None, max_bytes = None))]
pub(crate) fn ingest(
    py: Python<'_>,
    inputs: Vec<(String, PathBuf)>,
    out_dir: PathBuf,
    progress: Option<Py<PyAny>>,
    max_events: Option<u64>,
    max_bytes: Option<u64>,
) -> PyResult<String> {
    let limits = Limits {
        events: max_events,
        bytes: max_bytes,
    };
    let done = py.detach(|| {
        let tell = progress.map(|progress| {
            let tell = move |stage: &str, done: u64, total: u64| {
                Python::attach(|py| {
                    py.check_signals()?;
                    progress.call1(py, (stage, done, total)).map(drop)
                })
            };
            Box::new(tell) as Box<dyn FnMut(&str, u64, u64) -> PyResult<()>>
        });
        ingest_inputs(&inputs, &out_dir, limits, &mut Progress::new(tell))
    });
    done.map_err(|error| error.raise(py))
}

/// An ingested bundle, opened by mapping its files.
#[pyclass(module = "numalens_native", frozen)]
pub(crate) struct Bundle {
    open: Open,
}

#[pymethods]
impl Bundle {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let open = py.detach(|| Open::new(&path));
        open.map(|open| Self { open })
            .map_err(|error| error.raise(py))
    }

    /// The manifest, as JSON.
    fn manifest(&self) -> &str {
        &self.open.manifest
    }

    /// The items of the lanes in the window, as an Arrow IPC stream.
    fn timeline<'py>(
        &self,
        py: Python<'py>,
        lanes: Vec<(String, u32)>,
        from_ns: u64,
        to_ns: u64,
        px: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if lanes.len() > usize::from(u16::MAX) {
            return Err(PyValueError::new_err(format!(
                "expected at most {} lanes, found {}",
                u16::MAX,
                lanes.len()
            )));
        }
        let lanes: Vec<Lane> = lanes
            .into_iter()
            .map(|(kind, number)| match kind.as_str() {
                "node" => Ok(Lane::Node(number)),
                "cpu" => Ok(Lane::Cpu(number)),
                _ => Err(PyValueError::new_err(format!(
                    "expected a lane \"node\" or \"cpu\", found \"{kind}\""
                ))),
            })
            .collect::<PyResult<_>>()?;
        let answer = py.detach(|| {
            let batch = self.open.index.window(&lanes, from_ns, to_ns, px)?;
            let schema = batch.schema();
            stream(&schema, std::iter::once(Ok(batch)))
        });
        answer
            .map(|bytes| PyBytes::new(py, &bytes))
            .map_err(|error| error.raise(py))
    }

    /// The slice on `cpu` around `t_ns`, as JSON.
    fn slice_at(&self, py: Python<'_>, cpu: u32, t_ns: u64) -> PyResult<Option<String>> {
        py.detach(|| {
            self.open
                .index
                .slice_at(cpu, t_ns)
                .map(|slice| json(&slice))
                .transpose()
        })
        .map_err(|error| error.raise(py))
    }

    /// The next or previous slice of `pid` on any CPU, as JSON.
    fn next_slice(
        &self,
        py: Python<'_>,
        pid: i32,
        t_ns: u64,
        forward: bool,
    ) -> PyResult<Option<String>> {
        py.detach(|| {
            self.open
                .index
                .next_slice(pid, t_ns, forward)
                .map(|slice| json(&slice))
                .transpose()
        })
        .map_err(|error| error.raise(py))
    }

    /// The table of tasks, as an Arrow IPC stream.
    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| {
            let file = IpcFile::open(Mapped::buffer(&self.open.folder.join(TASKS))?, None)?;
            let schema = std::sync::Arc::clone(file.schema());
            stream(
                &schema,
                file.into_batches().map(|batch| batch.map_err(Error::from)),
            )
        });
        answer
            .map(|bytes| PyBytes::new(py, &bytes))
            .map_err(|error| error.raise(py))
    }

    /// Writes the events of one type to `out` and returns their number.
    fn export_events(
        &self,
        py: Python<'_>,
        event: &str,
        fmt: &str,
        out: Py<PyAny>,
        from_ns: Option<u64>,
        to_ns: Option<u64>,
    ) -> PyResult<u64> {
        let Some(format) = Format::of(fmt) else {
            return Err(PyValueError::new_err(format!(
                "expected the format csv, ndjson or arrow, found \"{fmt}\""
            )));
        };
        let done = py.detach(|| {
            let mut hand_on = |bytes: &[u8]| {
                Python::attach(|py| {
                    py.check_signals()?;
                    out.call1(py, (PyBytes::new(py, bytes),)).map(drop)
                })
                .map_err(Error::Python)
            };
            export(&self.open, event, format, (from_ns, to_ns), &mut hand_on)
        });
        done.map_err(|error| error.raise(py))
    }
}

/// An Arrow IPC stream of the batches.
fn stream(
    schema: &arrow_schema::Schema,
    batches: impl Iterator<Item = Result<RecordBatch, Error>>,
) -> Result<Vec<u8>, Error> {
    let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    Ok(writer.into_inner()?)
}

fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Bundle(error.to_string()))
}
