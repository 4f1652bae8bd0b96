//! A payload under the name of its variant: what `{"Variant":payload}` would be, without making that text.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error as _, VariantAccess, Visitor};
use serde_json::Error;

/// JSON text that holds the fields of a variant.
pub(super) struct Tagged<'p> {
    pub(super) variant: &'p str,
    pub(super) payload: &'p str,
}

impl<'p> EnumAccess<'p> for Tagged<'p> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'p>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(StrDeserializer::<Error>::new(self.variant))?;
        Ok((variant, self))
    }
}

impl<'p> VariantAccess<'p> for Tagged<'p> {
    type Error = Error;

    fn struct_variant<V: Visitor<'p>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut json = serde_json::Deserializer::from_str(self.payload);
        let value = json.deserialize_struct("", fields, visitor)?;
        json.end()?;
        Ok(value)
    }

    fn unit_variant(self) -> Result<(), Error> {
        Err(no_fields())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'p>>(self, _: T) -> Result<T::Value, Error> {
        Err(no_fields())
    }

    fn tuple_variant<V: Visitor<'p>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(no_fields())
    }
}

fn no_fields() -> Error {
    Error::custom("an event has named fields")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::value::EnumAccessDeserializer;

    use super::Tagged;
    use crate::event::Event;

    fn is_read(payload: &str) -> bool {
        let tagged = Tagged { variant: "RemarkRecorded", payload };
        let read = Event::deserialize(EnumAccessDeserializer::new(tagged));
        read.is_ok_and(|event| matches!(event, Event::RemarkRecorded { text, .. } if text == "a"))
    }

    #[test]
    fn a_payload_holds_the_fields_of_its_variant_and_nothing_behind_them() {
        assert!(is_read(r#"{"text":"a"}"#));
        for payload in [r#"{"text":"a"}}"#, r#"{"text":"a"} {}"#, r#"{"text":"a""#, "{}", "", "null"] {
            assert!(!is_read(payload), "{payload}");
        }
    }
}
