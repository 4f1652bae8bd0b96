//! Scalars as models really send them.

use std::borrow::Cow;

/// The most digits of an integer of Rust, and its sign.
const MOST_DIGITS: i32 = 40;

/// Whether near misses of scalar arguments are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scalars {
    /// `3.0`, `1e2` and `"3"` for an integer, `"0.5"` for a number, `"true"` for a boolean are taken.
    #[default]
    Near,
    /// Only what the schema says.
    Exact,
}

/// What a scalar argument is, by its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Integer,
    Number,
    Boolean,
}

impl Scalar {
    /// Reads the type of a canonical schema.
    pub(crate) fn of(schema: &serde_json::Value) -> Option<Self> {
        match schema.get("type")?.as_str()? {
            "integer" => Some(Self::Integer),
            "number" => Some(Self::Number),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    /// Returns the exact JSON text that a near miss means.
    pub(crate) fn near(self, sent: &str) -> Option<Cow<'_, str>> {
        let inner = sent.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match (self, inner) {
            (Self::Boolean, inner) => {
                inner.filter(|text| matches!(*text, "true" | "false")).map(Cow::Borrowed)
            }
            (Self::Number, inner) => inner.filter(|text| is_number(text)).map(Cow::Borrowed),
            (Self::Integer, Some(text)) => is_integer(text).then_some(Cow::Borrowed(text)),
            (Self::Integer, None) => whole(sent).map(Cow::Owned),
        }
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The integer that a number is, however it is written: `3.0`, `1e2`, `-0`; none where it is none, or is longer than any
/// integer of Rust.
fn whole(number: &str) -> Option<String> {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let is_sound =
        !before.is_empty() && [before, behind].iter().all(|part| part.bytes().all(|it| it.is_ascii_digit()));
    let exponent: i32 = exponent.parse().ok().filter(|exponent: &i32| exponent.abs() <= MOST_DIGITS)?;
    let point = i32::try_from(before.len()).ok()?.checked_add(exponent)?;
    let digits = [before, behind].concat();
    if !is_sound || number.contains('.') && behind.is_empty() {
        return None;
    }
    let point = usize::try_from(point).unwrap_or_default();
    let (kept, cut) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    let zeros = "0".repeat(point.saturating_sub(digits.len()));
    let whole = [kept, &zeros].concat();
    let whole = whole.trim_start_matches('0');
    let is_whole = cut.bytes().all(|digit| digit == b'0');
    let whole = if whole.is_empty() { "0".to_owned() } else { [sign, whole].concat() };
    (is_whole && whole.len() <= usize::try_from(MOST_DIGITS).ok()?).then_some(whole)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    fn near(scalar: Scalar, sent: &str) -> Option<String> {
        scalar.near(sent).map(Into::into)
    }

    #[test]
    fn near_misses_are_taken_and_others_are_not() {
        for (sent, meant) in [
            ("3.0", "3"),
            ("\"3\"", "3"),
            ("\"-3\"", "-3"),
            ("1e2", "100"),
            ("1.50e1", "15"),
            ("120E-1", "12"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e9", "0"),
            ("-12.00", "-12"),
        ] {
            assert_eq!(near(Scalar::Integer, sent).as_deref(), Some(meant), "{sent}");
        }
        for wrong in [
            "3.5",
            "\"3x\"",
            "\"\"",
            "3.",
            "true",
            "\"3.0\"",
            "1e-1",
            "15e-1",
            "1e99",
            "1e9999999999",
            "[1]",
            "e1",
        ] {
            assert_eq!(near(Scalar::Integer, wrong), None, "{wrong}");
        }
        assert_eq!(near(Scalar::Boolean, "\"true\"").as_deref(), Some("true"));
        assert_eq!(near(Scalar::Boolean, "1"), None);
        assert_eq!(near(Scalar::Number, "\"0.5\"").as_deref(), Some("0.5"));
        assert_eq!(near(Scalar::Number, "\"NaN\""), None);
    }
}
