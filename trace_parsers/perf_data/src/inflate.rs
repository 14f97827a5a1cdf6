//! Inflating compressed records.

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// Most bytes that one compressed record may inflate to. perf compresses one CPU's ring buffer at a time and cuts the
/// result into records of at most 64 KiB.
const MOST: usize = 32 << 20;
/// First size of the output, bytes.
const FIRST: usize = 256 << 10;

/// One recording's stream of compressed records. perf never ends the frame, so each record continues the last one.
#[derive(Default)]
pub(crate) struct Inflater {
    decoder: Option<Decoder<'static>>,
    /// Size of the output next time.
    size: usize,
}

impl Inflater {
    /// Appends the inflated bytes of a record, or returns the content found instead of zstd data.
    pub(crate) fn inflate(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let damaged = |error: std::io::Error| format!("damaged data ({error})");
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            None => self.decoder.insert(Decoder::new().map_err(damaged)?),
        };
        let start = out.len();
        let mut input = InBuffer::around(data);
        let mut room = self.size.max(FIRST);
        loop {
            if out.len() - start >= MOST {
                self.decoder = None;
                return Err(format!(
                    "more than {MOST} bytes in {} compressed ones",
                    data.len()
                ));
            }
            out.reserve(room);
            let before = out.len();
            let full = out.capacity();
            let mut output = OutBuffer::around_pos(out, before);
            let run = decoder.run(&mut input, &mut output);
            if let Err(error) = run {
                self.decoder = None;
                return Err(damaged(error));
            }
            if input.pos() == data.len() && out.len() < full {
                break;
            }
            if out.len() == before && input.pos() == data.len() {
                break;
            }
            room = room.max(out.len() - start);
        }
        self.size = self
            .size
            .max((out.len() - start).next_power_of_two().min(MOST));
        Ok(())
    }
}
