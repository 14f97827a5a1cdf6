//! Windows and pages of event tables: what a search over batches finds is what a look at every row finds, and no more is read
//! than the answer needs.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt32Array, UInt64Array};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema};
use numalens_core::ipc::{BatchWriter, IpcFile, Storage};
use numalens_events::filter::{Filter, TableFilter};
use numalens_events::{Found, Key, Page, Searched, Span, batches_over, find};
use proptest::prelude::*;

/// Bytes in memory that keep which of them were requested.
#[derive(Clone)]
struct Watched {
    bytes: Buffer,
    requested: Rc<RefCell<Vec<Range<usize>>>>,
}

impl Storage for Watched {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn read(&self, range: Range<usize>) -> io::Result<Buffer> {
        self.requested.borrow_mut().push(range.clone());
        self.bytes.read(range)
    }
}

impl Watched {
    fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Buffer::from_vec(bytes),
            requested: Rc::default(),
        }
    }

    fn taken(&self) -> usize {
        self.requested
            .borrow_mut()
            .drain(..)
            .map(|range| range.len())
            .sum()
    }
}

fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        Field::new("ts_ns", DataType::UInt64, false),
        Field::new("cpu", DataType::UInt32, false),
        Field::new("seq", DataType::UInt64, false),
    ]))
}

/// A row: time, CPU, number in its input.
type Row = (u64, u32, u64);

fn batch(rows: &[Row]) -> RecordBatch {
    let columns: Vec<Arc<dyn arrow_array::Array>> = vec![
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.0))),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.1))),
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.2))),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// A table's file.
fn file(batches: &[Vec<Row>]) -> Vec<u8> {
    let mut writer = BatchWriter::new(Vec::new(), &schema()).unwrap();
    for rows in batches {
        let times = rows.iter().map(|row| row.0);
        writer.write(&batch(rows), times).unwrap();
    }
    writer.finish().unwrap()
}

/// The tables of some inputs, and how each is read.
#[derive(Debug, Clone)]
struct Tables {
    /// Input and batches.
    tables: Vec<(u32, Vec<Vec<Row>>)>,
}

impl Tables {
    /// Every row that is meant, by a look at each.
    fn all(&self, filter: &Filter, window: Span) -> Vec<(Key, usize, usize, usize)> {
        let mut rows = Vec::new();
        for (at, (input, batches)) in self.tables.iter().enumerate() {
            let Some(filter) = filter.of_table("sched", NAMES[at % 2], &schema()) else {
                continue;
            };
            for (place, held) in batches.iter().enumerate() {
                let mask = filter.mask(&batch(held));
                for (row, &(ts, _, seq)) in held.iter().enumerate() {
                    if window.has(ts) && mask.value(row) {
                        rows.push(((ts, *input, seq), at, place, row));
                    }
                }
            }
        }
        rows.sort_unstable();
        rows
    }

    fn find(&self, filter: &Filter, page: &Page) -> Found {
        let mut chosen: Vec<(usize, u32, TableFilter, IpcFile<Watched>)> = Vec::new();
        for (at, (input, batches)) in self.tables.iter().enumerate() {
            let file = IpcFile::open(Watched::new(file(batches)), None).unwrap();
            if let Some(filter) = filter.of_table("sched", NAMES[at % 2], &schema()) {
                chosen.push((at, *input, filter, file));
            }
        }
        let footers: Vec<_> = chosen
            .iter()
            .map(|(.., file)| Arc::clone(file.footer()))
            .collect();
        let (mut places, mut filters, mut searched) = (Vec::new(), Vec::new(), Vec::new());
        for (at, input, filter, file) in chosen {
            places.push(at);
            filters.push((input, filter));
            searched.push(file);
        }
        let searched = searched.into_iter().enumerate().map(|(at, file)| Searched {
            input: filters[at].0,
            file,
            extents: footers[at].extents().unwrap(),
            filter: &filters[at].1,
        });
        let searched: Vec<_> = searched.collect();
        let mut found = find(&searched, page).unwrap();
        for event in &mut found.events {
            event.1 = places[event.1];
        }
        found
    }
}

const NAMES: [&str; 2] = ["sched_switch", "sched_waking"];

/// Batches of few rows with few times, so that many are of one time; some batches are empty, and some tables go back in time.
fn tables() -> impl Strategy<Value = Tables> {
    let rows = prop::collection::vec((0_u64..30, 0_u32..3), 0..7);
    let batches = prop::collection::vec(rows, 0..6);
    let table = (0_u32..2, batches, 0_u8..4);
    prop::collection::vec(table, 0..5).prop_map(|tables| {
        let mut seq = 0;
        let numbered = tables.into_iter().map(|(input, batches, order)| {
            let mut times: Vec<u64> = batches.iter().flatten().map(|row| row.0 * 10).collect();
            if order > 0 {
                times.sort_unstable();
            }
            let mut times = times.into_iter();
            let batches = batches.iter().map(|rows| {
                let rows = rows.iter().map(|(_, cpu)| {
                    seq += 1;
                    (times.next().unwrap(), *cpu, seq)
                });
                rows.collect()
            });
            (input, batches.collect())
        });
        Tables {
            tables: numbered.collect(),
        }
    })
}

fn span() -> impl Strategy<Value = Span> {
    // Also windows that are empty, and those outside of all tables.
    (0_u64..330, prop::option::of(0_u64..330)).prop_map(|(from, to)| Span { from, to })
}

fn filter() -> impl Strategy<Value = Filter> {
    const TEXTS: [&str; 5] = [
        "",
        "cpu == 1",
        "event == sched_switch",
        "event == sched_waking || cpu < 2",
        "event == none",
    ];
    prop::sample::select(&TEXTS[..]).prop_map(|text| Filter::parse(text).expect("a filter"))
}

proptest! {
    #[test]
    fn a_page_is_what_a_look_at_every_row_finds(
        tables in tables(),
        filter in filter(),
        window in span(),
        after in prop::option::of((0_u64..330, 0_u32..2, 0_u64..100)),
        limit in 1_usize..9,
        count in any::<bool>(),
    ) {
        let all = tables.all(&filter, window);
        let behind = all.iter().filter(|(key, ..)| after.is_none_or(|after| *key > after));
        let behind: Vec<_> = behind.copied().collect();
        let found = tables.find(&filter, &Page { window, after, limit, count });
        prop_assert_eq!(&found.events[..], &behind[..behind.len().min(limit)]);
        prop_assert_eq!(found.more, behind.len() > limit);
        prop_assert_eq!(found.matched, count.then_some(all.len() as u64));
    }

    #[test]
    fn pages_have_every_event_once(tables in tables(), filter in filter(), window in span(), limit in 1_usize..9) {
        let all = tables.all(&filter, window);
        let mut listed: Vec<(Key, usize, usize, usize)> = Vec::new();
        let mut after = None;
        loop {
            let found = tables.find(&filter, &Page { window, after, limit, count: after.is_none() });
            listed.extend(&found.events);
            prop_assert!(listed.len() <= all.len());
            after = found.events.last().map(|(key, ..)| *key);
            if !found.more {
                break;
            }
        }
        prop_assert_eq!(listed, all);
    }

    #[test]
    fn no_batch_with_rows_of_the_window_is_left_out(tables in tables(), window in span()) {
        for (_, batches) in &tables.tables {
            let file = IpcFile::open(Watched::new(file(batches)), None).unwrap();
            let found = batches_over(file.footer().extents().unwrap(), window);
            prop_assert!(found.is_sorted());
            for (place, rows) in batches.iter().enumerate() {
                let wanted = rows.iter().any(|row| window.has(row.0));
                prop_assert!(!wanted || found.contains(&place), "batch {place}");
            }
        }
    }
}

/// A table of many batches, a row in each ns.
fn large() -> Watched {
    const ROWS: u64 = 1000;
    let batches: Vec<Vec<Row>> = (0..200)
        .map(|at| {
            (at * ROWS..(at + 1) * ROWS)
                .map(|ts| (ts, (ts % 4) as u32, ts))
                .collect()
        })
        .collect();
    Watched::new(file(&batches))
}

/// What a page makes read besides the footer: the page, and the bytes.
fn read(watched: &Watched, text: &str, page: &Page) -> (Found, usize) {
    let filter = Filter::parse(text).expect("a filter");
    let filter = filter.of_table("sched", "sched_switch", &schema()).unwrap();
    let file = IpcFile::open(watched.clone(), None).unwrap();
    let footer = Arc::clone(file.footer());
    watched.taken();
    let searched = Searched {
        input: 0,
        file,
        extents: footer.extents().unwrap(),
        filter: &filter,
    };
    let found = find(&[searched], page).unwrap();
    (found, watched.taken())
}

#[test]
fn a_late_window_reads_its_own_batches() {
    let page = Page {
        window: Span::new(Some(190_500), Some(190_600)),
        after: None,
        limit: 50,
        count: true,
    };
    let watched = large();
    let one = watched.len() / 200;
    for text in ["", "cpu == 1"] {
        let (found, bytes) = read(&watched, text, &page);
        assert_eq!(found.matched, Some(if text.is_empty() { 100 } else { 25 }));
        assert!(bytes <= one, "{bytes} bytes of {one}");
    }
}

#[test]
fn all_events_are_counted_without_being_read() {
    let watched = large();
    let page = Page {
        window: Span::new(Some(500), None),
        after: None,
        limit: 50,
        count: true,
    };
    let (found, bytes) = read(&watched, "", &page);
    assert_eq!(found.matched, Some(199_500));
    assert!(bytes <= watched.len() / 200, "{bytes} bytes");
    let (found, bytes) = read(&watched, "cpu == 1", &page);
    assert_eq!(found.matched, Some(49_875));
    assert!(
        bytes > watched.len() / 2,
        "a filter has to be looked at: {bytes} bytes"
    );
}

#[test]
fn a_page_behind_another_reads_on_from_there() {
    let watched = large();
    let page = Page {
        window: Span::new(None, None),
        after: Some((150_000, 0, 150_000)),
        limit: 50,
        count: false,
    };
    let (found, bytes) = read(&watched, "cpu == 1", &page);
    assert_eq!(found.events[0].0, (150_001, 0, 150_001));
    assert!(found.more);
    assert!(bytes <= watched.len() / 200, "{bytes} bytes");
}
