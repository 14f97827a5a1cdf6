//! The recorded events: their attributes, ids and names.

use std::collections::{HashMap, HashSet};

use linux_perf_event_reader::constants as bits;
use numalens_columns::perf_event_name;
use numalens_event_format::Endian;

use crate::sample::Layout;

/// Size of an attribute in the first version of perf.
const SMALLEST: usize = 64;
/// Longest span of ids that is looked up in a plain table.
const TABLE: u64 = 1 << 20;
/// Most events, and most ids of all together; a recording of every tracepoint on the largest machine stays below.
const MOST_EVENTS: usize = 1 << 16;
const MOST_IDS: usize = 1 << 24;

/// One recorded event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attr {
    pub(crate) kind: u32,
    pub(crate) config: u64,
    pub(crate) layout: Layout,
    /// `clockid_t` that the recorder chose.
    pub(crate) clock: Option<u32>,
    pub(crate) name: Option<String>,
    /// True if it starts counting when the command of `perf record COMMAND` runs, whose tasks it follows.
    pub(crate) of_command: bool,
    first_id: Option<u64>,
}

impl Attr {
    /// Reads an attribute: a `perf_event_attr` of any version.
    pub(crate) fn read(bytes: &[u8], endian: Endian) -> Option<Self> {
        let size = match endian.u32(bytes, 4) as usize {
            0 => SMALLEST,
            size => size,
        };
        if bytes.len() < SMALLEST || size < SMALLEST {
            return None;
        }
        // What a shorter version lacks reads as zero.
        let bytes = &bytes[..size.min(bytes.len())];
        let word = |at| endian.u64(bytes, at);
        let mut flags = word(40);
        if endian == Endian::Big {
            // Bit fields begin at the other end of the word there.
            flags = flags.reverse_bits();
        }
        let registers = [word(80).count_ones(), word(96).count_ones()];
        let id_all = flags & bits::ATTR_FLAG_BIT_SAMPLE_ID_ALL != 0;
        let use_clock = flags & bits::ATTR_FLAG_BIT_USE_CLOCKID != 0;
        Some(Self {
            kind: endian.u32(bytes, 0),
            config: word(8),
            layout: Layout::new(word(24), word(32), word(72), registers, id_all),
            clock: use_clock.then(|| endian.u32(bytes, 92)),
            name: None,
            of_command: flags & bits::ATTR_FLAG_BIT_ENABLE_ON_EXEC != 0,
            first_id: None,
        })
    }

    /// The tracepoint's number, if its samples hold the tracepoint's record.
    #[inline]
    pub(crate) fn tracepoint(&self) -> Option<u32> {
        let is_one = self.kind == bits::PERF_TYPE_TRACEPOINT;
        (is_one && self.layout.has(bits::PERF_SAMPLE_RAW)).then_some(self.config as u32)
    }

    /// Returns whether its samples have callchains.
    pub(crate) fn has_chain(&self) -> bool {
        self.layout.has(bits::PERF_SAMPLE_CALLCHAIN)
    }

    /// Returns the position of its id: in samples, and from the end of other records.
    fn id_places(&self) -> Option<(usize, Option<usize>)> {
        let layout = &self.layout;
        let back = layout
            .back_offset(bits::PERF_SAMPLE_IDENTIFIER)
            .or_else(|| layout.back_offset(bits::PERF_SAMPLE_ID));
        layout.id.map(|at| (at, back))
    }

    /// The event's name: the recorder's without modifiers, else one by type and number.
    pub(crate) fn name(&self) -> String {
        if let Some(name) = self.name.as_ref().filter(|name| !name.is_empty()) {
            let name = perf_event_name(name.as_bytes());
            return String::from_utf8_lossy(name).into_owned();
        }
        let known: &[&str] = match self.kind {
            bits::PERF_TYPE_HARDWARE => &HARDWARE,
            bits::PERF_TYPE_SOFTWARE => &SOFTWARE,
            _ => &[],
        };
        let known = usize::try_from(self.config)
            .ok()
            .and_then(|at| known.get(at));
        match known {
            Some(name) => (*name).to_owned(),
            None => format!("type_{}_config_{:#x}", self.kind, self.config),
        }
    }
}

/// Names by `PERF_COUNT_HW_*`, as perf prints them.
const HARDWARE: [&str; 10] = [
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
];
/// Names by `PERF_COUNT_SW_*`, as perf prints them.
const SOFTWARE: [&str; 12] = [
    "cpu-clock",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "dummy",
    "bpf-output",
    "cgroup-switches",
];

/// All events of a recording.
#[derive(Debug, Default)]
pub(crate) struct Attrs {
    list: Vec<Attr>,
    ids: HashMap<u64, u32>,
    /// The ids again, without hashing: index plus one, by id less the smallest. Made at the first sample.
    table: Vec<u32>,
    smallest: u64,
    by: By,
    with_chain: HashSet<u32>,
}

/// Identification of a record's event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum By {
    /// There is none yet.
    #[default]
    None,
    /// There is but one.
    Only,
    /// By an id at this offset of samples, and at this one from the end of other records.
    Id(usize, Option<usize>),
    /// Not identified.
    Nothing,
}

impl Attrs {
    pub(crate) fn list(&self) -> &[Attr] {
        &self.list
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&Attr> {
        self.list.get(index as usize)
    }

    /// Returns whether any event of this tracepoint has callchains.
    pub(crate) fn has_chain(&self, tracepoint: u32) -> bool {
        self.with_chain.contains(&tracepoint)
    }

    /// Adds an event with its ids. Gives what was expected when there are too many.
    pub(crate) fn add(
        &mut self,
        mut attr: Attr,
        ids: impl ExactSizeIterator<Item = u64>,
    ) -> Result<(), String> {
        if self.list.len() == MOST_EVENTS || self.ids.len() + ids.len() > MOST_IDS {
            return Err(format!("at most {MOST_EVENTS} events with {MOST_IDS} ids"));
        }
        let index = self.list.len() as u32;
        for id in ids {
            attr.first_id.get_or_insert(id);
            self.ids.insert(id, index);
            if let Some(known) = self.table.get_mut(id.wrapping_sub(self.smallest) as usize) {
                *known = index + 1;
            }
        }
        if let Some(id) = attr.tracepoint().filter(|_| attr.has_chain()) {
            self.with_chain.insert(id);
        }
        self.by = match (self.by, attr.id_places(), self.list.first()) {
            (By::None, ..) => By::Only,
            (By::Only, Some((at, back)), Some(first))
                if first.id_places().is_some_and(|place| place.0 == at) =>
            {
                By::Id(at, back)
            }
            (By::Id(at, back), Some((place, _)), _) if at == place => By::Id(at, back),
            _ => By::Nothing,
        };
        self.list.push(attr);
        Ok(())
    }

    /// Names the event that has this id; one that was named keeps its name.
    pub(crate) fn name_by_id(&mut self, id: u64, name: &str) {
        let index = self.ids.get(&id).map(|&index| index as usize);
        if let Some(attr) = index.and_then(|index| self.list.get_mut(index)) {
            attr.name.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Names the event at this place of the list, for events without ids.
    pub(crate) fn name_by_place(&mut self, place: usize, name: &str) {
        let attr = self.list.get_mut(place);
        if let Some(attr) = attr.filter(|attr| attr.first_id.is_none()) {
            attr.name.get_or_insert_with(|| name.to_owned());
        }
    }

    /// The event of a sample, or why it is not known.
    #[inline]
    pub(crate) fn of_sample(&mut self, body: &[u8], endian: Endian) -> Result<u32, Stranger> {
        match self.by {
            By::Only => Ok(0),
            By::Id(at, _) => {
                if self.table.is_empty() {
                    self.make_table();
                }
                self.find(endian.u64(body, at))
            }
            By::Nothing => Err(Stranger::NoIds),
            By::None => Err(Stranger::NoEvents),
        }
    }

    /// The event of another record of the kernel; the first one where it does not say.
    pub(crate) fn of_other(&self, body: &[u8], endian: Endian) -> u32 {
        match self.by {
            By::Id(_, Some(back)) if back <= body.len() => {
                let id = endian.u64(body, body.len() - back);
                self.find(id).unwrap_or(0)
            }
            _ => 0,
        }
    }

    #[inline]
    fn find(&self, id: u64) -> Result<u32, Stranger> {
        let at = id.wrapping_sub(self.smallest);
        if let Some(&index) = self.table.get(at as usize)
            && index != 0
        {
            return Ok(index - 1);
        }
        match self.ids.get(&id) {
            Some(&index) => Ok(index),
            // Records that perf makes up itself have no id; it takes the first event for them.
            None if id == 0 => Ok(0),
            None => Err(Stranger::Id(id)),
        }
    }

    #[cold]
    fn make_table(&mut self) {
        let ids = || self.ids.keys().copied();
        let (smallest, largest) = (ids().min().unwrap_or(0), ids().max().unwrap_or(0));
        let span = (largest - smallest).min(TABLE) as usize + 1;
        self.table = vec![0; span];
        self.smallest = smallest;
        for (&id, &index) in &self.ids {
            if let Some(known) = self.table.get_mut((id - smallest) as usize) {
                *known = index + 1;
            }
        }
    }
}

/// Reason for which a sample's event is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stranger {
    NoEvents,
    NoIds,
    Id(u64),
}

impl Stranger {
    /// Returns the expected and the found content.
    pub(crate) fn clause(self) -> (&'static str, String) {
        match self {
            Self::NoEvents => (
                "an event's attributes before its samples",
                "a sample".to_owned(),
            ),
            Self::NoIds => (
                "samples of several events with their ids at one place",
                "samples without".to_owned(),
            ),
            Self::Id(id) => ("a sample of a recorded event", format!("one with id {id}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attr(kind: u32, config: u64, sample_type: u64) -> Attr {
        let mut bytes = vec![0; 128];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&128_u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&config.to_le_bytes());
        bytes[24..32].copy_from_slice(&sample_type.to_le_bytes());
        Attr::read(&bytes, Endian::Little).unwrap()
    }

    #[test]
    fn names_follow_type_and_number() {
        assert_eq!(attr(1, 2, 0).name(), "page-faults");
        assert_eq!(attr(0, 0, 0).name(), "cycles");
        assert_eq!(attr(1, 99, 0).name(), "type_1_config_0x63");
        assert_eq!(attr(4, 0x1c2, 0).name(), "type_4_config_0x1c2");
        let raw = bits::PERF_SAMPLE_RAW;
        assert_eq!(attr(2, 7, raw).tracepoint(), Some(7));
        assert_eq!(
            (attr(2, 7, 0).tracepoint(), attr(1, 7, raw).tracepoint()),
            (None, None)
        );
    }

    #[test]
    fn samples_find_their_event_by_id() {
        let id = |id: u64| id.to_le_bytes();
        let mut attrs = Attrs::default();
        assert_eq!(
            attrs.of_sample(&id(1), Endian::Little),
            Err(Stranger::NoEvents)
        );
        attrs.add(attr(1, 0, 1 << 16), [5, 6].into_iter()).unwrap();
        assert_eq!(
            attrs.of_sample(&id(99), Endian::Little),
            Ok(0),
            "there is but one"
        );
        let more = [7, u64::MAX].into_iter();
        attrs.add(attr(1, 2, 1 << 16), more).unwrap();
        for (wanted, index) in [(5, 0), (6, 0), (7, 1), (u64::MAX, 1), (0, 0)] {
            assert_eq!(attrs.of_sample(&id(wanted), Endian::Little), Ok(index));
        }
        assert_eq!(
            attrs.of_sample(&id(8), Endian::Little),
            Err(Stranger::Id(8))
        );
        attrs.add(attr(1, 1, 1 << 16), [8].into_iter()).unwrap();
        assert_eq!(attrs.of_sample(&id(8), Endian::Little), Ok(2));
        attrs.add(attr(1, 3, 0), [9].into_iter()).unwrap();
        assert_eq!(
            attrs.of_sample(&id(5), Endian::Little),
            Err(Stranger::NoIds)
        );
        attrs.name_by_id(7, "mine");
        attrs.name_by_id(7, "yours");
        assert_eq!(attrs.list()[1].name(), "mine");
        attrs.name_by_id(8, "cycles:ppp");
        assert_eq!(attrs.list()[2].name(), "cycles");
    }

    #[test]
    fn bit_fields_of_big_endian_machines_begin_at_the_other_end() {
        let mut bytes = vec![0; 96];
        bytes[7] = 96;
        bytes[40..48].copy_from_slice(&(1_u64 << 18 | 1 << 25).reverse_bits().to_be_bytes());
        bytes[95] = 1;
        let attr = Attr::read(&bytes, Endian::Big).unwrap();
        assert!(attr.layout.id_all);
        assert_eq!(attr.clock, Some(1));
        assert_eq!(Attr::read(&bytes[..63], Endian::Big), None);
    }
}
