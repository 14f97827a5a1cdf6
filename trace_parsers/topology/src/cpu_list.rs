//! The kernel's list format for sets of numbers: `0-3,8,10-11`.

use numalens_columns::InputError;

use crate::MAX_NUMBER;
use crate::lines::quoted;

/// One number below [`MAX_NUMBER`].
pub(crate) fn number(text: &str, line: u64, what: &str) -> Result<u32, InputError> {
    match text.parse::<u32>() {
        Ok(value) if value < MAX_NUMBER && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(value)
        }
        _ => Err(InputError::at_line(
            line,
            format!("{what} below {MAX_NUMBER}"),
            quoted(text),
        )),
    }
}

/// A list such as `0-3,8`, an empty text being the empty set. A step, as in `0-15:2/4` (the first 2 of each 4), is
/// part of the kernel's format too (`Documentation/admin-guide/kernel-parameters.rst`).
pub(crate) fn parse(text: &str, line: u64) -> Result<Vec<u32>, InputError> {
    let mut numbers = Vec::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (range, step) = part
            .split_once(':')
            .map_or((part, None), |(range, step)| (range, Some(step)));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (
            number(first, line, "a CPU number")?,
            number(last, line, "a CPU number")?,
        );
        if last < first {
            return Err(InputError::at_line(
                line,
                "an ascending range",
                quoted(part),
            ));
        }
        let (used, group) = match step {
            None => (1, 1),
            Some(step) => {
                let (used, group) = step
                    .split_once('/')
                    .ok_or_else(|| InputError::at_line(line, "a step such as 1/2", quoted(part)))?;
                (
                    number(used, line, "a step")?,
                    number(group, line, "a step")?,
                )
            }
        };
        if group == 0 || used > group {
            return Err(InputError::at_line(
                line,
                "a step such as 1/2",
                quoted(part),
            ));
        }
        numbers.extend((first..=last).filter(|n| (n - first) % group < used));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges_singles_and_steps() {
        assert_eq!(parse("0-3,8", 1).unwrap(), [0, 1, 2, 3, 8]);
        assert_eq!(parse("", 1).unwrap(), Vec::<u32>::new());
        assert_eq!(parse("0-7:1/4", 1).unwrap(), [0, 4]);
        assert_eq!(parse("2,1,2", 1).unwrap(), [1, 2]);
    }

    #[test]
    fn refuses_what_is_no_list() {
        for text in [
            "x",
            "3-1",
            "0-",
            "-3",
            "+3",
            "0-99999999999",
            "0-4000000000",
            "0-3:2",
            "0-3:0/0",
            "0-3:3/2",
        ] {
            let error = parse(text, 7).expect_err(text);
            assert_eq!(error.place.number(), 7, "{text}");
        }
    }
}
