//! What holds for every reader.

use numalens_columns::{DecodeError, InputError, Place, Skipped};

/// The size of an input in both units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    bytes: u64,
    lines: u64,
}

impl Extent {
    pub(crate) fn of(data: &[u8]) -> Self {
        Self {
            bytes: data.len() as u64,
            lines: data.split(|&byte| byte == b'\n').count() as u64,
        }
    }

    /// An error stands within the input, or right after it.
    pub(crate) fn error(self, error: &InputError) {
        let within = match error.place {
            Place::Byte(byte) => byte <= self.bytes,
            Place::Line(line) => line >= 1 && line <= self.lines + 1,
        };
        assert!(within, "{self:?} does not hold the place of: {error}");
        assert!(!error.expected.is_empty() && !error.found.is_empty());
        assert!(!error.to_string().contains('\n'), "one sentence: {error}");
    }

    /// Reading ended because of the input, not because of the reader.
    pub(crate) fn ended(self, error: &DecodeError) {
        match error {
            DecodeError::Input(error) => self.error(error),
            DecodeError::Sink(error) => assert!(
                error.0 == ENOUGH,
                "the sink did not refuse, but the reader says {error}"
            ),
            DecodeError::Columns(why) => assert!(why.is_empty(), "a defect: {why}"),
        }
    }

    /// A part that was left out has a place, a length and a reason.
    pub(crate) fn skipped(self, part: &Skipped) {
        let range = &part.range;
        let within = match part.unit {
            "byte" => range.end <= self.bytes.max(1),
            "line" => range.start >= 1 && range.end <= self.lines + 2,
            _ => false,
        };
        assert!(range.start < range.end && within, "{self:?}: {part:?}");
        assert!(!part.why.is_empty() && !part.why.contains('\n'), "{part:?}");
    }

    /// The same where only a tolerant reading leaves parts out, and sums up when they become too many; `before` have
    /// been reported.
    pub(crate) fn left_out(self, part: &Skipped, tolerant: bool, before: &mut u64) {
        assert!(tolerant, "a strict reading leaves nothing out: {part:?}");
        *before += 1;
        assert!(*before <= 10_001, "very many parts are summed up");
        self.skipped(part);
    }
}

/// What a sink says that takes no more.
pub(crate) const ENOUGH: &str = "enough";

/// Progress never runs backwards nor beyond its end.
pub(crate) struct Progress(u64);

impl Progress {
    pub(crate) fn new() -> Self {
        Self(0)
    }

    pub(crate) fn at(&mut self, done: u64, total: u64) {
        assert!(
            done >= self.0 && done <= total,
            "{done} of {total} after {}",
            self.0
        );
        self.0 = done;
    }
}
