pub(crate) fn attribute(_options: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> proc_macro2::TokenStream { item }
