//! The table of the moments at which pressure was aggregated.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt8Array, UInt32Array, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use numalens_core::EngineError;
use numalens_core::bounds::LATEST_NS;
use numalens_core::columns::{u8s, u32s, u64s};
use numalens_core::ipc::IpcFile;

use super::{Instant, InstantKind};

/// Writes the instants as an Arrow IPC file: `ts_ns` u64, `group` u32, `kind` u8 (0 read, 1 worker).
///
/// # Errors
/// The writer failed.
pub fn write_instants<W: Write>(instants: &[Instant], out: W) -> Result<W, EngineError> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("ts_ns", DataType::UInt64, false),
        Field::new("group", DataType::UInt32, false),
        Field::new("kind", DataType::UInt8, false),
    ]));
    let mut writer = FileWriter::try_new(out, &schema)?;
    let rows = || instants.iter();
    writer.write(&RecordBatch::try_new(
        schema,
        vec![
            Arc::new(UInt64Array::from_iter_values(rows().map(|row| row.ts_ns))),
            Arc::new(UInt32Array::from_iter_values(rows().map(|row| row.group))),
            Arc::new(UInt8Array::from_iter_values(rows().map(
                |row| match row.kind {
                    InstantKind::Read => 0,
                    InstantKind::Worker => 1,
                },
            ))),
        ],
    )?)?;
    Ok(writer.into_inner()?)
}

/// Reads them back; there are `groups` cgroups, the root among them.
///
/// # Errors
/// The bytes are not such a file.
pub fn open_instants(bytes: Buffer, groups: u32) -> Result<Vec<Instant>, EngineError> {
    let mut instants = Vec::new();
    for batch in IpcFile::open(bytes, None)?.into_batches() {
        let batch = batch?;
        let (Some(times), Some(groups_of), Some(kinds)) = (
            u64s(&batch, "ts_ns"),
            u32s(&batch, "group"),
            u8s(&batch, "kind"),
        ) else {
            return Err(EngineError::Damaged(
                "its instants have no time, group or kind".to_owned(),
            ));
        };
        if times.iter().any(|&ts_ns| ts_ns >= LATEST_NS) || groups_of.iter().any(|&at| at >= groups)
        {
            return Err(EngineError::Damaged(
                "its instants have an unknown time or cgroup".to_owned(),
            ));
        }
        let rows = times.iter().zip(groups_of.iter()).zip(kinds.iter());
        instants.extend(rows.map(|((&ts_ns, &group), &kind)| Instant {
            ts_ns,
            group,
            kind: if kind == 1 {
                InstantKind::Worker
            } else {
                InstantKind::Read
            },
        }));
    }
    Ok(instants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_come_back() {
        let instants = [
            Instant {
                ts_ns: 7,
                group: 0,
                kind: InstantKind::Worker,
            },
            Instant {
                ts_ns: 9,
                group: 3,
                kind: InstantKind::Read,
            },
        ];
        let bytes = write_instants(&instants, Vec::new()).unwrap();
        assert_eq!(
            open_instants(Buffer::from_vec(bytes.clone()), 4).unwrap(),
            instants
        );
        assert!(open_instants(Buffer::from_vec(bytes), 3).is_err());
        assert!(open_instants(Buffer::from_vec(vec![0_u8; 20]), 4).is_err());
    }
}
