pub(crate) fn derive(_input: proc_macro2::TokenStream) -> proc_macro2::TokenStream { proc_macro2::TokenStream::new() }
