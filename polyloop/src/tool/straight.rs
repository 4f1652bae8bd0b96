//! Reads arguments in one pass, where they are as a schema asks for them.

use std::any::Any;

use super::compiled::CompiledParam;
use super::effective::EffectiveArguments;

/// The rest of an object of arguments, while its values are taken in the order of the parameters.
///
/// It tells no mistakes and takes no near misses: at the first thing out of the ordinary it is lost, and the arguments are
/// read again with care. Models give arguments in the order of the schema, so that is rare.
#[derive(Debug)]
pub(super) struct Straight<'a> {
    rest: &'a str,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a name.
    Inside,
    /// Behind the closing brace.
    Behind,
    /// Something is out of the ordinary.
    Lost,
}

impl<'a> Straight<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let Some(rest) = spaceless(text).strip_prefix('{') else {
            return Self { rest: "", place: Place::Lost };
        };
        match spaceless(rest).strip_prefix('}') {
            Some(rest) => Self { rest, place: Place::Behind },
            None => Self { rest, place: Place::Inside },
        }
    }

    /// Takes the next argument into an `Option` of its type.
    pub(super) fn fill(
        &mut self,
        param: &CompiledParam,
        slot: &mut dyn Any,
        effective: &mut EffectiveArguments,
    ) {
        let taken = match self.value_of(param) {
            Some(value) => self.take(param, value, slot, effective),
            None => !param.required && absent(param, slot, effective),
        };
        if !taken {
            self.place = Place::Lost;
        }
    }

    /// Whether everything was taken and nothing is left.
    pub(super) fn is_over(&self) -> bool {
        self.place == Place::Behind && spaceless(self.rest).is_empty()
    }

    /// What stands behind the parameter's name, if that stands here.
    fn value_of(&self, param: &CompiledParam) -> Option<&'a str> {
        if self.place != Place::Inside {
            return None;
        }
        let name = spaceless(self.rest).strip_prefix('"')?;
        let colon = name.strip_prefix(param.param.name)?.strip_prefix('"')?;
        Some(spaceless(spaceless(colon).strip_prefix(':')?))
    }

    fn take(
        &mut self,
        param: &CompiledParam,
        value: &'a str,
        slot: &mut dyn Any,
        effective: &mut EffectiveArguments,
    ) -> bool {
        // For an optional parameter it means absence, whatever its type makes of it.
        let is_null = !param.required && value.starts_with("null");
        if param.param.flatten || is_null {
            return false;
        }
        let Some(length) = (param.param.of.read_first)(value, slot) else { return false };
        let Some((value, rest)) = value.split_at_checked(length) else { return false };
        let rest = spaceless(rest);
        if let Some(rest) = rest.strip_prefix(',') {
            (self.rest, self.place) = (rest, Place::Inside);
        } else if let Some(rest) = rest.strip_prefix('}') {
            (self.rest, self.place) = (rest, Place::Behind);
        } else {
            return false;
        }
        effective.push(param.param.name, value);
        param
            .validator
            .as_ref()
            .is_none_or(|validator| serde_json::from_str(value).is_ok_and(|value| validator.is_valid(&value)))
    }
}

fn absent(param: &CompiledParam, slot: &mut dyn Any, effective: &mut EffectiveArguments) -> bool {
    match &param.default {
        Some(default) => {
            effective.push(param.param.name, default);
            (param.param.of.read)(default, slot)
        }
        None => (param.param.of.absent)(slot),
    }
}

/// A text without the white space of JSON before it.
fn spaceless(text: &str) -> &str {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let spaces = text.as_bytes().iter().take_while(|byte| is_space(byte)).count();
    text.get(spaces..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use super::super::compiled::CompiledTool;
    use super::super::param::Param;
    use super::super::scalar::Scalars;
    use super::super::spec::ToolSpec;

    type Taken = (Option<String>, Option<u32>, Option<Option<bool>>);

    const SPEC: ToolSpec = ToolSpec::new("tool", "Has three parameters.").params(&[
        Param::new::<String>("path", "A text."),
        Param::new::<u32>("line", "A number.").default(|| 7.into()),
        Param::new::<Option<bool>>("whole", "Optional."),
    ]);

    fn take(mut arguments: Arguments<'_>) -> Option<Taken> {
        let taken = (arguments.take(), arguments.take(), arguments.take());
        arguments.finish().map(|()| taken)
    }

    /// What both ways take, and whether the straight one was enough.
    fn taken(text: &str) -> (Option<Taken>, bool) {
        let tool = CompiledTool::new(&SPEC).ok();
        let tool = tool.as_ref();
        let straight = tool.and_then(|tool| take(Arguments::straight(tool, text)));
        let careful = tool.and_then(|tool| take(Arguments::new(tool, text, Scalars::Near)));
        assert!(straight.is_none() || straight == careful, "{text}: {straight:?} {careful:?}");
        (careful, straight.is_some())
    }

    #[test]
    fn what_is_in_order_is_read_straight() {
        for text in [
            r#"{"path":"a","line":1,"whole":true}"#,
            "\n{ \"path\" : \"a\\n\\u00e4\" ,\t\"line\" : 1 , \"whole\" : true }\r\n",
            r#"{"path":"a"}"#,
            r#"{"path":"a","whole":false}"#,
            r#"{"path":"a","line":2}"#,
        ] {
            let (careful, straight) = taken(text);
            assert!(straight && careful.is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_left_to_care() {
        for text in [
            r#"{"line":1,"path":"a"}"#,
            r#"{"path":"a","line":null}"#,
            r#"{"path":"a","whole":null,"line":3}"#,
            r#"{"path":"a","line":"3"}"#,
            r#"{"p\u0061th":"a"}"#,
        ] {
            let (careful, straight) = taken(text);
            assert!(!straight && careful.is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_never_taken() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"path":"a""#,
            r#"{"path":"a"}}"#,
            r#"{"path":"a",}"#,
            r#"{"path":"a" "line":1}"#,
            r#"{"path":"a","line":01}"#,
            r#"{"path":"a","line":1,"line":2}"#,
            r#"{"path":"a","path":"b"}"#,
            r#"{"path":"a","other":1}"#,
            r#"{"path":"a","whole":true,"line":1,"whole":true}"#,
            r#"{"path":1}"#,
            r#"{"path":"a","line":-1}"#,
        ] {
            assert_eq!(taken(text), (None, false), "{text}");
        }
    }
}
