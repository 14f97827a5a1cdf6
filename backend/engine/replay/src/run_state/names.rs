//! Names of tasks, and conclusions from them.

/// Longest name that a kernel gives (`TASK_COMM_LEN` is 16, with the end).
const LONGEST: usize = 16;

/// A name in place; longer ones, which no kernel gives, are not kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    bytes: [u8; LONGEST],
    /// First and last eight bytes as numbers, for a quick comparison; they overlap.
    ends: [u64; 2],
    len: u8,
}

/// First and last eight bytes of a name that has as many.
#[inline]
fn ends(name: &[u8]) -> Option<[u64; 2]> {
    let (first, last) = (name.first_chunk()?, name.last_chunk()?);
    Some([u64::from_le_bytes(*first), u64::from_le_bytes(*last)])
}

impl Short {
    pub(super) const EMPTY: Self = Self {
        bytes: [0; LONGEST],
        ends: [0; 2],
        len: u8::MAX,
    };

    pub(super) fn new(name: &[u8]) -> Self {
        let mut short = Self::EMPTY;
        if let Some(bytes) = short.bytes.get_mut(..name.len()) {
            bytes.copy_from_slice(name);
            short.ends = ends(name).unwrap_or_default();
            short.len = name.len() as u8;
        }
        short
    }

    /// The name; empty for one that was not kept.
    pub(super) fn text(&self) -> String {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Returns whether it is this name; never for long ones.
    #[inline]
    pub(super) fn is(&self, name: &[u8]) -> bool {
        usize::from(self.len) == name.len()
            && ends(name).map_or_else(
                || self.bytes.get(..name.len()) == Some(name),
                |ends| ends == self.ends,
            )
    }
}

/// The CPU to which a kernel thread of this name is bound, if the kernel named it for one: `ksoftirqd/3`, `kworker/3:1H`
/// (`kthread_create_on_cpu`, `smpboot`, `create_worker`). Any task may use such a name, so the caller checks that it runs on
/// that CPU.
#[must_use]
pub fn home(name: &[u8]) -> Option<u32> {
    // Of others the number is not that of a CPU that they are bound to: threads for callbacks that RCU takes off a CPU run
    // anywhere (`rcuop/3`), boosting threads belong to a node of RCU's tree (`rcub/1`), and users number threads as they like.
    const OF_A_CPU: [&[u8]; 8] = [
        b"ksoftirqd",
        b"ktimers",
        b"kworker",
        b"migration",
        b"cpuhp",
        b"rcuc",
        b"irq_work",
        b"idle_inject",
    ];
    let slash = name.iter().position(|&byte| byte == b'/')?;
    let (kind, number) = (&name[..slash], &name[slash + 1..]);
    let digits = number
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(number.len());
    let (number, rest) = number.split_at(digits);
    let named_for_one = rest.is_empty() || rest[0] == b':';
    if !named_for_one || !OF_A_CPU.contains(&kind) {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_threads_are_named_for_their_cpu() {
        for (name, cpu) in [
            ("ksoftirqd/3", Some(3)),
            ("migration/12", Some(12)),
            ("kworker/3:1", Some(3)),
            ("kworker/0:2H", Some(0)),
            ("cpuhp/1", Some(1)),
            ("kworker/u8:1", None),
            ("kworker/R-rcu_g", None),
            ("irq/24-nvme0q1", None),
            ("rcuop/3", None),
            ("rcub/0", None),
            ("io/3", None),
            ("rcuc/2", Some(2)),
            ("bash", None),
            ("a/", None),
            ("/99999999999", None),
        ] {
            assert_eq!(home(name.as_bytes()), cpu, "{name}");
        }
    }

    #[test]
    fn names_are_compared_whole() {
        let short = Short::new(b"bash");
        assert!(short.is(b"bash") && !short.is(b"bas") && !short.is(b"bash\0") && !short.is(b""));
        assert!(Short::new(b"").is(b"") && !Short::EMPTY.is(b""));
        for name in [&b"kworker/0:1"[..], b"abcdefgh", b"abcdefghijklmnop"] {
            assert!(Short::new(name).is(name));
            for at in 0..name.len() {
                let mut other = name.to_vec();
                other[at] ^= 1;
                assert!(!Short::new(name).is(&other));
            }
        }
        let long = [b'x'; 17];
        assert!(!Short::new(&long).is(&long));
    }
}
