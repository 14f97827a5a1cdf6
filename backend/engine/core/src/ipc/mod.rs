//! Arrow IPC files read batch by batch from wherever their bytes are.

mod extent;

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
use arrow_schema::{ArrowError, Schema, SchemaRef};

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
    /// How many bytes there are.
    fn len(&self) -> usize;

    /// Whether there are none.
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

/// What an IPC file's end says of it: with it, a file that was open before can be opened without being read.
#[derive(Debug)]
pub struct Footer {
    schema: SchemaRef,
    version: MetadataVersion,
    blocks: Vec<Range<usize>>,
    headers: Vec<Block>,
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
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut headers = Vec::new();
        for block in footer.recordBatches().into_iter().flatten() {
            let range = range(block, start).ok_or_else(|| cut("a batch lies outside of it"))?;
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
        })
    }

    /// The schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The extent of each batch; `None` for files of earlier versions.
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

    /// As [`IpcFile::open`], with the footer of before.
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

    /// What the file's end says.
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

    /// How many batches there are.
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
            blocks, headers, ..
        } = &*self.footer;
        let (Some(range), Some(block)) = (blocks.get(at), headers.get(at)) else {
            return Err(cut("there is no such batch"));
        };
        let bytes = self.storage.read(range.clone())?;
        check(block, &bytes)?;
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

/// The decoder takes it for granted that a batch's buffers lie inside of its bytes; a damaged file's may not.
fn check(block: &Block, bytes: &[u8]) -> Result<(), ArrowError> {
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
    let mut buffers = batch.buffers().into_iter().flatten();
    let mut nodes = batch.nodes().into_iter().flatten();
    let sound = buffers.all(|buffer| inside(buffer.offset(), buffer.length()))
        && nodes.all(|node| (0..=node.length()).contains(&node.null_count()))
        && u64::try_from(batch.length()).is_ok_and(|rows| rows <= most_rows(body as usize));
    if sound && batch.compression().is_none() {
        return Ok(());
    }
    Err(cut("a batch's parts lie outside of it"))
}

/// How many rows can be in so many bytes: the smallest value has a bit.
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

/// What Arrow has against a file, as one of a file.
fn unsound(error: ArrowError) -> ArrowError {
    match error {
        error @ (ArrowError::IpcError(_) | ArrowError::IoError(..)) => error,
        other => cut(&other.to_string()),
    }
}

fn cut(why: &str) -> ArrowError {
    ArrowError::IpcError(format!("not a whole Arrow IPC file: {why}"))
}
