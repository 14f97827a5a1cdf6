//! `lscpu -p`: comma-separated rows below a comment that names the columns, and `lscpu -e`: a table (util-linux, `sys-utils/lscpu.c`).

use numalens_columns::InputError;

use crate::builder::Builder;
use crate::cpu_list::number;
use crate::lines::{lines, quoted};
use crate::sharing::ByKey;
use crate::{Sharing, Topology};

/// Positions of the columns that matter.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    cpu: Option<usize>,
    node: Option<usize>,
    online: Option<usize>,
    core: Option<usize>,
    socket: Option<usize>,
    /// The column of the cache of the highest level, and its position among caches in one column, separated by colons.
    llc: Option<(usize, usize, u32)>,
}

impl Columns {
    fn of(names: &[&str]) -> Self {
        let mut columns = Self::default();
        for (at, name) in names.iter().enumerate() {
            match name.to_ascii_lowercase().as_str() {
                "cpu" => columns.cpu = Some(at),
                "node" => columns.node = Some(at),
                "online" => columns.online = Some(at),
                "core" => columns.core = Some(at),
                "socket" => columns.socket = Some(at),
                names => {
                    for (part, name) in names.split(':').enumerate() {
                        // "l1i" has instructions.
                        let level = name
                            .strip_prefix('l')
                            .map(|rest| rest.trim_end_matches('d'));
                        let level = level.and_then(|level| level.parse::<u32>().ok());
                        if let Some(level) = level
                            .filter(|level| columns.llc.is_none_or(|(_, _, best)| *level > best))
                        {
                            columns.llc = Some((at, part, level));
                        }
                    }
                }
            }
        }
        columns
    }
}

/// Separator of a row's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `0,0,0,1`, below a comment.
    Commas,
    /// A table with blanks.
    Blanks,
}

impl Style {
    fn fields(self, line: &str) -> Vec<&str> {
        match self {
            Self::Commas => line.split(',').map(str::trim).collect(),
            Self::Blanks => line.split_whitespace().collect(),
        }
    }
}

/// The columns of a line that names them, `CPU` among them.
fn header(line: &str) -> Option<(Style, Columns)> {
    if let Some(names) = line.strip_prefix('#') {
        let columns = Columns::of(&Style::Commas.fields(names));
        return (names.contains(',') && columns.cpu.is_some()).then_some((Style::Commas, columns));
    }
    let names = Style::Blanks.fields(line);
    let first = names.first()?;
    let columns = Columns::of(&names);
    let capital = |name: &&str| name.starts_with(|letter: char| letter.is_ascii_uppercase());
    let table = *first == "CPU" && names.iter().all(capital);
    let known = columns.node.or(columns.socket).or(columns.core).is_some();
    (table && known).then_some((Style::Blanks, columns))
}

/// Returns whether a line names the columns.
pub(crate) fn recognises(line: &str) -> bool {
    header(line).is_some()
}

/// Reads the rows. A CPU whose node is left empty is offline; when all are, the machine has no NUMA and its CPUs make
/// up node 0.
pub(crate) fn parse(bytes: &[u8]) -> Result<Topology, InputError> {
    let (mut style, mut columns) = (Style::Commas, Columns::default());
    let mut builder = Builder::default();
    let (mut cores, mut llcs) = (ByKey::default(), ByKey::default());
    let mut without_node = Vec::new();
    let mut placed = false;
    let mut last = 1;
    for line in lines(bytes) {
        if line.text.is_empty() {
            continue;
        }
        last = line.number;
        if let Some(header) = header(line.text) {
            (style, columns) = header;
            // A table leaves out the column of a machine without NUMA.
            if columns.node.is_none() && style == Style::Commas {
                return Err(InputError::at_line(
                    line.number,
                    "a column \"Node\"",
                    quoted(line.text),
                ));
            }
            continue;
        }
        if line.text.starts_with('#') {
            continue;
        }
        let Some(cpu_at) = columns.cpu else {
            return Err(InputError::at_line(
                line.number,
                "a comment that names the columns first",
                quoted(line.text),
            ));
        };
        let fields = style.fields(line.text);
        let node = columns.node.map_or(Some(&""), |at| fields.get(at));
        let (Some(&cpu), Some(&node)) = (fields.get(cpu_at), node) else {
            let wanted = cpu_at.max(columns.node.unwrap_or(0)) + 1;
            return Err(InputError::at_line(
                line.number,
                format!("at least {wanted} fields"),
                quoted(line.text),
            ));
        };
        let cpu = number(cpu, line.number, "a CPU number")?;
        let offline = columns
            .online
            .and_then(|at| fields.get(at))
            .is_some_and(|online| {
                online.eq_ignore_ascii_case("n") || online.eq_ignore_ascii_case("no")
            });
        if offline {
            continue;
        }
        let cell = |at: usize| {
            let cell = fields.get(at).copied().unwrap_or_default();
            Some(cell).filter(|cell| !cell.is_empty() && *cell != "-")
        };
        if let Some(core) = columns.core.and_then(cell) {
            // The number of a core may be that of another socket's, too.
            let socket = columns.socket.and_then(cell).unwrap_or_default();
            cores.add(format!("{socket},{core}"), cpu);
        }
        if let Some((at, part, _)) = columns.llc
            && let Some(cache) = cell(at).and_then(|cell| cell.split(':').nth(part))
            && !cache.is_empty()
        {
            llcs.add(cache.to_owned(), cpu);
        }
        if node.is_empty() || node == "-" {
            without_node.push((cpu, line.number));
        } else {
            builder.cpu(
                number(node, line.number, "a node number")?,
                cpu,
                line.number,
            )?;
            placed = true;
        }
    }
    if !placed {
        for (cpu, line) in without_node {
            builder.cpu(0, cpu, line)?;
        }
    }
    Ok(Topology {
        sharing: Sharing {
            cores: cores.groups(),
            llcs: llcs.groups(),
            ..Sharing::default()
        },
        ..builder.finish(last)?
    })
}
