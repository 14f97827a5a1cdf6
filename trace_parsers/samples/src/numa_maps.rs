//! `/proc/PID/numa_maps` (`show_numa_map` in `fs/proc/task_mmu.c`): a line per mapping.

use crate::SampleTableId;
use crate::files::File;
use crate::number::{MAX_NODES, Odd, node, number, short};
use crate::rows::Rows;

/// A mapping.
#[derive(Debug, Default)]
struct Mapping<'a> {
    address: u64,
    policy: String,
    what: Option<&'a str>,
    huge: bool,
    anon: Option<u64>,
    dirty: Option<u64>,
    mapped: Option<u64>,
    mapmax: Option<u64>,
    swapcache: Option<u64>,
    active: Option<u64>,
    writeback: Option<u64>,
    page_kb: Option<u64>,
    /// Pages by node.
    nodes: Vec<(i32, u64)>,
}

/// Returns whether a line is one of this text: an address of at least eight hexadecimal digits and a policy.
pub(crate) fn recognises(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let address = words.next().unwrap_or_default();
    let policy = words.next().unwrap_or_default();
    let policy = policy.split([':', '=']).next().unwrap_or_default();
    (8..=16).contains(&address.len())
        && address.bytes().all(|byte| byte.is_ascii_hexdigit())
        && [
            "default",
            "prefer",
            "bind",
            "interleave",
            "local",
            "weighted",
        ]
        .contains(&policy)
}

impl<'a> Mapping<'a> {
    fn parse(line: &'a str) -> Result<Self, Odd> {
        let mut words = line.split_whitespace();
        let address = words.next().unwrap_or_default();
        let what = "an address of a mapping";
        if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Odd::new(what, address));
        }
        let mut mapping = Self {
            address: u64::from_str_radix(address, 16).map_err(|_| Odd::new(what, address))?,
            policy: words
                .next()
                .ok_or_else(|| Odd::new("a memory policy", line))?
                .to_owned(),
            ..Self::default()
        };
        let mut in_policy = true;
        for word in words {
            if mapping.word(word)? {
                in_policy = false;
            } else if in_policy {
                // Policies of several words: "prefer (many):0", "weighted interleave:0-1".
                mapping.policy.push(' ');
                mapping.policy.push_str(word);
            } else if !word.contains('=') {
                return Err(Odd::new("a field of a mapping", word));
            }
        }
        short(&mapping.policy)?;
        Ok(mapping)
    }

    /// Takes a word after the policy; `false` when it is not known.
    fn word(&mut self, word: &'a str) -> Result<bool, Odd> {
        let Some((key, value)) = word.split_once('=') else {
            match word {
                "huge" => self.huge = true,
                // Old kernels name the thread: "stack:123".
                _ if word == "heap" || word == "stack" || word.starts_with("stack:") => {
                    self.what = Some(short(word)?);
                }
                _ => return Ok(false),
            }
            return Ok(true);
        };
        let count = || number::<u64>(value, "a number of pages").map(Some);
        match key {
            "file" => self.what = Some(short(word)?),
            "anon" => self.anon = count()?,
            "dirty" => self.dirty = count()?,
            "mapped" => self.mapped = count()?,
            "mapmax" => self.mapmax = count()?,
            "swapcache" => self.swapcache = count()?,
            "active" => self.active = count()?,
            "writeback" => self.writeback = count()?,
            "kernelpagesize_kB" => self.page_kb = count()?,
            _ => {
                let Some(nid) = node_key(key) else {
                    return Ok(false);
                };
                if self.nodes.len() >= MAX_NODES as usize {
                    return Err(Odd::new("at most 1024 nodes in a line", word));
                }
                self.nodes
                    .push((node(nid)?, number(value, "a number of pages")?));
            }
        }
        Ok(true)
    }
}

/// The node of a key such as `N0`.
pub(crate) fn node_key(key: &str) -> Option<&str> {
    key.strip_prefix('N')
        .filter(|nid| !nid.is_empty() && nid.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Takes a line: a row per node, or one without a node for a mapping that has no pages.
pub(crate) fn line(file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let mut mapping = Mapping::parse(line)?;
    let key = format!("{:?} {:x}", file.tid.or(file.pid), mapping.address);
    rows.sampled(SampleTableId::NumaMaps, &key);
    let pages: Vec<(Option<i32>, u64)> = match std::mem::take(&mut mapping.nodes) {
        nodes if nodes.is_empty() => vec![(None, 0)],
        nodes => nodes
            .into_iter()
            .map(|(nid, pages)| (Some(nid), pages))
            .collect(),
    };
    for (nid, pages) in pages {
        rows.push(
            SampleTableId::NumaMaps,
            cells![
                file.pid,
                file.tid,
                file.comm.as_deref(),
                mapping.address,
                mapping.policy.as_str(),
                mapping.what,
                mapping.huge,
                mapping.anon,
                mapping.dirty,
                mapping.mapped,
                mapping.mapmax,
                mapping.swapcache,
                mapping.active,
                mapping.writeback,
                mapping.page_kb,
                nid,
                pages,
            ],
        );
    }
    Ok(())
}
