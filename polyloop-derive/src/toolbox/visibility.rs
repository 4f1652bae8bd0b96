//! A type one module further down, visible wherever its method is.

use quote::ToTokens;
use syn::{Visibility, parse_quote};

/// The visibility that means, inside the generated module, what `outside` means around it.
pub(super) fn one_deeper(outside: &Visibility) -> Visibility {
    let Visibility::Restricted(restricted) = outside else {
        return match outside {
            Visibility::Public(_) => outside.clone(),
            _ => parse_quote!(pub(super)),
        };
    };
    let path = &restricted.path;
    if path.is_ident("self") {
        return parse_quote!(pub(super));
    }
    match path.segments.first() {
        Some(first) if first.ident == "super" => parse_quote!(pub(in super::#path)),
        Some(first) if first.ident == "self" => {
            let rest = path.segments.iter().skip(1);
            parse_quote!(pub(in super #(::#rest)*))
        }
        _ => outside.clone(),
    }
}

/// The narrowest visibility of the module that hides none of its types: the one they share, else the widest kind.
pub(super) fn of_all<'a>(mut visibilities: impl Iterator<Item = &'a Visibility>) -> Visibility {
    let Some(first) = visibilities.next() else {
        return Visibility::Inherited;
    };
    let mut widest = first.clone();
    let text = |visibility: &Visibility| visibility.to_token_stream().to_string();
    for other in visibilities.filter(|other| text(other) != text(first)) {
        widest = match (&widest, other) {
            (Visibility::Public(_), _) | (_, Visibility::Inherited) => widest,
            (_, Visibility::Public(_)) | (Visibility::Inherited, _) => other.clone(),
            (Visibility::Restricted(_), Visibility::Restricted(_)) => parse_quote!(pub(crate)),
        };
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeper(outside: &Visibility) -> String {
        one_deeper(outside).to_token_stream().to_string()
    }

    #[test]
    fn a_type_is_as_visible_as_its_method() {
        assert_eq!(deeper(&Visibility::Inherited), "pub (super)");
        assert_eq!(deeper(&parse_quote!(pub)), "pub");
        assert_eq!(deeper(&parse_quote!(pub(crate))), "pub (crate)");
        assert_eq!(deeper(&parse_quote!(pub(self))), "pub (super)");
        assert_eq!(deeper(&parse_quote!(pub(super))), "pub (in super :: super)");
        assert_eq!(deeper(&parse_quote!(pub(in crate::a))), "pub (in crate :: a)");
    }

    #[test]
    fn a_module_is_as_visible_as_its_most_visible_type() {
        let all: [Visibility; 3] = [Visibility::Inherited, parse_quote!(pub(super)), Visibility::Inherited];
        assert_eq!(of_all(all.iter()).to_token_stream().to_string(), "pub (super)");
        let all: [Visibility; 2] = [parse_quote!(pub(crate)), parse_quote!(pub)];
        assert_eq!(of_all(all.iter()).to_token_stream().to_string(), "pub");
    }
}
