//! How the stored identity of a struct of settings is written: what a journal compares when a run is resumed.
//!
//! The form is that of the first version, field by field. A field that was added later is written only where it differs
//! from its default, so settings that do not use it keep the identity under which open runs were recorded. A new field
//! gets a call of [`IdentityFields::added`]; a line that exists is never changed.

use std::fmt;

/// The fields of one identity, in their order.
pub(crate) struct IdentityFields<'a, 'b>(fmt::DebugStruct<'a, 'b>);

impl<'a, 'b> IdentityFields<'a, 'b> {
    /// Starts the identity of the named struct.
    pub(crate) fn of(formatter: &'a mut fmt::Formatter<'b>, name: &str) -> Self {
        Self(formatter.debug_struct(name))
    }

    /// Writes a field of the first version.
    pub(crate) fn field(mut self, name: &str, value: &dyn fmt::Debug) -> Self {
        self.0.field(name, value);
        self
    }

    /// Writes a field that was added later, unless it has its default.
    pub(crate) fn added<T: fmt::Debug + PartialEq>(mut self, name: &str, value: &T, default: &T) -> Self {
        if value != default {
            self.0.field(name, value);
        }
        self
    }

    /// Ends the identity.
    pub(crate) fn finish(mut self) -> fmt::Result {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::IdentityFields;

    struct Grown {
        old: u8,
        new: u8,
    }

    impl fmt::Debug for Grown {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            IdentityFields::of(formatter, "Grown")
                .field("old", &self.old)
                .added("new", &self.new, &0)
                .finish()
        }
    }

    #[test]
    fn an_added_field_changes_only_the_identities_that_use_it() {
        assert_eq!(format!("{:?}", Grown { old: 1, new: 0 }), "Grown { old: 1 }");
        assert_eq!(format!("{:?}", Grown { old: 1, new: 2 }), "Grown { old: 1, new: 2 }");
    }
}
