//! Page layout, event formats and saved task names: the same texts in both file versions.

use numalens_columns::InputError;
use numalens_event_format::{EventFormat, FieldFormat};

use crate::cursor::Cursor;

/// Longest name of an event system, bytes.
const MAX_SYSTEM: usize = 4096;
/// Longest header or format text, bytes.
const MAX_TEXT: u64 = 16 << 20;

/// Layout of a sub-buffer's head, from `events/header_page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageHeader {
    pub(crate) timestamp: usize,
    pub(crate) commit: usize,
    /// Size of the commit word: the kernel's `long`.
    pub(crate) long_size: u8,
    pub(crate) data: usize,
}

impl PageHeader {
    /// The layout that every kernel since 2.6.31 has, for recordings without the text.
    pub(crate) fn usual(long_size: u8) -> Self {
        Self {
            timestamp: 0,
            commit: 8,
            long_size,
            data: 8 + usize::from(long_size),
        }
    }
}

/// One event format and its system.
#[derive(Debug, Clone)]
pub(crate) struct SystemFormat {
    pub(crate) system: String,
    pub(crate) format: EventFormat,
}

/// Everything that is needed to decode records.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub(crate) header: Option<PageHeader>,
    pub(crate) formats: Vec<SystemFormat>,
    pub(crate) comms: Vec<(i32, String)>,
    pub(crate) notes: Vec<String>,
}

impl Metadata {
    pub(crate) fn header_info(
        &mut self,
        data: &mut Cursor<'_>,
        long_size: u8,
    ) -> Result<(), InputError> {
        data.expect(b"header_page\0", "the mark \"header_page\"")?;
        let here = data.clone();
        let page = sized_text(data, "the page header's description")?;
        self.header = Some(
            page_header(page, long_size)
                .map_err(|expected| here.error(expected, "another text"))?,
        );
        data.expect(b"header_event\0", "the mark \"header_event\"")?;
        sized_text(data, "the event header's description")?;
        Ok(())
    }

    pub(crate) fn ftrace_formats(&mut self, data: &mut Cursor<'_>) -> Result<(), InputError> {
        let count = data.u32("the number of ftrace formats")?;
        for _ in 0..count {
            let text = sized_text(data, "an ftrace event's format")?;
            self.add("ftrace", text);
        }
        Ok(())
    }

    pub(crate) fn event_formats(&mut self, data: &mut Cursor<'_>) -> Result<(), InputError> {
        let systems = data.u32("the number of event systems")?;
        for _ in 0..systems {
            let system = data.string(MAX_SYSTEM, "an event system's name")?;
            let count = data.u32("the number of a system's events")?;
            for _ in 0..count {
                let text = sized_text(data, "an event's format")?;
                self.add(&system, text);
            }
        }
        Ok(())
    }

    /// `pid comm` lines of `saved_cmdlines`.
    pub(crate) fn saved_comms(&mut self, data: &mut Cursor<'_>) -> Result<(), InputError> {
        let text = sized_text(data, "the saved task names")?;
        for line in String::from_utf8_lossy(text).lines() {
            let Some((pid, comm)) = line.split_once(' ') else {
                continue;
            };
            if let Ok(pid) = pid.trim().parse() {
                self.comms
                    .push((pid, comm.trim_end_matches('\0').to_owned()));
            }
        }
        Ok(())
    }

    /// A format that cannot be read costs its own events their columns, not the recording.
    fn add(&mut self, system: &str, text: &[u8]) {
        match EventFormat::parse(text) {
            Ok(format) => self.formats.push(SystemFormat {
                system: system.to_owned(),
                format,
            }),
            Err(expected) => self.notes.push(format!(
                "a format of system {system} was left out: expected {expected}"
            )),
        }
    }
}

/// A 64-bit size and as many bytes.
fn sized_text<'a>(data: &mut Cursor<'a>, what: &str) -> Result<&'a [u8], InputError> {
    let here = data.clone();
    let size = data.u64(&format!("the size of {what}"))?;
    if size > MAX_TEXT {
        return Err(here.error(
            format!("{what} of at most {MAX_TEXT} bytes"),
            format!("one that says {size}"),
        ));
    }
    data.take(size, what)
}

/// Reads `events/header_page`; without a text the usual layout.
pub(crate) fn page_header(text: &[u8], long_size: u8) -> Result<PageHeader, String> {
    let text = String::from_utf8_lossy(text);
    let mut header = PageHeader::usual(long_size);
    if text.trim().is_empty() {
        return Ok(header);
    }
    let mut seen = 0;
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("field:"))
    {
        // The size of the data is the sub-buffer's, which may be more than any event's field.
        let sizeless = line.split_once("size:").filter(|_| line.contains(" data;"));
        let field = match sizeless {
            Some((head, _)) => FieldFormat::parse(&format!("{head}size:0;"))?,
            None => FieldFormat::parse(line)?,
        };
        match field.name.as_str() {
            "timestamp" if field.size == 8 => header.timestamp = field.offset,
            "commit" if matches!(field.size, 4 | 8) => {
                header.commit = field.offset;
                header.long_size = field.size as u8;
            }
            "data" => header.data = field.offset,
            _ => continue,
        }
        seen += 1;
    }
    if seen < 3 || header.data > 4096 || header.commit > 4096 || header.timestamp > 4096 {
        return Err(
            "a page header with an 8-byte timestamp, a 4 or 8-byte commit and data".to_owned(),
        );
    }
    Ok(header)
}
