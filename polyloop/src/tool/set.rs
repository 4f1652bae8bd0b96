//! A set of tools: what a model may call, checked and dispatched from one definition.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::Tool;
use super::arguments::Arguments;
use super::call::Prepared;
use super::checked::CheckedCall;
use super::compiled::CompiledTool;
use super::nearest::nearest;
use super::scalar::Scalars;
use super::spec::ToolSpec;
use crate::error::{ArgumentError, CallError, SetError, SetProblem};

type Prepare<S> = fn(&mut Arguments<'_>) -> Option<Prepared<S>>;

/// One registered tool, for a state `S`; what `registry!` writes.
pub struct ToolEntry<S: ?Sized> {
    /// The tool's description.
    pub spec: &'static ToolSpec,
    prepare: Prepare<S>,
    /// The type that declares it.
    tool: fn() -> TypeId,
}

impl<S: ?Sized> ToolEntry<S> {
    /// Makes the entry of a tool.
    #[must_use]
    pub const fn new<T: Tool<S>>() -> Self {
        Self::of(&T::SPEC, T::prepare, T::identity)
    }

    /// Makes the entry of its parts: named by trait path, a type that is no tool is reported without a note that
    /// leads here.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(
        spec: &'static ToolSpec,
        prepare: fn(&mut Arguments<'_>) -> Option<Prepared<S>>,
        tool: fn() -> TypeId,
    ) -> Self {
        Self { spec, prepare, tool }
    }
}

impl<S: ?Sized> Clone for ToolEntry<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized> Copy for ToolEntry<S> {}

impl<S: ?Sized> fmt::Debug for ToolEntry<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ToolEntry").field(&self.spec.name).finish()
    }
}

pub(super) struct Member<S: ?Sized> {
    pub(super) name: Arc<str>,
    pub(super) entry: ToolEntry<S>,
    pub(super) compiled: Arc<CompiledTool>,
    /// Of the set that it came from, so that merging changes no check.
    scalars: Scalars,
    /// The fingerprint of this tool alone, as hexadecimal digits.
    fingerprint: Arc<str>,
}

impl<S: ?Sized> Member<S> {
    fn new(name: Arc<str>, entry: ToolEntry<S>, compiled: Arc<CompiledTool>, scalars: Scalars) -> Self {
        let mut member = Self { name, entry, compiled, scalars, fingerprint: Arc::default() };
        member.fingerprint = fingerprint(std::slice::from_ref(&member)).to_hex().as_str().into();
        member
    }

    /// Takes the arguments, straight if that goes, else with care; returns them as they were taken, too.
    fn take(&self, arguments: &str) -> Result<(Prepared<S>, String), Vec<ArgumentError>> {
        let mut taken = Arguments::straight(&self.compiled, arguments);
        let prepared = (self.entry.prepare)(&mut taken);
        if let (Some(prepared), Some(())) = (prepared, taken.finish()) {
            return Ok((prepared, taken.into_effective()?));
        }
        let mut taken = Arguments::new(&self.compiled, arguments, self.scalars);
        let prepared = (self.entry.prepare)(&mut taken);
        let effective = taken.into_effective()?;
        prepared.map(|prepared| (prepared, effective)).ok_or_else(Vec::new)
    }
}

impl<S: ?Sized> Clone for Member<S> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            entry: self.entry,
            compiled: self.compiled.clone(),
            scalars: self.scalars,
            fingerprint: self.fingerprint.clone(),
        }
    }
}

/// A closed set of tools. From it come the schema that a model sees, the checks and the dispatch.
///
/// A narrower set is a new one; the old one is unchanged. Cloning shares everything.
pub struct ToolSet<S: ?Sized> {
    pub(super) members: Arc<[Member<S>]>,
    by_name: Arc<BTreeMap<Arc<str>, usize>>,
    fingerprint: blake3::Hash,
}

impl<S: ?Sized> ToolSet<S> {
    /// Builds a set.
    ///
    /// # Errors
    ///
    /// When a type cannot be described to a model, or two tools share a name; every problem is listed.
    pub fn new(entries: &[ToolEntry<S>], scalars: Scalars) -> Result<Self, SetError> {
        let mut problems = Vec::new();
        let mut members = Vec::with_capacity(entries.len());
        for entry in entries {
            match CompiledTool::new(entry.spec) {
                Ok(compiled) => {
                    members.push(Member::new(entry.spec.name.into(), *entry, Arc::new(compiled), scalars));
                }
                Err(mut found) => problems.append(&mut found),
            }
        }
        if problems.is_empty() { Self::of(members) } else { Err(SetError::new(problems)) }
    }

    fn of(members: Vec<Member<S>>) -> Result<Self, SetError> {
        let mut by_name = BTreeMap::new();
        let mut twice = Vec::new();
        for (position, member) in members.iter().enumerate() {
            if by_name.insert(member.name.clone(), position).is_some() {
                twice.push(member.name.to_string());
            }
        }
        if !twice.is_empty() {
            return Err(SetError::new(vec![SetProblem::Collision { tools: twice }]));
        }
        let fingerprint = fingerprint(&members);
        Ok(Self { members: members.into(), by_name: Arc::new(by_name), fingerprint })
    }

    /// Returns the descriptions of the tools by the names that the model calls, in order.
    #[must_use]
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&str, &'static ToolSpec)> {
        self.members.iter().map(|member| (&*member.name, member.entry.spec))
    }

    /// Returns how many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns a tool's description.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static ToolSpec> {
        self.member(name).map(|member| member.entry.spec)
    }

    /// Returns a fingerprint of names, descriptions, schemas and policies: equal sets have equal ones, in every
    /// process.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.fingerprint.to_hex().to_string()
    }

    /// Returns a fingerprint of one tool's name, description, schema and policies.
    #[must_use]
    pub fn fingerprint_of(&self, name: &str) -> Option<String> {
        self.shared_fingerprint_of(name).map(|fingerprint| fingerprint.to_string())
    }

    pub(crate) fn shared_fingerprint_of(&self, name: &str) -> Option<Arc<str>> {
        self.member(name).map(|member| member.fingerprint.clone())
    }

    /// Checks a call: is there such a tool, and are the arguments right? Nothing runs.
    ///
    /// # Errors
    ///
    /// When there is no such tool, or when an argument is wrong; every wrong argument is listed.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<CheckedCall<S>, CallError> {
        let Some(member) = self.member(name) else {
            let shown = self.members.iter().filter(|member| !member.entry.spec.hidden);
            let nearest = nearest(name, shown.map(|member| &*member.name));
            let name = name.chars().take(64).collect();
            return Err(CallError::UnknownTool { name, nearest });
        };
        // A type's own way of reading is other people's code, and may panic.
        let taken = catch_unwind(AssertUnwindSafe(|| member.take(arguments)));
        let errors = match taken {
            Ok(Ok((prepared, arguments))) => {
                return Ok(CheckedCall { spec: member.entry.spec, prepared, arguments });
            }
            Ok(Err(errors)) => errors,
            Err(_) => vec![ArgumentError::new("", "a type panicked when it read its argument")],
        };
        Err(CallError::InvalidArguments { tool: name.to_owned(), errors })
    }

    /// Returns the set of the named tools, in this set's order.
    ///
    /// # Errors
    ///
    /// When a name is not in the set; every unknown one is listed, with the nearest known one.
    pub fn restrict_to_names<N: AsRef<str>>(&self, names: &[N]) -> Result<Self, SetError> {
        self.known(names)?;
        Ok(self.filtered(|name, _| names.iter().any(|kept| kept.as_ref() == name)))
    }

    /// Returns the set without the named tools.
    ///
    /// # Errors
    ///
    /// When a name is not in the set; every unknown one is listed, with the nearest known one.
    pub fn without_names<N: AsRef<str>>(&self, names: &[N]) -> Result<Self, SetError> {
        self.known(names)?;
        Ok(self.filtered(|name, _| !names.iter().any(|gone| gone.as_ref() == name)))
    }

    /// Returns the set with a prefix before every name.
    ///
    /// # Errors
    ///
    /// When a name would be one that providers refuse.
    pub fn prefixed(&self, prefix: &str) -> Result<Self, SetError> {
        let members: Vec<Member<S>> = self
            .members
            .iter()
            .map(|member| {
                let name = format!("{prefix}{}", member.name).into();
                Member::new(name, member.entry, member.compiled.clone(), member.scalars)
            })
            .collect();
        let refused: Vec<SetProblem> = members
            .iter()
            .filter(|member| !is_tool_name(&member.name))
            .map(|member| SetProblem::Name { name: member.name.to_string() })
            .collect();
        if refused.is_empty() { Self::of(members) } else { Err(SetError::new(refused)) }
    }

    /// Returns the tools of both sets, these first.
    ///
    /// # Errors
    ///
    /// When the sets share names; all of them are listed.
    pub fn merged(&self, other: &Self) -> Result<Self, SetError> {
        Self::of(self.members.iter().chain(other.members.iter()).cloned().collect())
    }

    /// Returns `true` if both hold the same tools under the same names: those of the same types. Tools that only look the same
    /// to a model may have other handlers.
    pub(crate) fn has_same_tools(&self, other: &Self) -> bool {
        let same = |(one, other): (&Member<S>, &Member<S>)| (one.entry.tool)() == (other.entry.tool)();
        self.fingerprint == other.fingerprint && self.members.iter().zip(other.members.iter()).all(same)
    }

    /// Fails if a tool has no handler, naming them all.
    pub(crate) fn all_have_handlers(&self) -> Result<(), SetError> {
        let missing = self.members.iter().filter(|member| member.entry.spec.schema_only);
        let tools: Vec<String> = missing.map(|member| member.name.to_string()).collect();
        if tools.is_empty() { Ok(()) } else { Err(SetError::new(vec![SetProblem::NoHandler { tools }])) }
    }

    /// The set of those that are kept, by name and declaration.
    pub(crate) fn filtered(&self, keep: impl Fn(&str, &ToolSpec) -> bool) -> Self {
        let kept = self.members.iter().filter(|member| keep(&member.name, member.entry.spec));
        let members: Vec<Member<S>> = kept.cloned().collect();
        let by_name = members.iter().enumerate().map(|(at, member)| (member.name.clone(), at)).collect();
        let fingerprint = fingerprint(&members);
        Self { members: members.into(), by_name: Arc::new(by_name), fingerprint }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Member<S>> {
        self.by_name.get(name).and_then(|position| self.members.get(*position))
    }

    pub(super) fn known<N: AsRef<str>>(&self, names: &[N]) -> Result<(), SetError> {
        let problems: Vec<SetProblem> = names
            .iter()
            .map(AsRef::as_ref)
            .filter(|name| !self.by_name.contains_key(*name))
            .map(|name| SetProblem::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, self.members.iter().map(|member| &*member.name)),
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(SetError::new(problems)) }
    }
}

impl<S: ?Sized> Clone for ToolSet<S> {
    fn clone(&self) -> Self {
        Self { members: self.members.clone(), by_name: self.by_name.clone(), fingerprint: self.fingerprint }
    }
}

impl<S: ?Sized> fmt::Debug for ToolSet<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.members.iter().map(|member| &member.name)).finish()
    }
}

/// Whether every provider takes the name.
fn is_tool_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn fingerprint<S: ?Sized>(members: &[Member<S>]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for member in members {
        let spec = member.entry.spec;
        // Stored: an option that was added later is appended only where it differs from its default.
        let mut policies = format!(
            "{:?} {:?} {} {} {:?} {} {:?} {} {}",
            member.scalars,
            spec.replay,
            spec.completes_run,
            spec.concurrent,
            spec.timeout,
            spec.approval,
            spec.hints,
            spec.hidden,
            spec.schema_only
        );
        if let Some(chars) = spec.max_chars {
            policies.extend([" max_chars ", &chars.to_string()]);
        }
        if spec.keep_result {
            policies.push_str(" keep_result");
        }
        for part in [&*member.name, spec.description, member.compiled.schema.get(), &policies] {
            hasher.update(&part.len().to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    hasher.finalize()
}
