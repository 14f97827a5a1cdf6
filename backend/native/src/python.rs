//! Interface for Python.
// Arguments come out of Python as owned values.
#![allow(clippy::needless_pass_by_value)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use numalens_bundle::{
    Cut, Error, IngestRequest, Inputs, Limits, Member, Open, Progress, ProgressCallback, TASKS,
    ingest as ingest_inputs,
};
use numalens_columns::{ByteSource, ReadOptions};
use numalens_core::ipc::{IpcFile, stream};
use numalens_engine::timeline;
use numalens_engine::{analyse, report};
use numalens_export::{
    Format, Key, Out, check_filter, events_page, export, export_found, export_samples,
    export_trace, query,
};
use numalens_folder::{Fetch, Folder, Mapped};
use numalens_formats::{FORMATS, Found};
use numalens_off_cpu::{Question, explain};
use numalens_perfetto_rows::Answer;
use numalens_subject::{Context, Stop, Window};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

use crate::confine::Allowed;
use crate::error::detached;
use crate::exceptions::NotRecordedError;
use crate::table::Table;

/// Takes from the calling thread, and from those that it starts later, what reading files does not need; see `confine.rs`.
#[pyfunction]
#[pyo3(signature = (*, read, write, programs = false))]
pub(crate) fn confine(
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    programs: bool,
) -> PyResult<Vec<&'static str>> {
    let allowed = Allowed {
        read,
        write,
        programs,
    };
    crate::confine::confine(&allowed).map_err(PyOSError::new_err)
}

/// Says what the file at `path` is: a kind of input, or `archive`.
#[pyfunction]
pub(crate) fn sniff(py: Python<'_>, path: PathBuf, name: &str) -> PyResult<&'static str> {
    let found = detached(py, || {
        let input = input(name, &path)?;
        numalens_bundle::sniff(name, input.bytes())
    });
    match found? {
        Found::Input(format) => Ok(format.name),
        Found::Archive(_) => Ok("archive"),
    }
}

/// The kinds of input that have events.
#[pyfunction]
pub(crate) fn recordings() -> Vec<&'static str> {
    let formats = FORMATS.iter().filter(|format| format.is_recording());
    formats.map(|format| format.name).collect()
}

/// Unpacks the archives among `(name, path)` inputs below `out_dir` and lists what there is, as JSON.
#[pyfunction]
#[pyo3(signature = (inputs, out_dir, *, progress = None, max_bytes = None, tolerant = false))]
pub(crate) fn unpack(
    py: Python<'_>,
    inputs: Vec<(String, PathBuf)>,
    out_dir: PathBuf,
    progress: Option<Py<PyAny>>,
    max_bytes: Option<u64>,
    tolerant: bool,
) -> PyResult<String> {
    detached(py, || {
        let mut progress = Progress::new(progress.map(teller));
        let options = ReadOptions { tolerant };
        let folder = folder(&out_dir)?;
        let opened = opened(&inputs)?;
        let members = numalens_bundle::unpack(&opened, &folder, max_bytes, options, &mut progress)?;
        let members = members.iter().map(|member| Unpacked {
            path: match &member.file {
                Some(file) => out_dir.join(file),
                None => inputs[member.source as usize].1.clone(),
            },
            member,
        });
        json(&members.collect::<Vec<_>>())
    })
}

/// Decodes `(name, path)` inputs into the bundle folder `out_dir` and returns its manifest as JSON.
#[pyfunction]
#[pyo3(signature = (inputs, out_dir, *, progress = None, max_events = None, max_bytes = None, tolerant = false,
                    offsets = None, columns = None, hz = None, from_ns = None, to_ns = None, tasks = None,
                    pseudonyms = false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn ingest(
    py: Python<'_>,
    inputs: Vec<(String, PathBuf)>,
    out_dir: PathBuf,
    progress: Option<Py<PyAny>>,
    max_events: Option<u64>,
    max_bytes: Option<u64>,
    tolerant: bool,
    offsets: Option<BTreeMap<u32, i64>>,
    columns: Option<BTreeMap<u32, PathBuf>>,
    hz: Option<u32>,
    from_ns: Option<u64>,
    to_ns: Option<u64>,
    tasks: Option<BTreeSet<i32>>,
    pseudonyms: bool,
) -> PyResult<String> {
    const MOST_HZ: u32 = 10_000;
    if let Some(hz) = hz.filter(|hz| !(1..=MOST_HZ).contains(hz)) {
        return Err(PyValueError::new_err(format!(
            "expected 1 to {MOST_HZ} jiffies per second, found {hz}"
        )));
    }
    detached(py, || {
        keep_freed_memory();
        let rows = columns.unwrap_or_default().into_iter();
        let rows = rows.map(|(at, path)| {
            let name = inputs.get(at as usize).map_or("", |(name, _)| name);
            Ok((at, Box::new(input(name, &path)?) as Box<dyn ByteSource>))
        });
        let request = IngestRequest {
            inputs: opened(&inputs)?,
            rows: rows.collect::<Result<_, Error>>()?,
            offsets: offsets.unwrap_or_default(),
            hz,
            options: ReadOptions { tolerant },
            limits: Limits {
                events: max_events,
                bytes: max_bytes,
            },
            cut: Cut {
                from_ns,
                to_ns,
                tasks,
                pseudonyms,
            },
        };
        let mut progress = Progress::new(progress.map(teller));
        let mut out = folder(&out_dir)?;
        if available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
            out = out.in_two_threads();
        }
        ingest_inputs(request, &out, &mut progress)
    })
}

/// Makes glibc's malloc keep the memory of a batch for the next one. By default it returns it to the kernel each time, and
/// the page faults cost a twentieth of an import's CPU time.
fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const KEPT_BYTES: libc::c_int = 32 << 20;
        for threshold in [libc::M_TRIM_THRESHOLD, libc::M_MMAP_THRESHOLD] {
            // SAFETY: sets a number of the allocator's, under its own lock.
            #[allow(unsafe_code)]
            unsafe {
                libc::mallopt(threshold, KEPT_BYTES);
            }
        }
    }
}

/// A member of what was unpacked, and where it is.
#[derive(Serialize)]
struct Unpacked<'a> {
    path: PathBuf,
    #[serde(flatten)]
    member: &'a Member,
}

/// A folder that is made when it is not there.
fn folder(path: &Path) -> Result<Folder, Error> {
    std::fs::create_dir_all(path).map_err(|error| named(path.display(), &error))?;
    Ok(Folder::new(path))
}

/// An input, mapped.
fn input(name: &str, path: &Path) -> Result<Mapped, Error> {
    Ok(Mapped::open(path).map_err(|error| named(name, &error))?)
}

fn opened(inputs: &[(String, PathBuf)]) -> Result<Inputs<'static>, Error> {
    let inputs = inputs.iter().map(|(name, path)| {
        let input: Box<dyn ByteSource> = Box::new(input(name, path)?);
        Ok((name.clone(), input))
    });
    inputs.collect()
}

/// The error with a name in front.
fn named(name: impl Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Compares the sides of each row with a base, as JSON.
#[pyfunction]
pub(crate) fn compare_rows(py: Python<'_>, query: &str) -> PyResult<String> {
    detached(py, || numalens_engine::compare_rows(query))
}

/// Compares the figures of the runs of each side with a base, as JSON.
#[pyfunction]
pub(crate) fn compare_metrics(py: Python<'_>, query: &str) -> PyResult<String> {
    detached(py, || numalens_engine::compare_metrics(query))
}

/// Compares the decisions of the runs of each side with a base, as JSON.
#[pyfunction]
pub(crate) fn compare_decisions(py: Python<'_>, query: &str) -> PyResult<String> {
    detached(py, || numalens_engine::compare_decisions(query))
}

/// Catalogue of findings, causes and rows of figures, as JSON.
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    detached(py, numalens_engine::catalogue).map(|bytes| PyBytes::new(py, &bytes))
}

/// The JSON schemas of the sections of the service, of their options and of their answers, as JSON.
#[pyfunction]
pub(crate) fn schemas(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    detached(py, numalens_engine::schemas).map(|bytes| PyBytes::new(py, &bytes))
}

/// Calls a Python listener now and then; it may also be interrupted.
fn teller(progress: Py<PyAny>) -> ProgressCallback<'static> {
    const INTERVAL: Duration = Duration::from_millis(100);
    let mut last: Option<Instant> = None;
    Box::new(move |stage: &str, done: u64, total: u64| {
        if done < total && last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return Ok(());
        }
        last = Some(Instant::now());
        Python::attach(|py| {
            py.check_signals()?;
            progress.call1(py, (stage, done, total)).map(drop)
        })
        .map_err(Into::into)
    })
}

/// Calls what makes bytes of a bundle be there; its exceptions go through as they are.
fn fetcher(fetch: Py<PyAny>) -> Fetch {
    Arc::new(move |name: &str, bytes: Range<u64>| {
        Python::attach(|py| {
            let fetched = fetch.call1(py, (name, bytes.start, bytes.end));
            fetched.map(drop).map_err(std::io::Error::from)
        })
    })
}

/// An ingested bundle, opened by mapping its files, with the values that sections share.
#[pyclass(module = "numalens_native", frozen)]
pub(crate) struct Bundle {
    open: Context,
}

#[pymethods]
impl Bundle {
    #[new]
    #[pyo3(signature = (path, fetch = None))]
    fn new(py: Python<'_>, path: PathBuf, fetch: Option<Py<PyAny>>) -> PyResult<Self> {
        let open = detached(py, || {
            let folder = Folder::new(&path).with_fetch(fetch.map(fetcher));
            Open::new(Arc::new(folder))
        });
        Ok(Self {
            open: Context::new(open?),
        })
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
        let answer = detached(py, || {
            let batch = timeline(&self.open, &lanes, (from_ns, to_ns), px)?;
            let schema = batch.schema();
            stream(&schema, std::iter::once(Ok(batch)))
        });
        answer.map(|bytes| PyBytes::new(py, &bytes))
    }

    /// The slice on `cpu` around `t_ns`, as JSON.
    fn slice_at(&self, py: Python<'_>, cpu: u32, t_ns: u64) -> PyResult<Option<String>> {
        detached(py, || {
            self.open
                .index
                .slice_at(cpu, t_ns)?
                .map(|slice| json(&slice))
                .transpose()
        })
    }

    /// The next or previous slice of `pid` on any CPU, as JSON.
    fn next_slice(
        &self,
        py: Python<'_>,
        pid: i32,
        t_ns: u64,
        forward: bool,
    ) -> PyResult<Option<String>> {
        detached(py, || {
            self.open
                .index
                .next_slice(pid, t_ns, forward)?
                .map(|slice| json(&slice))
                .transpose()
        })
    }

    /// The table of tasks, as an Arrow IPC stream.
    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = detached(py, || {
            let file = IpcFile::open(self.open.files.whole(TASKS)?, None)?;
            let schema = Arc::clone(file.schema());
            stream(
                &schema,
                file.into_batches().map(|batch| batch.map_err(Error::from)),
            )
        });
        answer.map(|bytes| PyBytes::new(py, &bytes))
    }

    /// The answer of a section over a window, as JSON; for a browser moments are decimal strings.
    #[pyo3(signature = (section, from_ns, to_ns, options = "{}", *, browser = false))]
    fn analysis<'py>(
        &self,
        py: Python<'py>,
        section: &str,
        from_ns: u64,
        to_ns: u64,
        options: &str,
        browser: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let window = (from_ns, to_ns);
        detached(py, || {
            analyse(&self.open, section, window, options, browser)
        })
        .map(|bytes| PyBytes::new(py, &bytes))
    }

    /// Figures of a window for comparisons, as JSON; those of steps have steps of this length.
    fn metrics<'py>(
        &self,
        py: Python<'py>,
        from_ns: u64,
        to_ns: u64,
        step_ns: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        detached(py, || {
            numalens_engine::metrics(&self.open, (from_ns, to_ns), step_ns)
        })
        .map(|bytes| PyBytes::new(py, &bytes))
    }

    /// The report of a window, as JSON; an edge that is not given is that of the common window.
    #[pyo3(signature = (from_ns = None, to_ns = None, options = "{}"))]
    fn report<'py>(
        &self,
        py: Python<'py>,
        from_ns: Option<u64>,
        to_ns: Option<u64>,
        options: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        detached(py, || report(&self.open, (from_ns, to_ns), options))
            .map(|bytes| PyBytes::new(py, &bytes))
    }

    /// Use of the time of a task and of its slow requests, as JSON. `log` is the name of a log of requests and its text.
    #[pyo3(signature = (question, log = None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        question: &str,
        log: Option<(String, String)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let question: Question = serde_json::from_str(question)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let log = log.as_ref().map(|(name, text)| (&**name, &**text));
        let answer = detached(py, || json(&explain(&self.open, &question, log)?));
        answer.map(|text| PyBytes::new(py, text.as_bytes()))
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
        exported(py, fmt, &out, |format, out| {
            export(&self.open, event, format, (from_ns, to_ns), out)
        })
    }

    /// The events of one type, for Arrow's C data interface.
    fn events(&self, py: Python<'_>, event: &str, from_ns: u64, to_ns: u64) -> PyResult<Table> {
        detached(py, || {
            numalens_export::events(&self.open, event, (from_ns, to_ns))
        })
        .map(Table::from)
    }

    /// A table of what was replayed, for Arrow's C data interface.
    fn table(&self, py: Python<'_>, name: &str, from_ns: u64, to_ns: u64) -> PyResult<Table> {
        let window = Window { from_ns, to_ns };
        let table = detached(py, || {
            match numalens_export::table(&self.open, name, window) {
                Ok(table) => Ok(Ok(Table::from(table))),
                Err(Stop::Unavailable(reason)) => Ok(Err(reason)),
                Err(Stop::Failed(error)) => Err(error),
            }
        });
        table?.map_err(NotRecordedError::new_err)
    }

    /// Raises what is wrong with a filter.
    fn check_filter(&self, py: Python<'_>, filter: &str) -> PyResult<()> {
        detached(py, || check_filter(&self.open, filter))
    }

    /// Some of the events that a filter means, as JSON.
    #[pyo3(signature = (filter, from_ns = None, to_ns = None, *, after = None, limit = 200))]
    fn events_page(
        &self,
        py: Python<'_>,
        filter: &str,
        from_ns: Option<u64>,
        to_ns: Option<u64>,
        after: Option<Key>,
        limit: usize,
    ) -> PyResult<String> {
        detached(py, || {
            json(&events_page(
                &self.open,
                filter,
                (from_ns, to_ns),
                after,
                limit,
            )?)
        })
    }

    /// Writes the events that a filter means to `out` and returns their number.
    fn export_found(
        &self,
        py: Python<'_>,
        filter: &str,
        fmt: &str,
        out: Py<PyAny>,
        from_ns: Option<u64>,
        to_ns: Option<u64>,
    ) -> PyResult<u64> {
        exported(py, fmt, &out, |format, out| {
            export_found(&self.open, filter, format, (from_ns, to_ns), out)
        })
    }

    /// Writes the events of all types as a Perfetto trace to `out` and returns their number.
    #[pyo3(signature = (out, from_ns = None, to_ns = None, *, tracks = true))]
    fn export_trace(
        &self,
        py: Python<'_>,
        out: Py<PyAny>,
        from_ns: Option<u64>,
        to_ns: Option<u64>,
        tracks: bool,
    ) -> PyResult<u64> {
        handed_on(py, &out, |out| {
            export_trace(&self.open, (from_ns, to_ns), tracks, out)
        })
    }

    /// Writes the samples of one table to `out` and returns their number.
    fn export_samples(
        &self,
        py: Python<'_>,
        table: &str,
        fmt: &str,
        out: Py<PyAny>,
        from_ns: Option<i64>,
        to_ns: Option<i64>,
    ) -> PyResult<u64> {
        exported(py, fmt, &out, |format, out| {
            export_samples(&self.open, table, format, (from_ns, to_ns), out)
        })
    }
}

/// The rows of a query, taken part by part.
#[pyclass(module = "numalens_native")]
pub(crate) struct QueryRows {
    answer: Answer,
}

#[pymethods]
impl QueryRows {
    #[new]
    fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self {
            answer: Answer::new(max_rows, max_bytes),
        }
    }

    /// Takes the next part; false when no further part is of use.
    fn take(&mut self, py: Python<'_>, part: &[u8]) -> PyResult<bool> {
        detached(py, || self.answer.take(part).map_err(query::unreadable))
    }

    /// Returns the number of rows.
    fn __len__(&self) -> usize {
        self.answer.rows()
    }

    /// Returns whether there were more.
    #[getter]
    fn truncated(&self) -> bool {
        self.answer.truncated()
    }

    /// Names and kinds of the columns.
    fn columns(&self) -> Vec<(String, &'static str)> {
        let columns = self.answer.columns().iter();
        columns
            .map(|(name, kind)| (name.clone(), kind.name()))
            .collect()
    }

    /// The rows as JSON.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = detached(py, || query::json(&self.answer));
        text.map(|text| PyBytes::new(py, &text))
    }

    /// Writes the rows to `out` and returns their number.
    fn write(&self, py: Python<'_>, fmt: &str, out: Py<PyAny>) -> PyResult<u64> {
        exported(py, fmt, &out, |format, out| {
            query::write(&self.answer, format, out)
        })
    }
}

/// Runs an export whose pieces go to a Python callable.
fn exported(
    py: Python<'_>,
    fmt: &str,
    out: &Py<PyAny>,
    run: impl FnOnce(Format, Out<'_>) -> Result<u64, Error> + Send,
) -> PyResult<u64> {
    let Some(format) = Format::of(fmt) else {
        return Err(PyValueError::new_err(format!(
            "expected the format csv, ndjson or arrow, found \"{fmt}\""
        )));
    };
    handed_on(py, out, |out| run(format, out))
}

/// Runs what writes pieces that go to a Python callable.
fn handed_on(
    py: Python<'_>,
    out: &Py<PyAny>,
    run: impl FnOnce(Out<'_>) -> Result<u64, Error> + Send,
) -> PyResult<u64> {
    detached(py, || {
        let mut hand_on = |bytes: &[u8]| {
            Python::attach(|py| {
                py.check_signals()?;
                out.call1(py, (PyBytes::new(py, bytes),)).map(drop)
            })
            .map_err(|raised| Error::Interrupted(raised.into()))
        };
        run(&mut hand_on)
    })
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Bundle(error.to_string()))
}
