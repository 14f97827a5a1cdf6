//! The columns that every event has in front of its own, and the callchain after them.

use numalens_columns::{Column, ColumnType};

use crate::bytes::{hexadecimal, skip_blanks, trim_end};
use crate::columns::Rows;
use crate::event_name::PERF;
use crate::line::{Form, Head, Layout, Tasks};
use crate::loose::Syntax;

/// Fields of a row besides its event's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    pub(crate) ts_ns: u64,
    pub(crate) cpu: u32,
    pub(crate) seq: u64,
    pub(crate) buffer: u8,
    pub(crate) pid: i32,
    pub(crate) tgid: i32,
    pub(crate) flags: (u8, u8),
    pub(crate) period: u64,
}

impl Common {
    pub(crate) fn new(head: &Head<'_>, seq: u64, buffer: u8) -> Self {
        Self {
            ts_ns: head.ts_ns,
            cpu: head.cpu,
            seq,
            buffer,
            pid: head.pid,
            tgid: head.tgid.unwrap_or(-1),
            flags: head.flags.unwrap_or_default(),
            period: head.period.unwrap_or(0),
        }
    }
}

/// Owner of the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    /// A tracepoint: the record's common fields.
    Kernel,
    /// perf's own: `tid` and `pid`, and the period where it is shown.
    Perf { period: bool },
}

/// Presence of these columns in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Front {
    flags: bool,
    tasks: Tasks,
    own: Own,
    chains: bool,
    syntax: Syntax,
}

impl Front {
    pub(crate) fn new(layout: &Layout, system: &[u8], period: bool, chains: bool) -> Self {
        let perf = layout.form == Form::Perf && system == PERF;
        Self {
            flags: layout.flags,
            tasks: layout.tasks,
            own: if perf {
                Own::Perf { period }
            } else {
                Own::Kernel
            },
            chains,
            syntax: match layout.form {
                Form::Lttng => Syntax::Lttng,
                _ if perf => Syntax::Perf,
                _ => Syntax::Ftrace,
            },
        }
    }

    /// Returns the syntax of an event's details.
    pub(crate) fn syntax(self) -> Syntax {
        self.syntax
    }

    /// The table is of one of perf's own events.
    pub(crate) fn is_perf(self) -> bool {
        self.own != Own::Kernel
    }

    fn shows_period(self) -> bool {
        self.own == Own::Perf { period: true }
    }

    /// The columns before the event's own.
    pub(crate) fn columns(self) -> Vec<Column> {
        let flags = [
            ("unsigned char common_flags", ColumnType::UInt(1)),
            ("unsigned char common_preempt_count", ColumnType::UInt(1)),
        ];
        let (tgid, pid) = if self.is_perf() {
            ("s32 pid", "s32 tid")
        } else {
            ("int common_tgid", "int common_pid")
        };
        let flags = flags.into_iter().filter(|_| self.flags);
        let tasks = [
            (pid, ColumnType::Int(4), self.tasks.pid),
            (tgid, ColumnType::Int(4), self.tasks.tgid),
        ];
        let tasks = tasks
            .into_iter()
            .filter(|task| task.2)
            .map(|(ctype, ty, _)| (ctype, ty));
        let period = self
            .shows_period()
            .then_some(("u64 period", ColumnType::UInt(8)));
        flags
            .chain(tasks)
            .chain(period)
            .map(|(ctype, ty)| column(ctype, ty))
            .collect()
    }

    /// The columns after the event's own.
    pub(crate) fn columns_behind(self) -> Vec<Column> {
        let chain = [
            ("u64 ips[nr]", ColumnType::List(false, 8)),
            ("char[] callchain_symbols", ColumnType::Text),
        ];
        let chain = chain
            .into_iter()
            .filter(|_| self.chains)
            .map(|(ctype, ty)| column(ctype, ty));
        chain
            .map(|column| {
                if column.name == "ips[nr]" {
                    Column {
                        name: "callchain".to_owned(),
                        ..column
                    }
                } else {
                    column
                }
            })
            .collect()
    }

    /// Writes the columns in front; gives the index of the first own column.
    #[inline]
    pub(crate) fn write(self, rows: &mut Rows, common: &Common) -> usize {
        rows.bits(0, common.ts_ns);
        rows.bits(1, u64::from(common.cpu));
        rows.bits(2, common.seq);
        rows.bits(3, u64::from(common.buffer));
        let period = self.shows_period();
        let mut at = 4;
        let mut next = |show: bool, bits: u64| {
            if show {
                rows.bits(at, bits);
                at += 1;
            }
        };
        next(self.flags, u64::from(common.flags.0));
        next(self.flags, u64::from(common.flags.1));
        next(self.tasks.pid, common.pid as u64);
        next(self.tasks.tgid, common.tgid as u64);
        next(period, common.period);
        at
    }

    /// Writes the callchain from column `at` on and ends the row; true when a batch should be taken.
    #[inline]
    pub(crate) fn end(self, rows: &mut Rows, at: usize, chain: &[u8]) -> bool {
        if self.chains {
            let frames = || {
                chain
                    .split(|&byte| byte == b'\n')
                    .map(frame)
                    .filter(|(_, symbol)| !symbol.is_empty())
            };
            rows.list(at, frames().filter_map(|(address, _)| address));
            let symbols: Vec<&[u8]> = frames().map(|(_, symbol)| symbol).collect();
            rows.text(at + 1, &symbols.join(&b';'));
        }
        rows.end_row()
    }
}

/// A frame's address, and its symbol with the file: `\tffffffff813af60a update_se+0x13a ([kernel.kallsyms])`.
fn frame(line: &[u8]) -> (Option<u64>, &[u8]) {
    let start = skip_blanks(line, 0);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match hexadecimal(line, start) {
        Some((address, end)) if matches!(line.get(end), None | Some(b' ')) => {
            let symbol = trim_end(&line[skip_blanks(line, end)..]);
            (
                Some(address),
                if symbol.is_empty() {
                    trim_end(&line[start..])
                } else {
                    symbol
                },
            )
        }
        _ => (None, trim_end(line.get(start..).unwrap_or_default())),
    }
}

fn column(ctype: &str, ty: ColumnType) -> Column {
    let name = ctype.rsplit(' ').next().unwrap_or_default();
    Column {
        name: name.to_owned(),
        ty,
        ctype: ctype.to_owned(),
    }
}
