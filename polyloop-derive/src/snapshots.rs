//! What the macros write, formatted, for review; and how much it is.

use proc_macro2::TokenStream;
use quote::quote;

/// The expansion as a person would have written it.
fn formatted(expansion: TokenStream) -> String {
    let file =
        syn::parse2(expansion).unwrap_or_else(|error| unreachable!("the expansion does not parse: {error}"));
    prettyplease::unparse(&file)
}

/// Checks an expansion against the reviewed one, and that it stays short: it is data and one call.
fn assert_reviewed(name: &str, expansion: TokenStream, most_lines: usize) {
    let text = formatted(expansion);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
    let lines = text.lines().count();
    assert!(lines <= most_lines, "the expansion of `{name}` has {lines} lines, over {most_lines}");
}

#[test]
fn a_fragment_of_three_fields_is_a_table_and_one_call() {
    let fragment = quote! {
        /// Where the agent works.
        #[fragment(role = user, markers("<environment>", "</environment>"), lifetime = latest, max_chars = 2_000)]
        #[fragment(absent = "The environment described earlier no longer applies.")]
        #[fragment(body = "\n  <cwd>{cwd}</cwd>\n  <shell>{shell}</shell>\n  <sandbox>{sandbox}</sandbox>\n")]
        struct Environment {
            cwd: String,
            shell: String,
            #[fragment(raw)]
            sandbox: Sandbox,
        }
    };
    assert_reviewed("fragment", crate::fragment::derive(fragment), 60);
}

#[test]
fn a_fragment_of_two_variants_is_a_table_and_a_match() {
    let fragment = quote! {
        #[fragment(role = developer, unmarked = "short", slot = turn, lifetime = once, max_chars = 200)]
        enum News {
            #[fragment(body = "{who} came.")]
            Came { who: String },
            #[fragment(body = left)]
            Left(String),
        }
    };
    assert_reviewed("fragment_enum", crate::fragment::derive(fragment), 60);
}

#[test]
fn a_tool_of_three_arguments_is_a_table_and_one_call() {
    let tool = quote! {
        /// Reads a file below the root.
        pub async fn read_file(
            #[state] workspace: &Workspace,
            /// The path, relative to the root.
            path: String,
            /// The first line, counted from 1.
            #[arg(default = 1, range(1..))]
            from_line: u32,
            /// How many lines.
            #[arg(example = 40)]
            lines: Option<u32>,
        ) -> Result<String, ToolError> {
            workspace.read(&path, from_line, lines).await
        }
    };
    assert_reviewed("tool", crate::tool::attribute(quote!(replay = safe), tool), 120);
}

#[test]
fn a_tool_with_a_conditional_state_is_written_for_both_outcomes() {
    let tool = quote! {
        /// Counts.
        async fn count(
            #[cfg(unix)]
            #[state]
            sockets: &Sockets,
        ) -> String {
            String::new()
        }
    };
    assert_reviewed("tool_with_conditional_state", crate::tool::attribute(TokenStream::new(), tool), 120);
}

#[test]
fn a_toolbox_is_the_block_a_module_of_types_and_their_implementations() {
    let toolbox = quote! {
        impl Workspace {
            /// Lists the files.
            #[tool(read_only)]
            pub async fn list(&self) -> String {
                self.names.join("\n")
            }

            /// Removes a file.
            #[tool(destructive, approval)]
            pub(crate) async fn remove(
                &self,
                /// The path.
                path: String,
            ) -> Result<String, std::io::Error> {
                self.delete(&path).await
            }
        }
    };
    assert_reviewed("toolbox", crate::toolbox::attribute(TokenStream::new(), toolbox), 120);
}

#[test]
fn a_state_is_one_implementation_for_each_field() {
    let state = quote! {
        struct AppState {
            db: Db,
            #[state(skip)]
            started: Instant,
            mail: Mail,
        }
    };
    assert_reviewed("state", crate::state::derive(state), 30);
}

#[test]
fn a_registry_is_two_tables_a_mark_for_each_entry_and_the_checks() {
    let registry = quote! {
        /// Everything that this application may show a model.
        pub struct App {
            state: AppState,
            fragments: [Environment, other::News as Latest],
            tools: [read_file, workspace_tools::list],
            max_chars: 80_000,
        }
    };
    assert_reviewed("registry", crate::registry::declare(registry), 160);
}

#[cfg(feature = "mcp")]
#[test]
fn pinned_tools_are_a_module_of_types_and_one_call_each() {
    let tools = quote!(
        "../polyloop-derive/src/mcp_tools/tests/notes.lock.json",
        trusted,
        approval("purge"),
        except("type", "add")
    );
    assert_reviewed("mcp_tools", crate::mcp_tools::declare(tools), 90);
}
