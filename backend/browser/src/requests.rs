//! Requests of a host, and their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use numalens_bundle::{
    Cut, Error, Files, IngestRequest, Inputs, Limits, Memory, Open, Progress, TASKS, ingest,
    packed, unpack, unpacked,
};
use numalens_columns::{ByteSource, ReadOptions};
use numalens_core::ipc::{IpcFile, stream};
use numalens_engine::timeline;
use numalens_engine::{analyse, report};
use numalens_export::{
    Format, Key, Out, check_filter, events_page, export, export_found, export_samples, export_trace,
};
use numalens_subject::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A moment, ns; decimal digits in JSON, for a browser's numbers are too small.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Ns(u64);

impl TryFrom<String> for Ns {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// A window with open ends, ns.
type Edges = (Option<u64>, Option<u64>);

fn edges(from_ns: Option<Ns>, to_ns: Option<Ns>) -> Edges {
    (from_ns.map(|ns| ns.0), to_ns.map(|ns| ns.0))
}

/// Part of a recording to read.
#[derive(Default, Deserialize)]
pub(crate) struct Part {
    from_ns: Option<Ns>,
    to_ns: Option<Ns>,
    tasks: Option<BTreeSet<i32>>,
    #[serde(default)]
    pseudonyms: bool,
}

impl From<Part> for Cut {
    fn from(part: Part) -> Self {
        let (from_ns, to_ns) = edges(part.from_ns, part.to_ns);
        Self {
            from_ns,
            to_ns,
            tasks: part.tasks,
            pseudonyms: part.pseudonyms,
        }
    }
}

/// An object of one field, the request's name. With a tag inside or fields of another type between its own, serde would keep
/// and read everything twice, which is much code.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// Reads the inputs; the answer is the manifest.
    Read {
        names: Vec<String>,
        #[serde(default)]
        tolerant: bool,
        max_bytes: Option<u64>,
        #[serde(default)]
        part: Part,
    },
    /// The bundle as a tar.
    Pack {},
    /// Opens the one input as a packed bundle; the answer is the manifest.
    Open {
        name: String,
    },
    Timeline {
        lanes: Vec<(String, u32)>,
        from_ns: Ns,
        to_ns: Ns,
        px: u32,
    },
    Tasks {},
    SliceAt {
        cpu: u32,
        t_ns: Ns,
    },
    NextSlice {
        pid: i32,
        t_ns: Ns,
        forward: bool,
    },
    Section {
        section: String,
        from_ns: Ns,
        to_ns: Ns,
        options: Value,
    },
    Report {},
    EventsPage {
        filter: String,
        from_ns: Option<Ns>,
        to_ns: Option<Ns>,
        after: Option<[Ns; 3]>,
        limit: usize,
    },
    Export {
        what: Exported,
        format: String,
        from_ns: Option<Ns>,
        to_ns: Option<Ns>,
    },
    /// The JSON schemas of the options of each section.
    Options {},
}

/// Exported rows.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Exported {
    /// Events of one type.
    Events(String),
    /// Events that match a filter.
    Found(String),
    /// A table of samples.
    Samples(String),
    /// The recording as a Perfetto trace.
    Trace,
}

/// Reason for a missing answer, as a server words it.
pub(crate) struct Failure {
    /// HTTP status.
    pub(crate) status: u32,
    /// `{"error": {"sentence": …}}`.
    pub(crate) body: Vec<u8>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let sentence = error.to_string();
        let (status, place) = match error {
            Error::Missing(_) => (404, None),
            Error::Limit(_) => (413, None),
            Error::Option(_) | Error::Wrong(_) => (422, None),
            Error::Input { error, name } => {
                let place = (name, error.place.number(), error.place.unit());
                (400, Some((place, error.expected.clone())))
            }
            _ => (500, None),
        };
        let mut error = serde_json::json!({ "sentence": sentence });
        if let Some(((file, offset, unit), expected)) = place {
            error["file"] = file.into();
            error["offset"] = offset.into();
            error["unit"] = unit.into();
            error["expected"] = expected.into();
        }
        let body = serde_json::json!({ "error": error });
        Self {
            status,
            body: body.to_string().into_bytes(),
        }
    }
}

// By value, as `map_err` gives it.
#[allow(clippy::needless_pass_by_value)]
fn wrong(sentence: impl ToString) -> Error {
    Error::Wrong(sentence.to_string())
}

/// Hears of stages.
type Tell<'a> = &'a dyn Fn(&str, u64, u64);

/// Inputs that wait for their reading, and the bundle of the last one.
#[derive(Default)]
pub(crate) struct Engine {
    inputs: Vec<Vec<u8>>,
    bundle: Option<(Context, Memory)>,
}

impl Engine {
    /// Room for an input of `len` bytes.
    pub(crate) fn add_input(&mut self, len: usize) -> *mut u8 {
        let mut input = Vec::with_capacity(len);
        let room = input.as_mut_ptr();
        // SAFETY: the host writes all of it before it calls: zeros would only be written over.
        #[allow(clippy::uninit_vec)]
        unsafe {
            input.set_len(len);
        }
        self.inputs.push(input);
        room
    }

    /// The answer to a request in JSON.
    pub(crate) fn call(&mut self, request: &[u8], tell: Tell<'_>) -> Result<Vec<u8>, Failure> {
        // From text, as all other JSON is read.
        let request = std::str::from_utf8(request).map_err(wrong)?;
        let request = serde_json::from_str(request).map_err(wrong)?;
        Ok(match request {
            Request::Read {
                names,
                tolerant,
                max_bytes,
                part,
            } => self.read(names, (ReadOptions { tolerant }, part), max_bytes, tell)?,
            Request::Open { name } => self.open(&name)?,
            Request::Options {} => numalens_engine::options()?,
            request => {
                let missing = || Error::Missing("no recording was read".to_owned());
                let (bundle, files) = self.bundle.as_ref().ok_or_else(missing)?;
                match request {
                    Request::Pack {} => packed(files)?,
                    request => query(bundle, request)?,
                }
            }
        })
    }

    fn read(
        &mut self,
        names: Vec<String>,
        (options, part): (ReadOptions, Part),
        max_bytes: Option<u64>,
        tell: Tell<'_>,
    ) -> Result<Vec<u8>, Error> {
        self.bundle = None;
        let progress = || {
            Progress::new(Some(Box::new(|stage: &str, done, total| {
                tell(stage, done, total);
                Ok(())
            })))
        };
        let inputs = std::mem::take(&mut self.inputs).into_iter();
        let mut inputs: Inputs<'_> = names
            .into_iter()
            .zip(inputs.map(|bytes| Box::new(bytes) as Box<dyn ByteSource>))
            .collect();
        let unpacked = Memory::default();
        let members = unpack(&inputs, &unpacked, max_bytes, options, &mut progress())?;
        let mut sources: BTreeMap<u32, _> = (0..).zip(inputs.drain(..)).collect();
        let mut known: Inputs<'_> = Vec::new();
        for member in members.into_iter().filter(|member| member.kind.is_some()) {
            let source = match &member.file {
                Some(file) => {
                    let source = unpacked.source(file)?;
                    // The source has its bytes; both would need their room.
                    unpacked.remove(file)?;
                    Some(source)
                }
                None => sources.remove(&member.source).map(|(_, source)| source),
            };
            known.extend(source.map(|source| (member.name, source)));
        }
        // The archives themselves are not needed any more.
        drop(sources);
        let request = IngestRequest {
            inputs: known,
            options,
            limits: Limits {
                events: None,
                bytes: max_bytes,
            },
            cut: part.into(),
            ..IngestRequest::default()
        };
        let files = Memory::default();
        ingest(request, &files, &mut progress())?;
        self.keep(files)
    }

    fn open(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        self.bundle = None;
        let packed = std::mem::take(&mut self.inputs).into_iter().next();
        let packed = packed.ok_or_else(|| wrong("expected one input, found none"))?;
        let files = unpacked(name, &packed)?;
        drop(packed);
        self.keep(files)
    }

    /// Keeps the bundle that further requests read, and returns its manifest.
    fn keep(&mut self, files: Memory) -> Result<Vec<u8>, Error> {
        let open = Open::new(Arc::new(files.clone()))?;
        let mut manifest = serde_json::from_str(&open.manifest).map_err(wrong)?;
        write_moments(&mut manifest);
        self.bundle = Some((Context::new(open), files));
        Ok(manifest.to_string().into_bytes())
    }
}

/// Moments of a manifest as decimal strings, as the service gives them to a page.
fn write_moments(value: &mut Value) {
    const MOMENTS: [&str; 7] = [
        "origin_ns",
        "end_ns",
        "window_ns",
        "from_ns",
        "to_ns",
        "offset_ns",
        "uncertainty_ns",
    ];
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if MOMENTS.contains(&name.as_str()) {
                    write_numbers(field);
                } else {
                    write_moments(field);
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(write_moments),
        _ => {}
    }
}

fn write_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => *value = Value::String(number.to_string()),
        Value::Array(entries) => entries.iter_mut().for_each(write_numbers),
        _ => {}
    }
}

fn query(bundle: &Context, request: Request) -> Result<Vec<u8>, Error> {
    match request {
        Request::Timeline {
            lanes,
            from_ns,
            to_ns,
            px,
        } => {
            let batch = timeline(bundle, &lanes, (from_ns.0, to_ns.0), px)?;
            stream(&batch.schema(), [Ok::<_, Error>(batch.clone())])
        }
        Request::Tasks {} => {
            let file = IpcFile::open(bundle.files.whole(TASKS)?, None)?;
            let schema = Arc::clone(file.schema());
            stream(
                &schema,
                file.into_batches().map(|batch| batch.map_err(Error::from)),
            )
        }
        Request::SliceAt { cpu, t_ns } => json(&bundle.index.slice_at(cpu, t_ns.0)?),
        Request::NextSlice { pid, t_ns, forward } => {
            json(&bundle.index.next_slice(pid, t_ns.0, forward)?)
        }
        Request::Section {
            section,
            from_ns,
            to_ns,
            options,
        } => analyse(
            bundle,
            &section,
            (from_ns.0, to_ns.0),
            &options.to_string(),
            true,
        ),
        Request::Report {} => report(bundle, (None, None), "{}"),
        Request::EventsPage {
            filter,
            from_ns,
            to_ns,
            after,
            limit,
        } => {
            let after = after.map(key).transpose()?;
            let page = events_page(bundle, &filter, edges(from_ns, to_ns), after, limit)?;
            let mut page = serde_json::to_value(page).map_err(wrong)?;
            write_next_page(&mut page);
            json(&page)
        }
        Request::Export {
            what,
            format,
            from_ns,
            to_ns,
        } => exported(bundle, &what, &format, edges(from_ns, to_ns)),
        Request::Read { .. } | Request::Open { .. } | Request::Pack {} | Request::Options {} => {
            Err(wrong("no question about a bundle"))
        }
    }
}

/// Position of the next page, as one text, which is how the service names it.
fn write_next_page(page: &mut Value) {
    if let Value::Object(fields) = page
        && let Some(next) = fields.remove("next")
    {
        let parts = next.as_array().map(|parts| {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            parts.join(".")
        });
        fields.insert("next_page".to_owned(), parts.into());
    }
}

/// The place of an event from its parts.
fn key([ts, source, number]: [Ns; 3]) -> Result<Key, Error> {
    let source = u32::try_from(source.0).map_err(wrong)?;
    Ok((ts.0, source, number.0))
}

fn exported(
    bundle: &Context,
    what: &Exported,
    format: &str,
    window: Edges,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut append = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok(())
    };
    let out: Out<'_> = &mut append;
    let format =
        || Format::of(format).ok_or_else(|| wrong("expected the format csv, ndjson or arrow"));
    match what {
        Exported::Events(event) => export(bundle, event, format()?, window, out)?,
        Exported::Found(filter) => {
            check_filter(bundle, filter)?;
            export_found(bundle, filter, format()?, window, out)?
        }
        Exported::Samples(table) => {
            let edge = |ns: Option<u64>| ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX));
            let window = (edge(window.0), edge(window.1));
            export_samples(bundle, table, format()?, window, out)?
        }
        Exported::Trace => export_trace(bundle, window, true, out)?,
    };
    Ok(bytes)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(wrong)
}
