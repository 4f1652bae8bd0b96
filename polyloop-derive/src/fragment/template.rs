//! The language of braces that bodies, markers and notices share: `{name}`, and doubled braces for literal ones.

/// A stretch of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Segment {
    /// Text as it will appear: doubled braces are already single.
    Text(String),
    /// The name between single braces.
    Placeholder(String),
}

/// Cuts a template into text and placeholders, and tells every mistake in it, in order.
pub(crate) fn parse(template: &str) -> (Vec<Segment>, Vec<String>) {
    let mut reader =
        Reader { rest: template, text: String::new(), segments: Vec::new(), mistakes: Vec::new() };
    reader.run();
    (reader.segments, reader.mistakes)
}

/// Writes text so that reading it as a template gives the same text.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

struct Reader<'a> {
    rest: &'a str,
    text: String,
    segments: Vec<Segment>,
    mistakes: Vec<String>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some((text, brace, after)) = next_brace(self.rest) {
            self.text.push_str(text);
            self.rest = after;
            if let Some(after) = self.rest.strip_prefix(brace) {
                self.text.push(brace);
                self.rest = after;
            } else if brace == '{' {
                self.placeholder();
            } else {
                self.mistakes.push("a `}` was never opened; write `}}` for a brace in the text".to_owned());
            }
        }
        self.text.push_str(self.rest);
        self.end_text();
    }

    /// Reads up to the closing brace; the opening one is already taken.
    fn placeholder(&mut self) {
        let Some((name, '}', after)) = next_brace(self.rest) else {
            self.mistakes.push("a `{` is never closed; write `{{` for a brace in the text".to_owned());
            return;
        };
        self.rest = after;
        if let Some(mistake) = mistake_of(name) {
            self.mistakes.push(mistake);
        } else {
            self.end_text();
            self.segments.push(Segment::Placeholder(name.to_owned()));
        }
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.segments.push(Segment::Text(std::mem::take(&mut self.text)));
        }
    }
}

/// The text before the next brace, that brace, and what follows it.
fn next_brace(text: &str) -> Option<(&str, char, &str)> {
    let at = text.find(['{', '}'])?;
    let (before, from) = text.split_at_checked(at)?;
    let brace = from.chars().next()?;
    Some((before, brace, from.get(1..)?))
}

fn mistake_of(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("the placeholder `{}` has no name; write a field's name between the braces".to_owned());
    }
    if let Some((field, _)) = name.split_once([':', '!']) {
        return Some(format!("the placeholder `{{{name}}}` has a format; write `{{{field}}}`"));
    }
    let is_index = name.bytes().all(|byte| byte.is_ascii_digit());
    // Keywords name fields as well: `{type}` is the field `r#type`.
    if is_index || syn::parse_str::<syn::Ident>(&format!("r#{name}")).is_ok() {
        return None;
    }
    Some(format!("the placeholder `{{{name}}}` is no field's name; write `{{{{` for a brace in the text"))
}

#[cfg(test)]
mod tests {
    use super::{Segment, escaped, parse};

    fn text(text: &str) -> Segment {
        Segment::Text(text.to_owned())
    }

    fn sound(segments: Vec<Segment>) -> (Vec<Segment>, Vec<String>) {
        (segments, Vec::new())
    }

    fn placeholder(name: &str) -> Segment {
        Segment::Placeholder(name.to_owned())
    }

    #[test]
    fn doubled_braces_are_text_and_single_ones_name_a_field() {
        assert_eq!(parse("{{{cwd}}}!"), sound(vec![text("{"), placeholder("cwd"), text("}!")]));
        assert_eq!(parse("{0}{type}"), sound(vec![placeholder("0"), placeholder("type")]));
        assert_eq!(parse("ä{ö}ü"), sound(vec![text("ä"), placeholder("ö"), text("ü")]));
        assert_eq!(parse(""), sound(vec![]));
    }

    #[test]
    fn every_mistake_of_a_template_is_found() {
        let (segments, mistakes) = parse("{} } {x:?} {a b} {ok} {");
        assert_eq!(mistakes.len(), 5);
        assert!(segments.contains(&placeholder("ok")));
    }

    #[test]
    fn escaped_text_reads_as_itself() {
        assert_eq!(parse(&escaped("{a}}")), sound(vec![text("{a}}")]));
    }
}
