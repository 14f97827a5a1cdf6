//! Packets one after the other, and what a trace says first.

use crate::wire::{bytes, length, nested, number};

const PACKET: u32 = 1;
const SEQUENCE_ID: u32 = 10;
const SEQUENCE_FLAGS: u32 = 13;
const STATE_CLEARED: u64 = 1;
const FIRST_ON_SEQUENCE: u32 = 87;
const PROCESS_TREE: u32 = 2;
const CLOCK_SNAPSHOT: u32 = 6;
const SYSTEM_INFO: u32 = 45;
const CPU_INFO: u32 = 67;
/// Perfetto's `BuiltinClock`.
const REALTIME: u64 = 1;
const BOOTTIME: u64 = 6;
/// Threads of one packet.
const THREADS: usize = 4096;

/// The clock of all stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// `CLOCK_BOOTTIME`, or a clock that Perfetto has no name for.
    Boot,
    /// `CLOCK_MONOTONIC`.
    Mono,
    /// `CLOCK_MONOTONIC_RAW`.
    MonoRaw,
}

impl Clock {
    fn number(self) -> u64 {
        match self {
            Self::Boot => BOOTTIME,
            Self::Mono => 3,
            Self::MonoRaw => 5,
        }
    }
}

/// A thread and its name.
#[derive(Debug, Clone, Copy)]
pub struct Thread<'a> {
    /// Pid, as in the kernel's events.
    pub tid: i32,
    /// Process, if known.
    pub tgid: Option<i32>,
    /// Comm.
    pub name: &'a str,
}

/// Writes the start of every packet.
fn begin(out: &mut Vec<u8>, first: bool) {
    number(out, SEQUENCE_ID, 1);
    if first {
        number(out, SEQUENCE_FLAGS, STATE_CLEARED);
        number(out, FIRST_ON_SEQUENCE, 1);
    }
}

/// A trace that is being written. Bytes that were taken out with [`Trace::take`] are final.
#[derive(Debug, Default)]
pub struct Trace {
    out: Vec<u8>,
    begun: bool,
}

impl Trace {
    /// A trace without packets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes that were not taken yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.out.len()
    }

    /// Takes what is written so far, whole packets.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Passes on the packets that are written so far, and keeps the buffer for the next ones.
    ///
    /// # Errors
    ///
    /// The error of `out`; the bytes are lost then.
    pub fn hand_on<E>(&mut self, out: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let done = out(&self.out);
        self.out.clear();
        done
    }

    pub(crate) fn packet(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let first = self.is_first();
        nested(&mut self.out, PACKET, |out| {
            begin(out, first);
            write(out);
        });
    }

    /// A packet of one long message, `head` and then `body`: written where it stays, since all lengths are known.
    pub(crate) fn long_packet(&mut self, field: u32, head: &[u8], body: &[u8]) {
        let mut around = Vec::with_capacity(32);
        begin(&mut around, self.is_first());
        length(&mut around, field, head.len() + body.len());
        around.extend_from_slice(head);
        length(&mut self.out, PACKET, around.len() + body.len());
        self.out.extend_from_slice(&around);
        self.out.extend_from_slice(body);
    }

    fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// Says which clock the stamps are of, at the moment `at_ns`, and what `CLOCK_REALTIME` said then.
    ///
    /// Perfetto takes the stamps of events for `CLOCK_BOOTTIME`. For another clock the snapshot says that both read the same, so
    /// that its tables show the recording's own stamps.
    pub fn clocks(&mut self, clock: Clock, at_ns: u64, real_ns: Option<u64>) {
        let mut readings = vec![(BOOTTIME, at_ns)];
        if clock != Clock::Boot {
            readings.push((clock.number(), at_ns));
        }
        readings.extend(real_ns.map(|real| (REALTIME, real)));
        self.packet(|out| {
            nested(out, CLOCK_SNAPSHOT, |out| {
                for (clock, at) in readings {
                    nested(out, 1, |out| {
                        number(out, 1, clock);
                        number(out, 2, at);
                    });
                }
                number(out, 2, clock.number());
            });
        });
    }

    /// The kernel's release and the machine's architecture, where they are known, and the number of CPUs.
    pub fn system(&mut self, release: Option<&str>, machine: Option<&str>, cpus: u32) {
        self.packet(|out| {
            nested(out, SYSTEM_INFO, |out| {
                nested(out, 1, |out| {
                    bytes(out, 1, b"Linux");
                    if let Some(release) = release {
                        bytes(out, 3, release.as_bytes());
                    }
                    if let Some(machine) = machine {
                        bytes(out, 4, machine.as_bytes());
                    }
                });
                number(out, 8, u64::from(cpus));
            });
        });
    }

    /// Adds a description of each CPU from 0 on: Perfetto has no nodes, so they are put here.
    pub fn cpus<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        self.packet(|out| {
            nested(out, CPU_INFO, |out| {
                for words in words {
                    nested(out, 1, |out| bytes(out, 1, words.as_bytes()));
                }
            });
        });
    }

    /// Names of threads. A process is described where a thread is known to be its first.
    pub fn threads(&mut self, threads: &[Thread<'_>]) {
        for some in threads.chunks(THREADS) {
            self.packet(|out| {
                nested(out, PROCESS_TREE, |out| {
                    for thread in some.iter().filter(|it| it.tgid == Some(it.tid)) {
                        nested(out, 1, |out| {
                            number(out, 1, thread.tid as u64);
                            bytes(out, 3, thread.name.as_bytes());
                        });
                    }
                    for thread in some {
                        nested(out, 2, |out| {
                            number(out, 1, thread.tid as u64);
                            bytes(out, 2, thread.name.as_bytes());
                            if let Some(tgid) = thread.tgid {
                                number(out, 3, tgid as u64);
                            }
                        });
                    }
                });
            });
        }
    }
}
