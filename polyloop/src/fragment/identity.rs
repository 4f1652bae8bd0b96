//! The stored identity of a description; see [`crate::identity`] for how a field is added.

use std::fmt;

use super::spec::FragmentSpec;
use crate::identity::IdentityFields;

/// A description in its stored form. The place of the type in the source is left out: a model never sees it.
pub(crate) struct SpecIdentity<'s>(pub(crate) &'s FragmentSpec);

impl fmt::Debug for SpecIdentity<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.0;
        IdentityFields::of(formatter, "FragmentSpec")
            .field("kind", &spec.kind)
            .field("was", &spec.was)
            .field("type_name", &spec.type_name)
            .field("file", &"")
            .field("line", &0)
            .field("role", &spec.role)
            .field("marking", &spec.marking)
            .field("legacy", &spec.legacy)
            .field("standalone", &spec.standalone)
            .field("slot", &spec.slot)
            .field("rank", &spec.rank)
            .field("pin", &spec.pin)
            .field("lifetime", &spec.lifetime)
            .field("absent", &spec.absent)
            .field("visible", &spec.visible)
            .field("on_compact", &spec.on_compact)
            .field("on_fork", &spec.on_fork)
            .field("on_rollback", &spec.on_rollback)
            .field("memory", &spec.memory)
            .field("change", &spec.change)
            .field("state", &spec.state)
            .field("max_chars", &spec.max_chars)
            .field("large", &spec.large)
            .field("at_most", &spec.at_most)
            .field("overflow", &spec.overflow)
            .field("notice", &spec.notice)
            .field("raw", &spec.raw)
            .field("templates", &spec.templates)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::SpecIdentity;
    use crate::fragment::FragmentSpec;
    use crate::message::Role;

    #[test]
    fn the_identity_of_the_first_version_stays() {
        let spec = FragmentSpec::new("clock", Role::Developer, 60).markers("<clock>", "</clock>");
        assert_eq!(
            format!("{:?}", SpecIdentity(&spec)),
            "FragmentSpec { kind: \"clock\", was: [], type_name: \"clock\", file: \"\", line: 0, role: Developer, \
             marking: Marked { begin: Marker { text: \"<clock>\", key: 7, plain: true }, end: Marker { \
             text: \"</clock>\", key: 8, plain: true } }, legacy: [], standalone: false, slot: Run, rank: 0, \
             pin: None, lifetime: Sticky, absent: None, visible: false, on_compact: Keep, on_fork: Keep, \
             on_rollback: Trim, memory: Exclude, change: false, state: false, max_chars: 60, large: None, at_most: 8, \
             overflow: Refuse, notice: None, raw: false, templates: [] }"
        );
    }
}
