//! Times without a known task. Those nearer to each other than a bucket are shown as one.

use super::items::{Item, Items, ratio};
use super::{KIND_LOST, KIND_UNKNOWN, Window};
use crate::timeline::rows::SpanRow;

pub(super) fn show(spans: &[SpanRow], window: &Window, items: &mut Items) {
    for (kind, lost) in [(KIND_LOST, 1), (KIND_UNKNOWN, 0)] {
        let mut open: Option<(Item, u64)> = None;
        // Spans of one kind follow each other without overlap, so their ends ascend with their starts.
        for span in spans
            .iter()
            .filter(|span| span.lost == lost && span.end > window.from && span.start < window.to)
        {
            let ns = span.end.saturating_sub(span.start);
            open = Some(match open {
                Some((item, covered)) if window.bucket(item.start) == window.bucket(span.end) => (
                    Item {
                        end: span.end,
                        count: item.count + 1,
                        ..item
                    },
                    covered + ns,
                ),
                _ => {
                    finish(open, items);
                    (
                        Item {
                            kind,
                            start: span.start,
                            end: span.end,
                            count: 1,
                            ..Item::NOTHING
                        },
                        ns,
                    )
                }
            });
        }
        finish(open, items);
    }
}

fn finish(open: Option<(Item, u64)>, items: &mut Items) {
    if let Some((item, covered)) = open {
        items.push(Item {
            busy: ratio(covered, item.end.saturating_sub(item.start)),
            ..item
        });
    }
}
