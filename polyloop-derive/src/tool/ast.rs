//! The tool as its author wrote it, each part with the tokens that an error underlines.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{
    Attribute, Expr, FnArg, Ident, LitStr, Pat, Path, Receiver, ReturnType, Signature, Type, Visibility,
};

use super::attr::{ArgOptions, ToolOptions};
use super::function::{Function, is_tool_attribute};
use super::tokens::{bare, find_word};
use crate::common::docs::{self, Description};
use crate::common::sink::Sink;

/// Where the function stands, which decides how it is called and what its receiver may be.
pub(crate) enum Home {
    /// A function of a module or of a block.
    Module,
    /// A method in a `#[toolbox] impl Owner`.
    Toolbox(Box<Type>),
}

/// What a parameter may be marked with.
const MARKS: [&str; 3] = ["arg", "state", "call"];

/// Attributes of a parameter that must not depend on a condition, which a macro cannot evaluate.
pub(super) const UNCONDITIONAL: [&str; 4] = ["arg", "state", "call", "doc"];

/// One tool.
pub(crate) struct Tool {
    pub(crate) home: Home,
    pub(crate) options: ToolOptions,
    pub(crate) krate: Option<Path>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// The name of the generated type.
    pub(crate) type_name: Ident,
    /// The name that the model sees.
    pub(crate) name: LitStr,
    pub(crate) description: Description,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_deprecated: bool,
    pub(crate) has_body: bool,
    /// A `#[tool]` below the one that is being expanded.
    pub(crate) repeated: Option<Attribute>,
    /// A `Self` in the head, which means that this is a method.
    pub(crate) self_word: Option<TokenStream>,
    pub(crate) parameters: Vec<Parameter>,
}

/// One parameter that is no receiver.
pub(crate) struct Parameter {
    /// Our own name for the value. Never the user's: a constant of that name would make it a pattern.
    pub(crate) local: Ident,
    /// The user's name, if the pattern is one.
    pub(crate) ident: Option<Ident>,
    pub(crate) pattern: Pat,
    pub(crate) ty: Type,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) kind: Kind,
    /// Marks beside `#[state]` or `#[call]`; there is room for one.
    pub(crate) contradicting: Vec<Attribute>,
    /// A mark or a doc comment under a condition, with its name.
    pub(crate) conditional: Option<(Attribute, String)>,
}

/// Who fills in the parameter.
pub(crate) enum Kind {
    Argument(Box<Argument>),
    /// The registry's state; the type behind the reference.
    State(Attribute),
    /// The call itself.
    Call(Attribute),
}

/// A parameter that the model fills in.
pub(crate) struct Argument {
    pub(crate) options: ArgOptions,
    /// The name that the model sees.
    pub(crate) name: LitStr,
    pub(crate) description: Description,
}

impl Tool {
    /// Reads options and parameters; what cannot be read at all goes to the sink.
    pub(crate) fn read(
        options: TokenStream,
        function: &Function,
        home: Home,
        krate: Option<&Path>,
        sink: &Sink,
    ) -> Self {
        let options = ToolOptions::read(options, sink);
        let Function { attributes, visibility, signature, .. } = function;
        let ident = &signature.ident;
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(parameter) => Some(Parameter::read(parameter, sink)),
            FnArg::Receiver(_) => None,
        });
        Self {
            krate: options.krate.as_ref().or(krate).cloned(),
            visibility: visibility.clone(),
            signature: signature.clone(),
            type_name: options.type_name.clone().unwrap_or_else(|| ident.clone()),
            name: text_or(options.name.as_ref(), &ident.unraw().to_string(), ident.span()),
            description: described(options.description.as_ref(), attributes, ident.span()),
            cfgs: cfgs(attributes),
            is_deprecated: attributes.iter().any(deprecates),
            has_body: function.has_body(),
            repeated: attributes.iter().find(|attribute| is_tool_attribute(attribute)).cloned(),
            self_word: find_word(signature, "Self").map(ToTokens::into_token_stream),
            parameters: parameters.collect(),
            home,
            options,
        }
    }

    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.signature.receiver()
    }

    /// The type that the function returns, if it says so.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Type(_, ty) => Some(ty),
            ReturnType::Default => None,
        }
    }

    pub(crate) fn schema_only(&self) -> Option<&Ident> {
        self.options.flag("schema_only")
    }
}

impl Parameter {
    fn read(parameter: &syn::PatType, sink: &Sink) -> Self {
        let ident = match &*parameter.pat {
            Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => Some(name.ident.clone()),
            _ => None,
        };
        let span = ident.as_ref().map_or_else(Span::call_site, Ident::span);
        let name = ident.as_ref().map_or_else(String::new, |ident| ident.unraw().to_string());
        let is = |attribute: &&Attribute, mark: &str| attribute.path().is_ident(mark);
        let marked = parameter.attrs.iter().find(|attribute| is(attribute, "state") || is(attribute, "call"));
        let kind = match marked {
            Some(mark) if is(&mark, "state") => Kind::State(mark.clone()),
            Some(mark) => Kind::Call(mark.clone()),
            None => Kind::Argument(Box::new(Argument::read(&parameter.attrs, &name, span, sink))),
        };
        let contradicting = match marked {
            Some(chosen) => others(&parameter.attrs, chosen),
            None => Vec::new(),
        };
        Self {
            local: format_ident!("__arg_{name}", span = Span::mixed_site()),
            ident,
            pattern: (*parameter.pat).clone(),
            ty: (*parameter.ty).clone(),
            cfgs: cfgs(&parameter.attrs),
            kind,
            contradicting,
            conditional: docs::conditional(&parameter.attrs, &UNCONDITIONAL)
                .map(|(attribute, word)| (attribute.clone(), word)),
        }
    }

    /// The type behind the reference, for a parameter that borrows.
    pub(crate) fn referent(&self) -> Option<&Type> {
        match bare(&self.ty) {
            Type::Reference(reference) => Some(bare(&reference.elem)),
            _ => None,
        }
    }

    pub(crate) fn argument(&self) -> Option<&Argument> {
        match &self.kind {
            Kind::Argument(argument) => Some(argument),
            Kind::State(_) | Kind::Call(_) => None,
        }
    }
}

impl Argument {
    /// The argument with its name, for a parameter that is one and has one.
    pub(crate) fn of(parameter: &Parameter) -> Option<(&Ident, &Self)> {
        parameter.ident.as_ref().zip(parameter.argument())
    }

    fn read(attributes: &[Attribute], name: &str, span: Span, sink: &Sink) -> Self {
        let options = ArgOptions::read(attributes, sink);
        Self {
            name: text_or(options.rename.as_ref(), name, span),
            description: described(options.description.as_ref(), attributes, span),
            options,
        }
    }
}

/// What is given outright wins over what follows from the source.
fn text_or(given: Option<&LitStr>, otherwise: &str, span: Span) -> LitStr {
    given.cloned().unwrap_or_else(|| LitStr::new(otherwise, span))
}

/// The description that an option gives; otherwise that of the doc comments.
fn described(given: Option<&Expr>, attributes: &[Attribute], span: Span) -> Description {
    given.map_or_else(|| Description::documented(attributes, span), |value| Description::given(value, span))
}

/// The marks of a parameter beside the one that was chosen.
fn others(attributes: &[Attribute], chosen: &Attribute) -> Vec<Attribute> {
    let is_mark = |attribute: &&Attribute| MARKS.iter().any(|mark| attribute.path().is_ident(mark));
    attributes.iter().filter(is_mark).filter(|other| !std::ptr::eq(*other, chosen)).cloned().collect()
}

/// Whether the attribute deprecates, perhaps on a condition that only the compiler knows.
fn deprecates(attribute: &Attribute) -> bool {
    let conditional =
        attribute.path().is_ident("cfg_attr") && find_word(&attribute.meta, "deprecated").is_some();
    conditional || attribute.path().is_ident("deprecated")
}

fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}
