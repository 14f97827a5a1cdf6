//! Idle load balancing as the report has it.

use numalens_bundle::Error;
use numalens_subject::report::Request;
use numalens_subject::section::Answer;

use crate::sections::result::{Ilb, MaskedIlb};

/// Idle load balancing without the mask of idle CPUs.
#[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
pub(super) fn without_mask(
    answer: Answer<MaskedIlb>,
    _: &Request<'_>,
) -> Result<Answer<Ilb>, Error> {
    Ok(answer.map(|masked| masked.ilb))
}
