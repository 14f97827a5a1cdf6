//! Block devices: how long their requests waited in a queue, and how long the device took for them.

use std::collections::{BTreeMap, HashMap};

use arrow_array::RecordBatch;
use numalens_core::columns::{i64s, u64s};
use serde::Serialize;

/// Activity of one block device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Device {
    /// Number, `MAJOR:MINOR`.
    pub number: String,
    /// Requests that were completed.
    pub requests: usize,
    /// Time from queue to issue of all of them, ns; `None` if no event has the time of queueing.
    pub queue_ns: Option<u64>,
    /// Time from issue to completion of all of them, ns.
    pub service_ns: u64,
    /// Longest time from issue to completion, ns.
    pub longest_service_ns: u64,
}

/// A request that was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Completed {
    device: u32,
    queued_ns: Option<u64>,
    issued_ns: u64,
    ended_ns: u64,
}

/// Moment of a request: device, sector, time, and which event.
type Moment = (u32, i64, u64, u8);

const QUEUED: u8 = 0;
const INSERTED: u8 = 1;
const ISSUED: u8 = 2;
const COMPLETED: u8 = 3;

/// The requests of block devices.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    moments: Vec<Moment>,
    completed: Vec<Completed>,
}

/// Number of a device as `/proc/partitions` and `lsblk` have it (`MAJOR`, `MINOR` of `include/linux/kdev_t.h`).
pub(crate) fn shown(device: u32) -> String {
    format!("{}:{}", device >> 20, device & 0xf_ffff)
}

impl Requests {
    /// Returns whether events of a name are about requests.
    pub(crate) fn reads(event: &str) -> bool {
        Self::step(event).is_some()
    }

    fn step(event: &str) -> Option<u8> {
        Some(match event {
            "block_bio_queue" => QUEUED,
            "block_rq_insert" => INSERTED,
            "block_rq_issue" => ISSUED,
            "block_rq_complete" => COMPLETED,
            _ => return None,
        })
    }

    /// Takes the rows of a batch.
    pub(crate) fn observe(&mut self, event: &str, batch: &RecordBatch) {
        let (Some(step), Some(times), Some(devices), Some(sectors)) = (
            Self::step(event),
            u64s(batch, "ts_ns"),
            i64s(batch, "dev"),
            i64s(batch, "sector"),
        ) else {
            return;
        };
        let rows = times.iter().zip(devices.iter()).zip(sectors.iter());
        self.moments
            .extend(rows.map(|((&ts_ns, &device), &sector)| (device as u32, sector, ts_ns, step)));
    }

    /// Joins the moments of each request; all batches have been taken.
    pub(crate) fn sort(&mut self) {
        let mut moments = std::mem::take(&mut self.moments);
        moments.sort_unstable_by_key(|moment| (moment.2, moment.3));
        let mut begun: HashMap<(u32, i64), (Option<u64>, Option<u64>)> = HashMap::new();
        for (device, sector, ts_ns, step) in moments {
            let request = begun.entry((device, sector)).or_default();
            match step {
                // An earlier one was merged into another request, whose sector is not its own.
                QUEUED => request.0 = Some(ts_ns),
                // A request is inserted after its bio was queued.
                INSERTED => request.0 = request.0.or(Some(ts_ns)),
                ISSUED => request.1 = Some(ts_ns),
                _ => {
                    let (queued_ns, issued_ns) = *request;
                    begun.remove(&(device, sector));
                    if let Some(issued_ns) = issued_ns {
                        self.completed.push(Completed {
                            device,
                            queued_ns,
                            issued_ns,
                            ended_ns: ts_ns,
                        });
                    }
                }
            }
        }
    }

    /// Returns what the devices did, by the requests that were completed in a window; the one with most time first.
    pub(crate) fn devices(&self, from_ns: u64, to_ns: u64) -> Vec<Device> {
        let first = self.completed.partition_point(|it| it.ended_ns < from_ns);
        let inside = self.completed[first..].iter();
        let inside = inside.take_while(|it| it.ended_ns <= to_ns);
        let mut devices: BTreeMap<u32, Device> = BTreeMap::new();
        for request in inside {
            let device = devices.entry(request.device).or_insert_with(|| Device {
                number: shown(request.device),
                requests: 0,
                queue_ns: None,
                service_ns: 0,
                longest_service_ns: 0,
            });
            let service_ns = request.ended_ns - request.issued_ns;
            device.requests += 1;
            device.service_ns += service_ns;
            device.longest_service_ns = device.longest_service_ns.max(service_ns);
            if let Some(queued_ns) = request.queued_ns {
                let queue_ns = request.issued_ns.saturating_sub(queued_ns);
                *device.queue_ns.get_or_insert(0) += queue_ns;
            }
        }
        let mut devices: Vec<Device> = devices.into_values().collect();
        devices.sort_by_key(|it| std::cmp::Reverse(it.service_ns + it.queue_ns.unwrap_or(0)));
        devices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_service_are_apart() {
        let mut requests = Requests {
            moments: vec![
                // It was merged into a request that began at an earlier sector.
                (8 << 20, 100, 100, QUEUED),
                (8 << 20, 100, 1_000, QUEUED),
                (8 << 20, 100, 1_500, INSERTED),
                (8 << 20, 100, 4_000, ISSUED),
                (8 << 20, 100, 5_000, COMPLETED),
                // The same sector again, of which only the issue is known.
                (8 << 20, 100, 6_000, ISSUED),
                (8 << 20, 100, 6_300, COMPLETED),
                // Completed without an issue: it began before the recording.
                (8 << 20, 200, 7_000, COMPLETED),
            ],
            completed: Vec::new(),
        };
        requests.sort();
        let devices = requests.devices(0, 10_000);
        assert_eq!(
            devices,
            [Device {
                number: "8:0".to_owned(),
                requests: 2,
                queue_ns: Some(3_000),
                service_ns: 1_300,
                longest_service_ns: 1_000,
            }]
        );
        assert_eq!(requests.devices(0, 5_500)[0].requests, 1);
        assert_eq!(requests.devices(7_000, 9_000), []);
    }
}
