//! Which flip of a busy node is which.

use crate::cling::compare::blame::Blames;
use crate::cling::compare::{Inputs, Part};
use crate::cling::history::{Flip, History};

pub(super) fn compare(
    inputs: &Inputs<'_>,
    printed: &History,
    replayed: Option<&History>,
    blames: &Blames,
    part: &mut Part,
) {
    // The same degrees on both sides: whether samples tell them is another question.
    let degrees = &inputs.lines.degrees;
    let wanted = printed.flips(degrees);
    let mut found: Vec<Option<Flip>> = replayed
        .map(|history| history.flips(degrees))
        .unwrap_or_default()
        .into_iter()
        .map(Some)
        .collect();
    for flip in wanted {
        part.printed += 1;
        // By far the nearest one of its kind: a busy node flips at most once per timer and attempt.
        let nearest = found
            .iter_mut()
            .filter(|slot| {
                slot.is_some_and(|other| {
                    (other.nid, other.busy) == (flip.nid, flip.busy)
                        && other.t_ns.abs_diff(flip.t_ns) <= inputs.late_ns
                })
            })
            .min_by_key(|slot| slot.map(|other| other.t_ns.abs_diff(flip.t_ns)));
        match nearest.and_then(Option::take) {
            Some(other) => {
                part.reproduced += 1;
                if other.t_ns.abs_diff(flip.t_ns) > inputs.jiffy_ns {
                    part.shifted += 1;
                }
            }
            None => Part::miss(&mut part.missed, blames.at(flip.t_ns), flip.t_ns),
        }
    }
    for extra in found.into_iter().flatten() {
        Part::miss(&mut part.extra, blames.at(extra.t_ns), extra.t_ns);
    }
}
