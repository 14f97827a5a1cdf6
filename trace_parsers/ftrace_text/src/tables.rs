//! Event tables on their way to the sink.

use std::collections::HashMap;

use numalens_columns::{Column, DecodeError, EventCount, EventSink, TableSpec, argument_name};

use crate::by_name::by_name;
use crate::bytes::shown;
use crate::catalogue::{Catalogue, Version};
use crate::columns::Rows;
use crate::event_name::UNKNOWN;
use crate::line::{Form, Layout, Named};
use crate::lttng;
use crate::records::Event;
use crate::rows::{Common, Front};
use crate::table::{Shape, Table};
use crate::template::{Template, Value};

/// Most event types.
const MAX_TABLES: usize = 4096;
/// Limit of pending bytes in all tables together.
const MAX_WAITING: usize = 32 << 20;

/// All event types of a text.
pub(crate) struct Tables<'l> {
    layout: &'l Layout,
    catalogue: Catalogue,
    chains: bool,
    by_key: HashMap<Vec<u8>, usize>,
    open: Vec<Table>,
    waiting: usize,
    /// Notes about events without a text in the catalogue.
    pub(crate) notes: Vec<String>,
}

/// Reason for which a row was rejected: expected, found.
pub(crate) type Refusal = (String, String);

impl<'l> Tables<'l> {
    pub(crate) fn new(layout: &'l Layout, chains: bool) -> Self {
        Self {
            layout,
            catalogue: Catalogue::new(),
            chains,
            by_key: HashMap::new(),
            open: Vec::new(),
            waiting: 0,
            notes: Vec::new(),
        }
    }

    /// Takes one event. `cut`: the text ends within its line, which must then be a known event's whole text.
    #[inline]
    pub(crate) fn push<'a>(
        &mut self,
        event: &Event<'a>,
        common: &Common,
        cut: bool,
        values: &mut Vec<Value<'a>>,
        sink: &mut dyn EventSink,
    ) -> Result<Option<Refusal>, DecodeError> {
        let details = event.named.details;
        let form = self.layout.form;
        let index = match self.by_key.get(event.named.key) {
            Some(&index) => index,
            None => match self.open(event, cut, values) {
                Ok(index) => index,
                Err(refusal) => return Ok(Some(refusal)),
            },
        };
        let table = &mut self.open[index];
        let full = match &mut table.shape {
            Shape::Known {
                event: known,
                version,
                slots,
                last,
            } => {
                let known = &self.catalogue.events[*known];
                let version = &known.versions[*version];
                let symbols = &self.catalogue.symbols;
                let mut fits = |at: usize| {
                    if form == Form::Lttng {
                        return lttng::apply(details, known.system, version, values);
                    }
                    version.templates[at].apply(
                        strip(details),
                        &version.types,
                        symbols,
                        form == Form::Perf,
                        values,
                    )
                };
                if !last.is_some_and(&mut fits) {
                    *last = (0..version.templates.len()).find(|&at| fits(at));
                    let mut named = || {
                        let found = by_name(strip(details), version, symbols, values)?;
                        slots.iter().all(|slot| found.contains(slot)).then_some(())
                    };
                    if last.is_none() && (cut || named().is_none()) {
                        return Ok(Some(refusal(&event.named, &Version::default())));
                    }
                }
                let mut at = table.front.write(&mut table.rows, common);
                for &slot in slots.iter() {
                    match values[slot] {
                        Value::Bits(bits) => table.rows.bits(at, bits),
                        Value::Text(text) => table.rows.text(at, text),
                    }
                    at += 1;
                }
                table.front.end(&mut table.rows, at, event.chain)
            }
            Shape::Waiting { .. } | Shape::Loose { .. } if cut => {
                return Ok(Some(refusal(&event.named, &Version::default())));
            }
            Shape::Waiting { .. } | Shape::Loose { .. } => {
                table.loose(common, details, event.chain)
            }
        };
        table.count += 1;
        self.waiting += 64 + details.len() + event.chain.len();
        if full {
            table.flush(sink)?;
        }
        if self.waiting >= MAX_WAITING {
            self.flush(sink)?;
        }
        Ok(None)
    }

    /// Makes the table of an event that is seen for the first time.
    #[cold]
    fn open<'a>(
        &mut self,
        event: &Event<'a>,
        cut: bool,
        values: &mut Vec<Value<'a>>,
    ) -> Result<usize, Refusal> {
        if self.open.len() == MAX_TABLES {
            return Err((
                format!("at most {MAX_TABLES} event types"),
                "one more".to_owned(),
            ));
        }
        let named = &event.named;
        let name = if self.layout.form == Form::Lttng {
            lttng::kernels_name(named.event, |name| self.catalogue.find(name).is_some())
        } else {
            named.event
        };
        let known = self.catalogue.find(name);
        let known = known.filter(|&at| {
            named
                .system
                .is_none_or(|system| system == self.catalogue.events[at].system.as_bytes())
        });
        let system = named
            .system
            .or(known.map(|at| self.catalogue.events[at].system.as_bytes()))
            .unwrap_or(UNKNOWN);
        let front = Front::new(
            self.layout,
            system,
            event.head.period.is_some(),
            self.chains,
        );
        let details = strip(named.details);
        let mut shape = known.and_then(|at| self.known(at, details, values));
        let newest = known.and_then(|at| self.catalogue.events[at].versions.first());
        let mut note = None;
        if shape.is_none() && !cut && self.layout.form != Form::Lttng {
            let by_name = known.and_then(|at| self.named(at, details, values));
            (shape, note) = by_name.unzip();
            // Without the fields that it cannot do without, the replay would see no event at all.
            let needed = newest.filter(|version| version.fields.iter().any(|field| field.optional));
            if shape.is_none()
                && let Some(version) = needed
            {
                return Err(refusal(named, version));
            }
        }
        if shape.is_none() && cut {
            return Err(refusal(named, newest.unwrap_or(&Version::default())));
        }
        let own = match &shape {
            Some(Shape::Known {
                event,
                version,
                slots,
                ..
            }) => {
                let fields = &self.catalogue.events[*event].versions[*version];
                slots
                    .iter()
                    .map(|&slot| (fields.fields[slot].clone(), fields.types[slot].clone()))
                    .collect()
            }
            _ => Vec::new(),
        };
        let mut columns = front.columns();
        for (field, ty) in own {
            columns.push(Column {
                name: argument_name(&field.name, &columns),
                ty,
                ctype: field.declaration,
            });
        }
        columns.extend(front.columns_behind());
        let spec = TableSpec {
            system: String::from_utf8_lossy(system).into_owned(),
            event: String::from_utf8_lossy(name).into_owned(),
            id: 0,
            print_fmt: String::new(),
            columns,
        };
        let shape = shape.unwrap_or(Shape::Waiting {
            rows: Vec::new(),
            bytes: Vec::new(),
        });
        self.notes.extend(note.flatten());
        self.by_key.insert(named.key.to_vec(), self.open.len());
        self.open.push(Table {
            front,
            rows: Rows::new(&spec),
            spec,
            id: None,
            count: 0,
            shape,
        });
        Ok(self.open.len() - 1)
    }

    /// The version of a known event whose text these details are.
    fn known<'a>(
        &self,
        event: usize,
        details: &'a [u8],
        values: &mut Vec<Value<'a>>,
    ) -> Option<Shape> {
        if self.layout.form == Form::Lttng {
            let known = &self.catalogue.events[event];
            let fitting = (0..)
                .zip(&known.versions)
                .filter(|(_, version)| lttng::apply(details, known.system, version, values));
            // Any payload with all fields of a version has those of one that lacks some of them.
            let (version, fields) = fitting.max_by_key(|(_, version)| version.fields.len())?;
            return Some(Shape::Known {
                event,
                version,
                slots: (0..fields.fields.len()).collect(),
                last: Some(0),
            });
        }
        for (index, version) in self.catalogue.events[event].versions.iter().enumerate() {
            let symbols = &self.catalogue.symbols;
            let perf = self.layout.form == Form::Perf;
            let mut templates = version.templates.iter();
            if let Some(last) = templates
                .position(|template| template.apply(details, &version.types, symbols, perf, values))
            {
                // The last text is the raw one, which has all fields; the others have what the kernel prints.
                let raw = version.templates.len() - 1;
                let used = if last == raw {
                    &version.templates[raw..]
                } else {
                    &version.templates[..raw]
                };
                let mut slots: Vec<usize> = used.iter().flat_map(Template::slots).collect();
                slots.sort_unstable();
                slots.dedup();
                return Some(Shape::Known {
                    event,
                    version: index,
                    slots,
                    last: Some(last),
                });
            }
        }
        None
    }

    /// Returns the version of a known event with most of the named fields, and the fields that the text lacks.
    fn named<'a>(
        &self,
        event: usize,
        details: &'a [u8],
        values: &mut Vec<Value<'a>>,
    ) -> Option<(Shape, Option<String>)> {
        let known = &self.catalogue.events[event];
        let fitting = known
            .versions
            .iter()
            .enumerate()
            .filter_map(|(at, version)| {
                let slots = by_name(details, version, &self.catalogue.symbols, values)?;
                Some((at, version.fields.len() - slots.len(), slots))
            });
        let (version, missing, slots) =
            fitting.min_by_key(|(_, missing, slots)| (*missing, usize::MAX - slots.len()))?;
        let fields = (0..).zip(&known.versions[version].fields);
        let fields = fields.filter(|(slot, _)| !slots.contains(slot));
        let fields: Vec<&str> = fields.map(|(_, field)| field.name.as_str()).collect();
        let note = (missing > 0).then(|| {
            let fields = fields.join(" and no ");
            format!("{} has no {fields} in this text.", known.event)
        });
        let shape = Shape::Known {
            event,
            version,
            slots,
            last: None,
        };
        Some((shape, note))
    }

    /// Writes all rows that wait.
    pub(crate) fn flush(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        self.waiting = 0;
        self.open.iter_mut().try_for_each(|table| table.flush(sink))
    }

    /// Returns the number of each event, by system and name.
    pub(crate) fn counts(&self) -> Vec<EventCount> {
        let count = |table: &Table| EventCount {
            system: table.spec.system.clone(),
            event: table.spec.event.clone(),
            id: 0,
            count: table.count,
        };
        let mut counts: Vec<EventCount> = self.open.iter().map(count).collect();
        counts.sort_by(|a, b| (&a.system, &a.event).cmp(&(&b.system, &b.event)));
        counts
    }
}

/// trace-cmd writes this before events whose format it could not read; raw fields follow.
fn strip(details: &[u8]) -> &[u8] {
    details
        .strip_prefix(b"[FAILED TO PARSE] ")
        .unwrap_or(details)
}

#[cold]
fn refusal(named: &Named<'_>, version: &Version) -> Refusal {
    let needed = version.fields.iter().filter(|field| !field.optional);
    let needed: Vec<&str> = needed.map(|field| field.name.as_str()).collect();
    let some = needed.len() < version.fields.len();
    let which = if some {
        format!(" {}", needed.join(", "))
    } else {
        String::new()
    };
    (
        format!(
            "the fields{which} of {}",
            String::from_utf8_lossy(named.event)
        ),
        shown(named.details),
    )
}
