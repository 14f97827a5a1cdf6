//! The logs' rows as they lie in their files.

use numalens_core::logs::table;

use super::{Attempt, Partner, TargetFrom, Verdict};

table! {
    /// A row of `numa/attempts.arrow`.
    StoredAttempt, AttemptColumns, start_ns, {
        start_ns: u64,
        end_ns: u64,
        cpu: u32,
        pid: i32,
        tgid: i32,
        ngid: i32,
        src_cpu: i32,
        src_nid: i32,
        dst_cpu: i32,
        dst_nid: i32,
        partner_pid: i32,
        partner_tgid: i32,
        partner_ngid: i32,
        target_nid: i32,
        ret: i32,
        verdict: u8,
        target_from: u8,
        /// 1: `partner_*` are known; 2: `ret` is known.
        present: u8,
    }
}

const PARTNER: u8 = 1;
const RET: u8 = 2;

impl StoredAttempt {
    pub(super) fn pack(attempt: &Attempt) -> Self {
        let partner = attempt.partner.unwrap_or(Partner {
            pid: 0,
            tgid: 0,
            ngid: 0,
        });
        let flag = |is: bool, bit| if is { bit } else { 0 };
        Self {
            start_ns: attempt.start_ns,
            end_ns: attempt.end_ns,
            cpu: attempt.cpu,
            pid: attempt.pid,
            tgid: attempt.tgid,
            ngid: attempt.ngid,
            src_cpu: attempt.src_cpu,
            src_nid: attempt.src_nid,
            dst_cpu: attempt.dst_cpu,
            dst_nid: attempt.dst_nid,
            partner_pid: partner.pid,
            partner_tgid: partner.tgid,
            partner_ngid: partner.ngid,
            target_nid: attempt.target_nid,
            ret: attempt.ret.unwrap_or(0),
            verdict: attempt.verdict as u8,
            target_from: attempt.target_from as u8,
            present: flag(attempt.partner.is_some(), PARTNER) | flag(attempt.ret.is_some(), RET),
        }
    }

    pub(super) fn unpack(self) -> Attempt {
        Attempt {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            cpu: self.cpu,
            pid: self.pid,
            tgid: self.tgid,
            ngid: self.ngid,
            src_cpu: self.src_cpu,
            src_nid: self.src_nid,
            dst_cpu: self.dst_cpu,
            dst_nid: self.dst_nid,
            partner: (self.present & PARTNER != 0).then_some(Partner {
                pid: self.partner_pid,
                tgid: self.partner_tgid,
                ngid: self.partner_ngid,
            }),
            verdict: *Verdict::ALL
                .get(usize::from(self.verdict))
                .unwrap_or(&Verdict::Unknown),
            target_nid: self.target_nid,
            target_from: *TargetFrom::ALL
                .get(usize::from(self.target_from))
                .unwrap_or(&TargetFrom::Unknown),
            ret: (self.present & RET != 0).then_some(self.ret),
        }
    }
}
