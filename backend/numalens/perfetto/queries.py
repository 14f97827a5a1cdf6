"""SQL queries of the import. Tables and columns are those of Perfetto's trace processor, version 52.

All events of the import are in one view or table `numalens_event` (seq, name, ts, cpu, utid, arg_set_id), whose rows are ranked
by time. Names that only this import uses begin with `numalens_`.
"""

from typing import Final

SAMPLED: Final = 4096
"""First argument sets of an event that are looked at, to find out which arguments it has."""
SAMPLES: Final = 1024
"""Further argument sets looked at, spread over the whole trace."""

METADATA: Final = "select name, coalesce(str_value, int_value) from metadata where name is not null"
STATS: Final = "select name, idx, value, severity from stats where value != 0 and severity != 'info' order by name, idx limit 10000"
CLOCKS: Final = (
    "select ts, clock_name, clock_value from clock_snapshot where clock_name is not null and ts is not null"
    " order by ts limit 100000"
)
THREADS: Final = "select utid, tid from thread"
# The process of wprof's idle tasks, one thread per CPU (`TRACK_PID_IDLE`, src/emit.c).
WPROF_THREADS: Final = (
    "select utid, iif(process.pid = 2000000000, 0, tid) as tid from thread left join process using (upid)"
)
# A thread's first time is known where its fork is; the trace processor gives each task that has had a number its own row.
PROCESSES: Final = (
    "select tid, pid, thread.start_ts, thread.end_ts from thread join process using (upid) where tid > 0 and pid > 0"
)
MACHINES: Final = "select count(*) from machine"
CPUS: Final = "select coalesce(max(cpu), -1) + 1 from cpu where cpu is not null"
RAW_EVENTS: Final = "select name, count(*) from ftrace_event group by name order by name"
MADE_WAKINGS: Final = (
    "select count(*) from ftrace_event where name = 'sched_waking' and extract_arg(arg_set_id, 'success') = 0"
)
"""Wakeup requests that were not recorded: an export of NumaLens makes them from wakeups and marks them so; no kernel does."""
NO_WAITS: Final = (
    "select extract_arg(slice.arg_set_id, 'debug.known_by') from slice join track on track.id = slice.track_id"
    " join track as root on root.id = track.parent_id where root.name = 'NumaLens' and root.parent_id is null"
    " and track.name = 'Waits' and slice.name = 'not recorded'"
)
"""Reason for missing waits, as in an export of NumaLens; no row if they exist."""
LAST_ID: Final = "select id from ftrace_event order by id desc limit 1"
MADE_EVENTS: Final = "select name, count(*) from numalens_event where switch is not null group by name order by name"
SCHED_ROWS: Final = "select count(*) from sched"
SET_0_USERS: Final = "select name, count(*) from numalens_event where arg_set_id = 0 group by name order by name"
SET_0: Final = "select key, value_type from args where arg_set_id = 0 order by id"

WPROF_ROWS: Final = (
    "select count(*) from slice where category = 'ONCPU' and extract_arg(arg_set_id, 'debug.cpu') is not null"
)
"""Switches in the format of wprof (src/emit.c, `emit_switch`) without the option for events (`-e sched`)."""
_RUNS_OF_SCHED: Final = """
create perfetto view numalens_run as
select ts, cpu, utid, tid, thread.name as name, priority, end_state from sched left join thread using (utid);
"""
# Who ran is a slice on the thread's track. `waking_*` are names of before, and then the next slice says whether it was preempted.
_RUNS_OF_WPROF: Final = """
create perfetto table numalens_oncpu as
select ts, dur, cpu, utid, tid, name, waker_tid, waker_cpu, waking, ts - cast(round(delay_us * 1000) as int) as waking_ts,
  case when tid = 0 then null
    when coalesce(reason, iif(next_waking = 'preempted', next_waking, 'blocked')) = 'preempted' then 'R+'
    when coalesce(reason, next_waking) is not null then 'S' end as end_state
from (
  select *, lead(waking) over (partition by utid order by ts) as next_waking from (
    select slice.ts, slice.dur, cast(extract_arg(slice.arg_set_id, 'debug.cpu') as int) as cpu, thread.utid as utid,
      iif(process.pid = 2000000000, 0, thread.tid) as tid,
      iif(process.pid = 2000000000, 'swapper/' || extract_arg(slice.arg_set_id, 'debug.cpu'), slice.name) as name,
      extract_arg(slice.arg_set_id, 'debug.offcpu_reason') as reason,
      extract_arg(slice.arg_set_id, 'debug.waking_reason') as waking,
      extract_arg(slice.arg_set_id, 'debug.waking_delay_us') as delay_us,
      coalesce(extract_arg(slice.arg_set_id, 'debug.waker_tid'), extract_arg(slice.arg_set_id, 'debug.waking_by_tid')) as waker_tid,
      coalesce(extract_arg(slice.arg_set_id, 'debug.waker_cpu'), extract_arg(slice.arg_set_id, 'debug.waking_cpu')) as waker_cpu
    from slice join thread_track on thread_track.id = slice.track_id join thread using (utid) left join process using (upid)
    where slice.category = 'ONCPU'
  ) where cpu is not null
);
create perfetto table numalens_run as
select ts, cpu, utid, tid, name, 120 as priority, end_state from numalens_oncpu
union all
select ts + dur, cpu, null, 0, 'swapper/' || cpu, 120, null from (
  select ts, dur, cpu, lead(ts) over (partition by cpu order by ts) as next_ts from numalens_oncpu
) where dur >= 0 and next_ts > ts + dur;
create perfetto table numalens_wake as
select iif(waking = 'woken_new', 'sched_wakeup_new', 'sched_waking') as event, waking_ts as ts, waker_cpu as cpu,
  waker.utid as utid, name, numalens_oncpu.tid as tid, cpu as target_cpu
from numalens_oncpu left join (select tid, min(utid) as utid from numalens_oncpu group by tid) as waker on waker.tid = waker_tid
where waking in ('woken', 'woken_new') and waking_ts is not null and waker_cpu is not null;
"""
_SWITCHES: Final = """
create perfetto table numalens_switch as
select ts, cpu, prev_utid as utid, prev_tid, prev_name, prev_state, prev_priority, tid as next_tid, name as next_name,
  priority as next_priority from (
  select ts, cpu, tid, name, priority, lag(utid) over cpus as prev_utid, lag(tid) over cpus as prev_tid,
    lag(name) over cpus as prev_name, lag(end_state) over cpus as prev_state, lag(priority) over cpus as prev_priority
  from numalens_run window cpus as (partition by cpu order by ts)
) where prev_tid is not null order by ts;
"""
SWITCH_COLUMNS: Final = ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio")
# The letters are those of the trace processor's end_state, the numbers the kernel's since Linux 4.14
# (include/linux/sched.h TASK_REPORT; 256 is "still wants to run").
_STATE_BITS: Final = {"S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128}


def text(value: str) -> str:
    """`value` as an SQL text."""
    return "'" + value.replace("'", "''") + "'"


def plain_events() -> str:
    """The view for the usual trace: ranks are the ids themselves."""
    return "create perfetto view numalens_event as select id as seq, name, ts, cpu, utid, arg_set_id from ftrace_event"


def ranked_events(names: list[str], *, switches: bool, made: bool, wprof: bool = False) -> str:
    """The table for a trace with rows to leave out or with switches from `sched`: ranks are counted again.

    `made` leaves out wakeup requests that were not recorded; `wprof` takes switches and wakings from slices.
    """
    chosen = ", ".join(text(name) for name in names)
    events = f"select name, ts, cpu, utid, arg_set_id, null as switch from ftrace_event where name in ({chosen})"  # noqa: S608
    if made:
        events += " and not (name = 'sched_waking' and coalesce(extract_arg(arg_set_id, 'success'), 1) = 0)"
    more = ""
    if switches:
        events += " union all select 'sched_switch', ts, cpu, utid, null, _auto_id from numalens_switch"
        more = (_RUNS_OF_WPROF if wprof else _RUNS_OF_SCHED) + _SWITCHES
    if wprof:
        events += " union all select event, ts, cpu, utid, null, _auto_id from numalens_wake"
    return (
        f"{more}create perfetto table numalens_ranked as select * from ({events}) order by ts;"  # noqa: S608
        "create perfetto view numalens_event as select _auto_id as seq, * from numalens_ranked"
    )


def argument_kinds(name: str, rows: int) -> str:
    """The arguments of an event in their order: key, kind of value.

    Looks at the first sets and at rows from everywhere; all rows of an event have the same arguments in what Perfetto
    records, since they come from one format of the kernel.
    """
    step = max(rows // SAMPLES, 1)
    return (
        "select key, value_type from (select arg_set_id from ("  # noqa: S608
        f"select distinct arg_set_id from (select arg_set_id from numalens_event where name = {text(name)} limit {SAMPLED})"
        f" union select arg_set_id from numalens_event where name = {text(name)} and seq % {step} = 0"
        ") where arg_set_id is not null) cross join args using (arg_set_id)"
        " where arg_set_id != 0 group by key, value_type order by min(id - arg_set_id), key"
    )


def event_rows(name: str, keys: list[str], *, without_set_0: bool) -> str:
    """The rows of an event: seq, ts, cpu, utid, arguments; `without_set_0` takes rows of that set for rows without any."""
    args_of = "nullif(arg_set_id, 0)" if without_set_0 else "arg_set_id"
    columns = ["seq", "ts", "cpu", "utid", *(f"extract_arg({args_of}, {text(key)})" for key in keys)]
    return f"select {', '.join(columns)} from numalens_event where name = {text(name)} order by seq"  # noqa: S608


def switch_rows() -> str:
    """The rows of `sched_switch` made of `sched`: seq, ts, cpu, utid, SWITCH_COLUMNS."""
    bits = " + ".join(f"(instr(prev_state, {text(letter)}) > 0) * {bit}" for letter, bit in _STATE_BITS.items())
    return (
        "select e.seq, s.ts, s.cpu, s.utid, s.prev_name, s.prev_tid, s.prev_priority,"  # noqa: S608
        f" case when prev_state is null then 0 when prev_state = 'R+' then 256 else {bits} end,"
        " s.next_name, s.next_tid, s.next_priority"
        " from numalens_event e join numalens_switch s on s._auto_id = e.switch"
        " where e.name = 'sched_switch' order by e.seq"
    )


WAKE_COLUMNS: Final = ("comm", "pid", "prio", "target_cpu")


def wake_rows(name: str) -> str:
    """The rows of wakings out of wprof's slices: seq, ts, cpu, utid, WAKE_COLUMNS."""
    return (
        "select e.seq, w.ts, w.cpu, w.utid, w.name, w.tid, 120, w.target_cpu"  # noqa: S608
        f" from numalens_event e join numalens_wake w on w._auto_id = e.switch where e.name = {text(name)} order by e.seq"
    )
