//! Callchains as the kernel records them: addresses, the innermost first, between marks of whose they are
//! (`include/uapi/linux/perf_event.h`, `enum perf_callchain_context`).

/// Frames of a stack that are kept, the innermost: kernels give at most 127 unless configured otherwise
/// (`kernel.perf_event_max_stack`), and a record has room for 8,000.
pub const MOST_DEPTH: usize = 1024;

/// The smallest number that is a mark (`PERF_CONTEXT_MAX`).
const FIRST_MARK: u64 = 4095_u64.wrapping_neg();
const KERNEL: u64 = 128_u64.wrapping_neg();
const USER: u64 = 512_u64.wrapping_neg();
const USER_DEFERRED: u64 = 640_u64.wrapping_neg();

/// Origin of the following addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// The kernel's.
    Kernel,
    /// The process's.
    User,
    /// A guest's or the hypervisor's, of which a recording has no mappings.
    Other,
}

/// The frames of a recorded callchain, and whether there were more than [`MOST_DEPTH`]. Before the first mark, an address of the
/// upper half is the kernel's, as on all machines whose chains come without.
pub fn chain_of(addresses: &[u64], frames: &mut Vec<(Context, u64)>) -> bool {
    frames.clear();
    let mut context = None;
    for &address in addresses {
        if address >= FIRST_MARK {
            context = Some(match address {
                KERNEL => Context::Kernel,
                USER | USER_DEFERRED => Context::User,
                _ => Context::Other,
            });
            continue;
        }
        if frames.len() == MOST_DEPTH {
            return true;
        }
        let usual = if address >> 63 == 1 {
            Context::Kernel
        } else {
            Context::User
        };
        frames.push((context.unwrap_or(usual), address));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_say_whose_addresses_follow() {
        let mut frames = Vec::new();
        let guest = 2048_u64.wrapping_neg();
        let chain = [KERNEL, 5, 6, USER, 7, u64::MAX - 9, 8, guest, 9];
        assert!(!chain_of(&chain, &mut frames));
        let kernel = [(Context::Kernel, 5), (Context::Kernel, 6)];
        let rest = [(Context::User, 7), (Context::Other, 8), (Context::Other, 9)];
        assert_eq!(frames, [&kernel[..], &rest].concat());
        assert!(!chain_of(&[1 << 63, 3], &mut frames));
        assert_eq!(frames, [(Context::Kernel, 1 << 63), (Context::User, 3)]);
        assert!(!chain_of(&[KERNEL, USER], &mut frames) && frames.is_empty());
        // The marks do not count.
        let mut deep = vec![USER; 10];
        deep.extend(1..=MOST_DEPTH as u64);
        assert!(!chain_of(&deep, &mut frames));
        deep.push(0);
        assert!(chain_of(&deep, &mut frames));
        assert_eq!(
            (frames.len(), frames[0].1, frames[MOST_DEPTH - 1].1),
            (MOST_DEPTH, 1, MOST_DEPTH as u64)
        );
    }
}
