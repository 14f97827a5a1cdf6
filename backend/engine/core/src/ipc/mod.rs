//! Arrow IPC files read batch by batch from wherever their bytes are.

pub(crate) mod extent;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::StreamWriter;
use arrow_ipc::{Block, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

pub use self::extent::{BatchExtent, BatchWriter};
use crate::bounds::Bounds;

/// The batches as an Arrow IPC stream.
///
/// # Errors
///
/// A batch is an error, or has another schema.
pub fn stream<E: From<ArrowError>>(
    schema: &Schema,
    batches: impl IntoIterator<Item = Result<RecordBatch, E>>,
) -> Result<Vec<u8>, E> {
    let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    Ok(writer.into_inner()?)
}

/// The bytes of a file. For bytes that are mapped, parts of them are given without a copy.
pub trait Storage {
    /// Returns the number of bytes.
    fn len(&self) -> usize;

    /// Returns whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a range that lies inside.
    ///
    /// # Errors
    /// They could not be read.
    fn read(&self, range: Range<usize>) -> std::io::Result<Buffer>;
}

impl Storage for Buffer {
    fn len(&self) -> usize {
        self.len()
    }

    fn read(&self, range: Range<usize>) -> std::io::Result<Buffer> {
        Ok(self.slice_with_length(range.start, range.len()))
    }
}

/// A file's bytes, wherever they are: shared by those who read it.
#[derive(Clone)]
pub struct Bytes {
    storage: Arc<dyn Storage + Send + Sync>,
    bounds: Bounds,
}

impl Bytes {
    /// Takes the bytes.
    pub fn new(storage: impl Storage + Send + Sync + 'static) -> Self {
        Self {
            storage: Arc::new(storage),
            bounds: Bounds::default(),
        }
    }

    /// The same bytes, whose rows name no more things than these.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }
}

impl From<Buffer> for Bytes {
    fn from(bytes: Buffer) -> Self {
        Self::new(bytes)
    }
}

impl Storage for Bytes {
    fn len(&self) -> usize {
        self.storage.len()
    }

    fn read(&self, range: Range<usize>) -> std::io::Result<Buffer> {
        self.storage.read(range)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Bytes").field(&self.len()).finish()
    }
}

/// Length of an IPC file's end: the footer's length and the magic.
const TRAILER: usize = 10;

/// Content of an IPC file's footer: with it, a file that was open before can be opened again without a read.
#[derive(Debug)]
pub struct Footer {
    schema: SchemaRef,
    version: MetadataVersion,
    blocks: Vec<Range<usize>>,
    headers: Vec<Block>,
    /// Width of the values in each buffer of a batch, bytes.
    widths: Vec<u64>,
    extents: Option<Vec<BatchExtent>>,
}

impl Footer {
    /// Reads it.
    ///
    /// # Errors
    /// The bytes are not an IPC file or could not be read.
    pub fn read(storage: &impl Storage) -> Result<Self, ArrowError> {
        let end = storage
            .len()
            .checked_sub(TRAILER)
            .ok_or_else(|| cut("it is too short"))?;
        let trailer = storage.read(end..storage.len())?;
        let trailer: [u8; TRAILER] = trailer
            .as_slice()
            .try_into()
            .map_err(|_| cut("it is too short"))?;
        let start = end
            .checked_sub(read_footer_length(trailer).map_err(unsound)?)
            .ok_or_else(|| cut("its footer is too long"))?;
        let footer = storage.read(start..end)?;
        let footer = root_as_footer(&footer).map_err(|error| cut(&error.to_string()))?;
        let schema = Arc::new(
            try_fb_to_schema(footer.schema().ok_or_else(|| cut("it has no schema"))?)
                .map_err(unsound)?,
        );
        let mut widths = Vec::new();
        for field in schema.fields() {
            buffers_of(field.data_type(), &mut widths)
                .ok_or_else(|| cut("it has a column of an unsupported type"))?;
        }
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut headers = Vec::new();
        for block in footer.recordBatches().into_iter().flatten() {
            let range = range(block, start).ok_or_else(|| cut("a batch lies outside the file"))?;
            // Else a small file could have as many rows as it likes.
            if blocks.last().is_some_and(|last| range.start < last.end) {
                return Err(cut("its batches overlap"));
            }
            blocks.push(range);
            headers.push(*block);
        }
        let extents = extent::stored(&footer, blocks.len());
        let mut said = extents.iter().flatten().zip(&blocks);
        if !said.all(|(extent, block)| extent.rows <= most_rows(block.len())) {
            return Err(cut("a batch has more rows than fit into it"));
        }
        Ok(Self {
            schema,
            version: footer.version(),
            extents,
            blocks,
            headers,
            widths,
        })
    }

    /// The schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The extent of each batch; `None` for files whose rows have no times that ascend.
    #[must_use]
    pub fn extents(&self) -> Option<&[BatchExtent]> {
        self.extents.as_deref()
    }
}

/// An IPC file whose batches are read when requested.
#[derive(Debug)]
pub struct IpcFile<S> {
    storage: S,
    decoder: FileDecoder,
    footer: Arc<Footer>,
}

impl<S: Storage> IpcFile<S> {
    /// Reads the footer. With `columns`, batches have only these columns, as far as they exist, in the file's order.
    ///
    /// # Errors
    /// The bytes are not an IPC file or could not be read.
    pub fn open(storage: S, columns: Option<&[&str]>) -> Result<Self, ArrowError> {
        let footer = Arc::new(Footer::read(&storage)?);
        Ok(Self::with(storage, footer, columns))
    }

    /// As [`IpcFile::open`], with a footer that was read before.
    #[must_use]
    pub fn with(storage: S, footer: Arc<Footer>, columns: Option<&[&str]>) -> Self {
        let mut decoder = FileDecoder::new(Arc::clone(&footer.schema), footer.version);
        if let Some(columns) = columns {
            let wanted = |name: &str| columns.contains(&name);
            let fields = footer.schema.fields().iter().enumerate();
            decoder = decoder.with_projection(
                fields
                    .filter(|(_, field)| wanted(field.name()))
                    .map(|(at, _)| at)
                    .collect(),
            );
        }
        Self {
            storage,
            decoder,
            footer,
        }
    }

    /// Returns the file's footer.
    #[must_use]
    pub fn footer(&self) -> &Arc<Footer> {
        &self.footer
    }

    /// The schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.footer.schema
    }

    /// The schema's metadata.
    #[must_use]
    pub fn metadata(&self) -> HashMap<String, String> {
        self.schema().metadata().clone().into()
    }

    /// Returns the number of batches.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.footer.blocks.len()
    }

    /// The batch at a place below [`IpcFile::batches`].
    ///
    /// # Errors
    /// It could not be read or does not hold together.
    pub fn batch(&self, at: usize) -> Result<RecordBatch, ArrowError> {
        let Footer {
            blocks,
            headers,
            widths,
            ..
        } = &*self.footer;
        let (Some(range), Some(block)) = (blocks.get(at), headers.get(at)) else {
            return Err(cut("there is no such batch"));
        };
        let bytes = self.storage.read(range.clone())?;
        check(block, &bytes, widths)?;
        self.decoder
            .read_record_batch(block, &bytes)
            .map_err(unsound)?
            .ok_or_else(|| cut("a batch is missing"))
    }

    /// All batches in order.
    pub fn into_batches(self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
        (0..self.batches()).map(move |at| self.batch(at))
    }
}

/// Appends how wide the values of each buffer of a column are; `None` for a kind that is written nowhere here.
fn buffers_of(kind: &DataType, widths: &mut Vec<u64>) -> Option<()> {
    // Which values are valid, and booleans, are bits.
    widths.push(1);
    match kind {
        DataType::Boolean => widths.push(1),
        DataType::Utf8 | DataType::Binary => widths.extend([4, 1]),
        DataType::List(items) => {
            widths.push(4);
            buffers_of(items.data_type(), widths)?;
        }
        DataType::FixedSizeList(items, _) => buffers_of(items.data_type(), widths)?,
        other => widths.push(other.primitive_width()? as u64),
    }
    Some(())
}

/// The decoder takes it for granted that a batch's buffers lie inside of its bytes and are of whole values; a damaged file's
/// may not be.
fn check(block: &Block, bytes: &[u8], widths: &[u64]) -> Result<(), ArrowError> {
    const CONTINUATION: [u8; 4] = [0xff; 4];
    let header = bytes.get(..block.metaDataLength() as usize);
    let header = header.ok_or_else(|| cut("a batch's header is too long"))?;
    let message = match header.strip_prefix(&CONTINUATION) {
        Some(rest) => rest.get(4..),
        None => header.get(4..),
    };
    let message = root_as_message(message.ok_or_else(|| cut("a batch's header is too short"))?)
        .map_err(|error| cut(&error.to_string()))?;
    let batch = message
        .header_as_record_batch()
        .ok_or_else(|| cut("a batch's header is of something else"))?;
    let body = (bytes.len() - header.len()) as u64;
    let inside = |offset: i64, len: i64| {
        let (offset, len) = (u64::try_from(offset).ok(), u64::try_from(len).ok());
        let end = offset.zip(len).and_then(|(at, len)| at.checked_add(len));
        end.is_some_and(|end| end <= body)
    };
    let buffers = batch.buffers().into_iter().flatten();
    let mut buffers = buffers.zip(widths);
    let mut nodes = batch.nodes().into_iter().flatten();
    let sound = buffers.all(|(buffer, width)| {
        inside(buffer.offset(), buffer.length()) && (buffer.length() as u64).is_multiple_of(*width)
    }) && nodes.all(|node| (0..=node.length()).contains(&node.null_count()))
        && u64::try_from(batch.length()).is_ok_and(|rows| rows <= most_rows(body as usize));
    if sound && batch.compression().is_none() {
        return Ok(());
    }
    Err(cut("a batch's parts lie outside the file"))
}

/// Maximum number of rows in a number of bytes: the smallest value has a bit.
fn most_rows(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(8)
}

fn range(block: &Block, end: usize) -> Option<Range<usize>> {
    let start = usize::try_from(block.offset()).ok()?;
    let len = usize::try_from(block.metaDataLength())
        .ok()?
        .checked_add(usize::try_from(block.bodyLength()).ok()?)?;
    let stop = start.checked_add(len)?;
    (stop <= end).then_some(start..stop)
}

/// Error of Arrow about a file, as one of a file.
fn unsound(error: ArrowError) -> ArrowError {
    match error {
        error @ (ArrowError::IpcError(_) | ArrowError::IoError(..)) => error,
        other => cut(&other.to_string()),
    }
}

fn cut(why: &str) -> ArrowError {
    ArrowError::IpcError(format!("not a whole Arrow IPC file: {why}"))
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{ListBuilder, UInt64Builder};
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, StringArray};

    use super::*;

    const ROWS: usize = 250;

    fn written(columns: &[(&str, ArrayRef)]) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns.iter().cloned()).expect("a batch");
        let mut writer = BatchWriter::new(Vec::new(), batch.schema_ref()).expect("a writer");
        writer.write_unordered(&batch).expect("it is written");
        writer.finish().expect("a file")
    }

    fn read(bytes: Vec<u8>) -> Result<RecordBatch, String> {
        let file = IpcFile::open(Buffer::from(bytes), None).map_err(|error| error.to_string())?;
        file.batch(0).map_err(|error| error.to_string())
    }

    /// The file with each number that says how long the offsets are made `by` larger.
    fn lengthened(file: &[u8], by: i64) -> Vec<u8> {
        let length = (ROWS as i64 + 1) * 4;
        let mut changed = file.to_vec();
        let places: Vec<usize> = (0..file.len() - 8)
            .filter(|&at| file[at..at + 8] == length.to_le_bytes())
            .collect();
        assert!(!places.is_empty());
        for at in places {
            changed[at..at + 8].copy_from_slice(&(length + by).to_le_bytes());
        }
        changed
    }

    #[test]
    fn offsets_are_whole() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"; ROWS]));
        let mut lists = ListBuilder::new(UInt64Builder::new());
        for _ in 0..ROWS {
            lists.append_value([Some(1)]);
        }
        let lists: ArrayRef = Arc::new(lists.finish());
        for column in [texts, lists] {
            let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true; ROWS]));
            let file = written(&[("flags", flags), ("column", Arc::clone(&column))]);
            let found = read(lengthened(&file, 0)).expect("the batch");
            assert_eq!(found.column(1), &column);
            for by in [-1, 1, 2, 3] {
                let error = read(lengthened(&file, by)).expect_err("parts of an offset");
                assert!(error.contains("not a whole Arrow IPC file"), "{error}");
            }
        }
    }

    #[test]
    fn columns_are_of_kinds_that_tables_have() {
        let words: DictionaryArray<Int32Type> = ["a"; ROWS].into_iter().collect();
        let error = read(written(&[("words", Arc::new(words))])).expect_err("no such kind");
        assert!(error.contains("a column of an unsupported type"), "{error}");
    }
}
