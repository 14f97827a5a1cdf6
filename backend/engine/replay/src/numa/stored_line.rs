//! The cling kernel's lines: how each is printed, and where its values lie in the lines' file.

use numalens_core::logs::table;

use super::line::Fields;
use super::{GroupChange, Site};

table! {
    /// A row of `numa/lines.arrow`: every number in the column that fits it best.
    #[derive(Default)]
    StoredLine, LineColumns, ts_ns, {
        ts_ns: u64,
        f: u64,
        t: u64,
        q: u64,
        a: u64,
        b: u64,
        cpu: u32,
        grp: u32,
        current: i32,
        gid: i32,
        pid: i32,
        nid: i32,
        dnid: i32,
        busiest_nid: i32,
        nr_tasks: i32,
        /// Kind of line.
        line: u8,
        /// Word in the line.
        word: u8,
    }
}

/// A value that a column holds.
trait Stored<C>: Sized {
    fn pack(self) -> C;
    /// `None` for a value that no version wrote.
    fn unpack(stored: C) -> Option<Self>;
}

macro_rules! stored {
    ($($value:ty, $column:ty: |$from:ident| $pack:expr, |$to:ident| $unpack:expr;)+) => {
        $(impl Stored<$column> for $value {
            #[inline]
            fn pack(self) -> $column {
                let $from = self;
                $pack
            }

            #[inline]
            fn unpack($to: $column) -> Option<Self> {
                $unpack
            }
        })+
    };
}

stored! {
    u64, u64: |value| value, |stored| Some(stored);
    u32, u64: |value| u64::from(value), |stored| Some(stored as u32);
    u32, u32: |value| value, |stored| Some(stored);
    i32, i32: |value| value, |stored| Some(stored);
    bool, u8: |value| u8::from(value), |stored| Some(stored != 0);
    Site, u8: |value| value as u8, |stored| Self::ALL.get(usize::from(stored)).copied();
    GroupChange, u8: |value| value as u8, |stored| Self::ALL.get(usize::from(stored)).copied();
}

/// Puts a value into its place in a row.
macro_rules! put {
    ($row:ident, $value:ident, $column:ident) => {
        $row.$column = $value.pack()
    };
    ($row:ident, $value:ident, $column:ident & $mask:literal) => {
        $row.$column |= Stored::<u8>::pack($value)
    };
    ($row:ident, $value:ident, $column:ident >> $shift:literal & $mask:literal) => {
        $row.$column |= Stored::<u8>::pack($value) << $shift
    };
    ($row:ident, $value:ident, $column:ident if $known:ident) => {
        ($row.$known, $row.$column) = (u8::from($value.is_some()), $value.unwrap_or(-1))
    };
}

/// Takes a value from its place in a row.
macro_rules! get {
    ($row:ident, $column:ident if $known:ident) => {
        ($row.$known != 0).then_some($row.$column)
    };
    ($row:ident, $($place:tt)+) => {
        Stored::unpack($row.$($place)+)?
    };
}

/// Declares the lines: number in the file and first words of each. A value has a name, a type, a method of [`Fields`] that reads
/// it from the text, and a place in the row.
macro_rules! lines {
    ($(#[$about:meta])* $name:ident, $($(#[$doc:meta])* $line:ident = $number:literal, [$($word:literal),*] $({
        $($field:ident: $type:ty = $read:ident($($arg:expr),*) in [$($place:tt)+],)+
    })?)+) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$doc])* $line $({ $($field: $type),+ })?,)+
        }

        impl $name {
            /// The line of these words and values; `None` when they are of none.
            pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
                $(
                    let words: &[&[u8]] = &[$($word),*];
                    if words.contains(&fields.word) {
                        return Some(Self::$line $({ $($field: fields.$read($($arg),*)?),+ })?);
                    }
                )+
                None
            }
        }

        impl StoredLine {
            pub(super) fn pack(ts_ns: u64, cpu: u32, current: i32, line: &$name) -> Self {
                let mut row = Self { ts_ns, cpu, current, ..Self::default() };
                match *line {
                    $($name::$line $({ $($field),+ })? => {
                        row.line = $number;
                        $($(put!(row, $field, $($place)+);)+)?
                    })+
                }
                row
            }

            /// `None` when there is no such line.
            pub(super) fn unpack(&self) -> Option<$name> {
                Some(match self.line {
                    $($number => $name::$line $({ $($field: get!(self, $($place)+)),+ })?,)+
                    _ => return None,
                })
            }
        }
    };
}

lines! {
    /// A line that the cling kernel printed. `grp` is the serial number of the group object (never used again; 0 for a group
    /// formed by faults), `gid` its current id; numbers are as printed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[allow(missing_docs)]
    ClingLine,
    Enable = 0, [b"enable"] {
        cgroup_id: u64 = number("cgroup_id") in [a],
        degree: u32 = number("degree") in [f],
        scan_period_max_ms: u32 = number("scan_period_max") in [t],
        hz: u32 = number("hz") in [q],
        jiffies: u64 = number("jiffies") in [b],
        grp: u32 = number("grp") in [grp],
    }
    Disable = 1, [b"disable"] {
        gid: i32 = number("gid") in [gid],
        nr_tasks: i32 = number("nr_tasks") in [nr_tasks],
        cgroup_id: u64 = number("cgroup_id") in [a],
        grp: u32 = number("grp") in [grp],
    }
    /// `join`, else `leave`.
    Member = 2, [b"join", b"leave"] {
        join: bool = is("join") in [word >> 7 & 1],
        gid: i32 = number("gid") in [gid],
        pid: i32 = number("pid") in [pid],
        kind: GroupChange = named("kind", &GroupChange::ALL, GroupChange::name) in [word & 0x7f],
        nr_tasks: i32 = number("nr_tasks") in [nr_tasks],
        grp: u32 = number("grp") in [grp],
    }
    MigrateStat = 3, [b"migrate_stat"] {
        gid: i32 = number("gid") in [gid],
        pid: i32 = number("pid") in [pid],
        nid: i32 = number("nid") in [nid],
        failed: bool = flag("failed") in [word],
        f: u64 = number("F") in [f],
        t: u64 = number("T") in [t],
        q: u64 = number("Q") in [q],
        busiest_nid: i32 = number("busiest_nid") in [busiest_nid],
        grp: u32 = number("grp") in [grp],
    }
    Timer = 4, [b"timer"] {
        gid: i32 = number("gid") in [gid],
        nid: i32 = number("nid") in [nid],
        f: u64 = number("F") in [f],
        t: u64 = number("T") in [t],
        q: u64 = number("Q") in [q],
        busiest_nid: i32 = number("busiest_nid") in [busiest_nid],
        grp: u32 = number("grp") in [grp],
    }
    TimerEnd = 5, [b"timer_end"] {
        gid: i32 = number("gid") in [gid],
        busiest_nid: i32 = number("busiest_nid") in [busiest_nid],
        nr_tasks: i32 = number("nr_tasks") in [nr_tasks],
        degree: u32 = number("degree") in [f],
        period: u64 = number("period") in [a],
        jiffies: u64 = number("jiffies") in [b],
        grp: u32 = number("grp") in [grp],
    }
    /// `busy`: the verdict is that the node is busy, else that the task clings.
    Decision = 6, [b"decision"] {
        site: Site = named("site", &Site::ALL, Site::name) in [word >> 1 & 3],
        pid: i32 = number("pid") in [pid],
        snid: i32 = number("snid") in [nid],
        dnid: i32 = number("dnid") in [dnid],
        busy: bool = either("verdict", "busy", "cling") in [word & 1],
        gid: i32 = number("gid") in [gid],
        f: u64 = number("F") in [f],
        t: u64 = number("T") in [t],
        q: u64 = number("Q") in [q],
        busiest_nid: i32 = number("busiest_nid") in [busiest_nid],
        grp: u32 = number("grp") in [grp],
    }
    PausePrefer = 7, [b"pause_prefer"] {
        gid: i32 = number("gid") in [gid],
        pid: i32 = number("pid") in [pid],
        nid: i32 = number("nid") in [nid],
        f: u64 = number("F") in [f],
        t: u64 = number("T") in [t],
        q: u64 = number("Q") in [q],
        group_faults: u64 = number("group_faults") in [a],
        max_faults: u64 = number("max_faults") in [b],
        grp: u32 = number("grp") in [grp],
    }
    /// `src_busy`: memory may leave, else the destination is busy and it may not come.
    Memory = 8, [b"mem"] {
        gid: i32 = number("gid") in [gid],
        pid: i32 = number("pid") in [pid],
        snid: i32 = number("snid") in [nid],
        dnid: i32 = number("dnid") in [dnid],
        src_busy: bool = either("verdict", "src_busy", "dst_busy") in [word],
        grp: u32 = number("grp") in [grp],
    }
    Show = 9, [b"show"] {
        gid: i32 = number("gid") in [gid],
        nid: i32 = number("nid") in [nid],
        f: u64 = number("F") in [f],
        t: u64 = number("T") in [t],
        q: u64 = number("Q") in [q],
        busiest_nid: i32 = number("busiest_nid") in [busiest_nid],
        nr_tasks: i32 = number("nr_tasks") in [nr_tasks],
        grp: u32 = number("grp") in [grp],
    }
    /// By a line or by a probe on `sched_setnuma`; `old` is `None` where the probe does not print it.
    Setnuma = 10, [b"setnuma"] {
        pid: i32 = number("pid") in [pid],
        old: Option<i32> = optional("old") in [dnid if word],
        new: i32 = number("new") in [nid],
    }
    /// A probe on the timer's callback: that one ran, of whichever group. No line says so.
    TimerRan = 11, []
}
