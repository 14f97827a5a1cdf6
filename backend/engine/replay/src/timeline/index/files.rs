//! The columns of a table's file.

use std::collections::HashMap;

use numalens_core::EngineError;
use numalens_core::ipc::{Bytes, IpcFile};
use numalens_core::logs::Columns;

use super::damaged;

/// The batches as columns of a table, and the schema's metadata.
pub(super) fn open<C: Columns>(
    bytes: &Bytes,
) -> Result<(Vec<C>, HashMap<String, String>), EngineError> {
    let file = IpcFile::open(bytes.clone(), None)?;
    let metadata = file.metadata();
    let mut columns = Vec::with_capacity(file.batches());
    for batch in file.into_batches() {
        columns.push(C::open(&batch?).ok_or_else(|| damaged("a table has other columns"))?);
    }
    Ok((columns, metadata))
}
