//! Scalars as models really send them.

/// Says whether near misses of scalar arguments are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scalars {
    /// `3.0` and `"3"` for an integer, `"0.5"` for a number, `"true"` for a boolean are taken.
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
    pub(crate) fn near(self, sent: &str) -> Option<&str> {
        let inner = sent.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match self {
            Self::Boolean => inner.filter(|text| matches!(*text, "true" | "false")),
            Self::Number => inner.filter(|text| is_number(text)),
            Self::Integer => match inner {
                Some(text) => is_integer(text).then_some(text),
                None => sent.split_once('.').and_then(|(whole, fraction)| {
                    let zeros = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
                    (zeros && is_integer(whole)).then_some(whole)
                }),
            },
        }
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn near_misses_are_taken_and_others_are_not() {
        assert_eq!(Scalar::Integer.near("3.0"), Some("3"));
        assert_eq!(Scalar::Integer.near("\"3\""), Some("3"));
        assert_eq!(Scalar::Integer.near("\"-3\""), Some("-3"));
        for wrong in ["3.5", "\"3x\"", "\"\"", "3.", "true", "\"3.0\""] {
            assert_eq!(Scalar::Integer.near(wrong), None, "{wrong}");
        }
        assert_eq!(Scalar::Boolean.near("\"true\""), Some("true"));
        assert_eq!(Scalar::Boolean.near("1"), None);
        assert_eq!(Scalar::Number.near("\"0.5\""), Some("0.5"));
        assert_eq!(Scalar::Number.near("\"NaN\""), None);
    }
}
