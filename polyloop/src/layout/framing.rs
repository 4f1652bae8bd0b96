//! Templates of the definition: fixed text around one placeholder; and the frame of observations.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::BuildError;

/// A text with one placeholder, cut at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    before: String,
    /// None where the placeholder is left out.
    after: Option<String>,
}

impl Template {
    /// Reads a template. Doubled braces are literal; any other placeholder, conversion or format is refused.
    pub(crate) fn parse(
        name: &'static str,
        text: &str,
        placeholder: &'static str,
    ) -> Result<Self, BuildError> {
        let refuse = |reason: Cow<'static, str>| Err(BuildError::Template { name, reason });
        let mut parts = vec![String::new()];
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (plain, brace) = rest.split_at(at);
            let part = parts.last_mut();
            let doubled = brace.starts_with("{{") || brace.starts_with("}}");
            if let Some(part) = part {
                part.push_str(plain);
                part.push_str(if doubled { brace.get(..1).unwrap_or_default() } else { "" });
            }
            if doubled {
                rest = brace.get(2..).unwrap_or_default();
                continue;
            }
            let Some(end) = brace.find('}').filter(|_| brace.starts_with('{')) else {
                return refuse(
                    "has a brace without its partner; write `{{` or `}}` for a literal brace".into(),
                );
            };
            let found = brace.get(1..end).unwrap_or_default();
            if found != placeholder {
                return refuse(
                    format!("has the placeholder `{{{found}}}`; only `{{{placeholder}}}` is known").into(),
                );
            }
            parts.push(String::new());
            rest = brace.get(end + 1..).unwrap_or_default();
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(rest);
        }
        let mut parts = parts.into_iter();
        let template = Self { before: parts.next().unwrap_or_default(), after: parts.next() };
        if parts.next().is_some() {
            return refuse(format!("has `{{{placeholder}}}` more than once; keep one").into());
        }
        Ok(template)
    }

    /// A placeholder between two fixed texts.
    pub(crate) fn around(before: &str, after: &str) -> Self {
        Self { before: before.to_owned(), after: Some(after.to_owned()) }
    }

    /// Whether the placeholder is there.
    pub(crate) fn has_placeholder(&self) -> bool {
        self.after.is_some()
    }

    /// Puts a text in. What is put in is not scanned again.
    pub(crate) fn fill(&self, text: &str) -> String {
        match &self.after {
            None => self.before.clone(),
            Some(after) => [self.before.as_str(), text, after].concat(),
        }
    }

    /// Puts several texts in: the text before the placeholder goes to the first, the text after it to the last.
    fn fill_parts(&self, parts: &[Arc<str>]) -> Vec<Arc<str>> {
        let after = self.after.as_deref().unwrap_or_default();
        if self.before.is_empty() && after.is_empty() {
            return parts.to_vec();
        }
        let last = parts.len().saturating_sub(1);
        let framed = parts.iter().enumerate().map(|(at, part)| {
            let before = if at == 0 { self.before.as_str() } else { "" };
            let after = if at == last { after } else { "" };
            Arc::from([before, part, after].concat())
        });
        framed.collect()
    }

    /// Returns `true` if there is nothing but white space around the placeholder.
    fn is_blank(&self) -> bool {
        is_blank(&self.before) && self.after.as_deref().is_none_or(is_blank)
    }
}

/// The frame of observations: their template, and the text in place of what would leave a message blank.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) template: Template,
    pub(crate) empty: Arc<str>,
}

impl Frame {
    /// Returns the frame of a session without a definition: the observation alone.
    pub(crate) fn bare() -> Self {
        let template = Template { before: String::new(), after: Some(String::new()) };
        Self { template, empty: Arc::from(NO_OUTPUT) }
    }

    /// Returns what is recorded of an observation for the model: the observation itself, unless the message would be blank.
    /// The result of a native call has no template around it.
    pub(crate) fn recorded(&self, parts: &[Arc<str>], native: bool) -> Arc<[Arc<str>]> {
        if parts.iter().all(|part| is_blank(part)) && (native || self.template.is_blank()) {
            return Arc::from([self.empty.clone()]);
        }
        let texts: Vec<Arc<str>> = parts.iter().filter(|part| !part.is_empty()).cloned().collect();
        // A template puts its text around an observation without a character.
        if texts.is_empty() { Arc::from([Arc::from("")]) } else { texts.into() }
    }

    /// Puts a text into the template.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.template.fill(text)
    }

    /// Puts a recorded observation into the template. It may have been recorded under another template.
    pub(crate) fn fill_parts(&self, parts: &[Arc<str>]) -> Vec<Arc<str>> {
        let filled = self.template.fill_parts(parts);
        if filled.iter().all(|part| is_blank(part)) {
            return self.template.fill_parts(std::slice::from_ref(&self.empty));
        }
        filled
    }
}

/// The text in place of an observation without text, unless the definition sets another one.
pub(crate) const NO_OUTPUT: &str = "(no output)";

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
