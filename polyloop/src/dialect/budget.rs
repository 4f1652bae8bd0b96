//! What readers take of strict schemas in one request.

use super::Dialect;
use super::measure::Measure;

/// The most of each thing that a reader counts over the strict tools of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    most: Measure,
}

const NO_LIMIT: Measure = Measure {
    tools: usize::MAX,
    properties: usize::MAX,
    optional: usize::MAX,
    unions: usize::MAX,
    enum_values: usize::MAX,
    chars: usize::MAX,
    levels: usize::MAX,
};

impl Budget {
    pub(super) const fn of(dialect: Dialect) -> Option<Self> {
        let most = match dialect {
            Dialect::OpenAiStrict => {
                Measure { properties: 5_000, enum_values: 1_000, chars: 120_000, ..NO_LIMIT }
            }
            Dialect::AnthropicStrict => Measure { tools: 20, optional: 24, unions: 16, ..NO_LIMIT },
            _ => return None,
        };
        Some(Self { most })
    }

    /// Says what is more than the reader takes.
    pub(super) fn over(self, sum: Measure) -> Option<String> {
        let counted = [
            ("strict tools", sum.tools, self.most.tools),
            ("optional parameters", sum.optional, self.most.optional),
            ("parameters of several types", sum.unions, self.most.unions),
            ("properties", sum.properties, self.most.properties),
            ("values of enums", sum.enum_values, self.most.enum_values),
            ("characters of names and values", sum.chars, self.most.chars),
        ];
        let (what, sum, most) = counted.into_iter().find(|(_, sum, most)| sum > most)?;
        Some(format!("the strict tools of the request would have {sum} {what}, and {most} are taken"))
    }
}
