//! Bits of a kick (`kernel/sched/sched.h`).

/// Balance (`NOHZ_BALANCE_KICK`).
pub const BALANCE: u32 = 1;
/// Update blocked load (`NOHZ_STATS_KICK`).
pub const STATS: u32 = 2;
/// Update blocked load before going idle (`NOHZ_NEWILB_KICK`, since 5.14); not a kick.
pub const NEWILB: u32 = 4;
/// Update `next_balance` (`NOHZ_NEXT_KICK`, since 5.17).
pub const NEXT: u32 = 8;
/// The bits that are kicks (`NOHZ_KICK_MASK`).
pub const KICKS: u32 = BALANCE | STATS | NEXT;
