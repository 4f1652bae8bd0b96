pub(crate) fn declare(_input: proc_macro2::TokenStream) -> proc_macro2::TokenStream { proc_macro2::TokenStream::new() }
