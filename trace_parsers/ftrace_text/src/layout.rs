//! Finding out how a text is laid out: by its header, else by its first lines.

use crate::flags::{FlagColumn, column_of};
use crate::line::{Form, Layout, Tasks};
use crate::lines::{Line, Lines};
use crate::records::{Cut, Record, Records};

/// Number of inspected bytes of a text.
pub(crate) const HEAD: usize = 1 << 16;
/// Number of inspected lines.
const LINES: usize = 64;

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Text of tracefs or of `trace-cmd report`.
    Ftrace,
    /// Text of `perf script`.
    PerfScript,
    /// Text of `babeltrace2`, of `LTTng`'s kernel events.
    Lttng,
}

/// Returns the kind of trace text with this start; `None` for other text. At most 64 KiB are inspected.
#[must_use]
pub fn sniff(head: &[u8]) -> Option<TextKind> {
    let whole = head.len() < HEAD;
    let head = &head[..head.len().min(HEAD)];
    let form = find(head, whole)?.form;
    Some(match form {
        Form::Perf => TextKind::PerfScript,
        Form::Lttng => TextKind::Lttng,
        Form::Bracket | Form::Latency | Form::Graph => TextKind::Ftrace,
    })
}

/// Returns the layout of a text with this start; `None` for other text. If the text continues after `head`, the last line is
/// left out.
pub(crate) fn find(head: &[u8], whole: bool) -> Option<Layout> {
    let end = if whole {
        head.len()
    } else {
        head.iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1)
    };
    let head = &head[..end.min(HEAD)];
    let header = Header::read(head);
    let forms: &[Form] = match header {
        Header {
            form: Some(Form::Graph),
            ..
        } => &[Form::Graph],
        Header { form: Some(_), .. } => &[Form::Latency],
        Header { tracefs: true, .. } => &[Form::Bracket],
        Header { perf: true, .. } => &[Form::Perf],
        _ => &[
            Form::Bracket,
            Form::Perf,
            Form::Latency,
            Form::Lttng,
            Form::Graph,
        ],
    };
    let best = forms
        .iter()
        .map(|&form| header.layout(form))
        .filter_map(|layout| first_lines(head, layout));
    // Where lines fit two forms equally the first one counts.
    let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let best = best.map(|(_, layout)| layout);
    // A recording without events has a header alone. perf's header alone is what `--header-only` prints, which is no
    // recording; on a machine with many CPUs it may fill the whole head, and events follow.
    best.or_else(|| {
        (header.tracefs || (header.perf && !whole))
            .then(|| header.layout(forms[0]))
            .filter(|layout| only_notes(head, layout))
    })
}

/// Number of first lines that fit the layout, and the layout with their facts. `None` unless the first record, or the one
/// after the rest of a cut one, is an event or a mark, and few lines are neither.
fn first_lines(head: &[u8], mut layout: Layout) -> Option<(usize, Layout)> {
    let (mut fits, mut unfit, mut cut) = (0, 0, Cut::default());
    let (mut flags, mut tgid, mut pid) = (false, false, false);
    let records = Records::new(head, 0, 0, &layout);
    for record in records
        .filter(|record| !matches!(record, Record::Note(_)))
        .take(LINES)
    {
        if cut.is_rest(&record) {
            continue;
        }
        match record {
            Record::Event(event) => {
                fits += 1;
                flags |= event.head.flags.is_some();
                tgid |= event.head.tgid.is_some();
                pid |= event.head.known_pid;
            }
            Record::Unfit(_) => unfit += 1,
            Record::Lost { .. } | Record::Note(_) => {}
        }
        if fits == 0 && unfit > 0 {
            return None;
        }
    }
    layout.flags = flags;
    layout.tasks = Tasks { pid, tgid };
    (fits > 0 && fits >= unfit).then_some((fits, layout))
}

fn only_notes(head: &[u8], layout: &Layout) -> bool {
    Records::new(head, 0, 0, layout).all(|record| matches!(record, Record::Note(_)))
}

/// Information in the comment lines about the columns.
#[derive(Debug, Default)]
struct Header {
    tracefs: bool,
    perf: bool,
    /// The form that it names, of the function graph or of the latency format.
    form: Option<Form>,
    flag_columns: Vec<FlagColumn>,
}

impl Header {
    fn read(head: &[u8]) -> Self {
        let mut header = Self::default();
        let lines = Lines::new(head, 0, 0);
        for line in lines
            .take_while(|line| line.text.is_empty() || line.text.starts_with(b"#"))
            .take(10_000)
        {
            header.line(line);
        }
        header
    }

    fn line(&mut self, line: Line<'_>) {
        let text = String::from_utf8_lossy(line.text);
        self.tracefs |= text.starts_with("# tracer: ");
        if text.trim_end() == "# tracer: function_graph" {
            self.form = Some(Form::Graph);
        } else if text.contains(" latency trace v") {
            self.form.get_or_insert(Form::Latency);
        }
        self.perf |= text.starts_with("# captured on") || text.starts_with("# perf version");
        // "#  / _----=> need-resched" names one letter; the word follows the arrow.
        if let Some((_, label)) = text.split_once("=> ")
            && let Some(column) = column_of(label.trim())
        {
            self.flag_columns.push(column);
        }
    }

    fn layout(&self, form: Form) -> Layout {
        let mut layout = Layout::new(form);
        layout.prefixes = !self.tracefs && !matches!(form, Form::Perf | Form::Lttng);
        if !self.flag_columns.is_empty() {
            layout.flag_columns.clone_from(&self.flag_columns);
        }
        layout
    }
}
