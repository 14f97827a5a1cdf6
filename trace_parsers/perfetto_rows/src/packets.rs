//! The trace's own packets, as far as it takes to know where events were lost and how many there are.
//!
//! The trace processor reports that a CPU lost events, but not where; the place is the first event of a bundle whose field
//! `lost_events` is set. A trace is a sequence of `TracePacket` (field 1 of `Trace`); a packet may contain further ones,
//! compressed. Unreadable parts are left to the trace processor, whose errors are the ones that count.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::wire::{Fields, Stop, Value, varint};

/// Largest packet that is looked at, and most bytes that a compressed one may hold.
const MAX_PACKET: usize = 64 << 20;
/// Most places of lost events that are kept.
const MAX_LOSSES: usize = 1 << 20;
/// First byte of a packet in a trace: field 1, a message.
pub(crate) const PACKET: u8 = 0x0a;

/// `TracePacket.ftrace_events`.
pub(crate) const FTRACE_EVENTS: u64 = 1;
/// `TracePacket.compressed_packets`.
const COMPRESSED_PACKETS: u64 = 50;

/// Reads a trace that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    /// The packet that the last piece ended in, from its first byte on.
    open: Vec<u8>,
    /// Bytes of a packet too large to be looked at that are still to come.
    pass: u64,
    /// True after content that is not a trace of packets: the rest is ignored.
    ended: bool,
    /// Places of lost events: CPU and time of the first event after it, on the trace's own clock.
    pub(crate) losses: Vec<(u32, u64)>,
    /// ftrace events in all bundles.
    pub(crate) events: u64,
    /// True if bundles were skipped as unreadable or too large, so that `events` is incomplete.
    pub(crate) partial: bool,
}

impl Packets {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && !self.ended {
            if self.pass > 0 {
                let passed = piece
                    .len()
                    .min(usize::try_from(self.pass).unwrap_or(usize::MAX));
                self.pass -= passed as u64;
                piece = &piece[passed..];
            } else if self.open.is_empty() {
                piece = self.whole_packets(piece);
            } else {
                piece = self.fill(piece);
            }
        }
    }

    /// Reads the complete packets in `bytes`; the start of one more is kept. Returns the bytes after the head of a packet to
    /// skip.
    fn whole_packets<'b>(&mut self, mut bytes: &'b [u8]) -> &'b [u8] {
        while !bytes.is_empty() {
            let (head, length) = match head(bytes) {
                Ok(found) => found,
                Err(Stop::Cut) => break,
                Err(Stop::Broken) => {
                    self.ended = true;
                    return &[];
                }
            };
            if length > MAX_PACKET as u64 {
                self.partial = true;
                self.pass = length;
                return &bytes[head..];
            }
            let end = head + length as usize;
            let Some(packet) = bytes.get(head..end) else {
                break;
            };
            self.packet(packet, true);
            bytes = &bytes[end..];
        }
        self.open.extend_from_slice(bytes);
        &[]
    }

    /// Completes the open packet; its head alone first, which has the length.
    fn fill<'b>(&mut self, piece: &'b [u8]) -> &'b [u8] {
        let wanted = match head(&self.open) {
            Ok((head, length)) => (head + length as usize).saturating_sub(self.open.len()),
            Err(_) => 1,
        };
        let taken = wanted.min(piece.len());
        self.open.extend_from_slice(&piece[..taken]);
        if taken == wanted {
            let open = std::mem::take(&mut self.open);
            self.whole_packets(&open);
        }
        &piece[taken..]
    }

    fn packet(&mut self, packet: &[u8], outer: bool) {
        let mut fields = Fields::new(packet);
        while let Some((field, value)) = self.known(fields.next()) {
            match (field, value) {
                (FTRACE_EVENTS, Value::Bytes(bundle)) => self.bundle(bundle),
                (COMPRESSED_PACKETS, Value::Bytes(bytes)) if outer => self.compressed(bytes),
                _ => {}
            }
        }
    }

    fn compressed(&mut self, bytes: &[u8]) {
        let mut inflated = Vec::new();
        let mut reader = ZlibDecoder::new(bytes).take(MAX_PACKET as u64 + 1);
        if reader.read_to_end(&mut inflated).is_err() || inflated.len() > MAX_PACKET {
            self.partial = true;
            return;
        }
        let mut fields = Fields::new(&inflated);
        while let Some((field, value)) = self.known(fields.next()) {
            if let (1, Value::Bytes(packet)) = (field, value) {
                self.packet(packet, false);
            }
        }
    }

    /// A bundle: the events of one CPU in the order of time.
    fn bundle(&mut self, bundle: &[u8]) {
        const CPU: u64 = 1;
        const EVENT: u64 = 2;
        const LOST_EVENTS: u64 = 3;
        const COMPACT_SCHED: u64 = 4;
        const FTRACE_CLOCK: u64 = 5;
        let (mut cpu, mut lost, mut clock, mut first) = (0, false, 0, None);
        let mut earliest = |stamp: Option<u64>| {
            if let Some(stamp) = stamp {
                first = Some(first.map_or(stamp, |first: u64| first.min(stamp)));
            }
        };
        let mut events = 0;
        let mut fields = Fields::new(bundle);
        while let Some((field, value)) = self.known(fields.next()) {
            match (field, value) {
                (CPU, Value::Varint(number)) => cpu = number as u32,
                (LOST_EVENTS, Value::Varint(number)) => lost = number != 0,
                (FTRACE_CLOCK, Value::Varint(number)) => clock = number,
                (EVENT, Value::Bytes(event)) => {
                    events += 1;
                    earliest(stamp(event));
                }
                (COMPACT_SCHED, Value::Bytes(compact)) => {
                    let (count, stamp) = compact_sched(compact);
                    events += count;
                    earliest(stamp);
                }
                _ => {}
            }
        }
        self.events += events;
        // With another clock the trace processor moves the stamps, and these here would not be those of its rows.
        if let (true, 0, Some(first)) = (lost, clock, first)
            && self.losses.len() < MAX_LOSSES
        {
            self.losses.push((cpu, first));
        }
    }

    /// A field, or the end; what cannot be read is remembered.
    fn known<'b>(
        &mut self,
        next: Result<Option<(u64, Value<'b>)>, Stop>,
    ) -> Option<(u64, Value<'b>)> {
        next.unwrap_or_else(|_| {
            self.partial = true;
            None
        })
    }

    /// The places of lost events by CPU, ascending.
    pub(crate) fn losses_by_cpu(&self) -> BTreeMap<u32, Vec<u64>> {
        let mut places: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for &(cpu, stamp) in &self.losses {
            places.entry(cpu).or_default().push(stamp);
        }
        for stamps in places.values_mut() {
            stamps.sort_unstable();
            stamps.dedup();
        }
        places
    }

    /// Returns the error of the trace as a sequence of packets, in a sentence.
    pub(crate) fn damage(&self) -> Option<String> {
        if self.ended {
            return Some("Something in the trace is not a packet: what follows was not searched for lost events.".to_owned());
        }
        let cut = !self.open.is_empty() || self.pass > 0;
        cut.then(|| "The trace ends within a packet, whose events are missing.".to_owned())
    }

    /// Returns whether bytes of an unfinished or invalid packet are left.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial || self.ended || !self.open.is_empty() || self.pass > 0
    }
}

/// Length of a packet's head, and of the packet.
fn head(bytes: &[u8]) -> Result<(usize, u64), Stop> {
    match bytes.split_first() {
        None => Err(Stop::Cut),
        Some((&PACKET, rest)) => varint(rest).map(|(length, size)| (1 + size, length)),
        Some(_) => Err(Stop::Broken),
    }
}

/// `FtraceEvent.timestamp`.
fn stamp(event: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(event);
    while let Ok(Some((field, value))) = fields.next() {
        if let (1, Value::Varint(stamp)) = (field, value) {
            return Some(stamp);
        }
    }
    None
}

/// Number of events in a `CompactSched`, and the first stamp: the stamps of switches and of wakings each begin with
/// a whole one.
fn compact_sched(compact: &[u8]) -> (u64, Option<u64>) {
    const SWITCH_TIMESTAMP: u64 = 1;
    const WAKING_TIMESTAMP: u64 = 7;
    let (mut events, mut first) = (0, None);
    let mut fields = Fields::new(compact);
    while let Ok(Some((field, value))) = fields.next() {
        if let (SWITCH_TIMESTAMP | WAKING_TIMESTAMP, Value::Bytes(stamps)) = (field, value) {
            events += stamps.iter().filter(|&&byte| byte < 0x80).count() as u64;
            if let Ok((stamp, _)) = varint(stamps) {
                first = Some(first.map_or(stamp, |first: u64| first.min(stamp)));
            }
        }
    }
    (events, first)
}
