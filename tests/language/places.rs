//! Where tools and fragments may be declared, and how they are imported.

use polyloop::{ContextFragment, Registry, Render, State, registry, tool, toolbox};

/// Tools in a module of their own.
mod forecast {
    use polyloop::{tool, toolbox};

    /// Tells the weather.
    #[tool]
    pub(super) async fn weather(
        /// Where.
        place: String,
    ) -> String {
        format!("rain in {place}")
    }

    /// Tells the temperature.
    #[tool(type = TemperatureTool, name = "temperature_of")]
    pub(super) async fn temperature() -> String {
        "12 °C".to_owned()
    }

    pub(super) mod deep {
        /// Tells the wind.
        #[polyloop::tool]
        pub(in crate::places) async fn wind() -> String {
            "calm".to_owned()
        }
    }

    pub(super) struct Station(pub(super) u8);

    #[toolbox]
    impl Station {
        /// Measures.
        #[tool]
        pub(super) async fn measure(
            &self,
            /** Plus. */
            plus: u8,
        ) -> String {
            (self.0 + plus).to_string()
        }

        /// Measures for the module only.
        #[tool]
        async fn inside(&self) -> String {
            self.0.to_string()
        }
    }

    polyloop::registry! {
        pub(super) struct Inside {
            state: Station,
            tools: [station_tools::inside, station_tools::measure],
        }
    }
}

/// A module with the name of its tool; the tool's type steps aside.
mod tide {
    /// Tells the tide.
    #[polyloop::tool(type = TideTool)]
    pub(super) async fn tide() -> String {
        "low".to_owned()
    }
}

mod by_name {
    use super::forecast::weather;

    polyloop::registry! { pub(super) struct ByName { tools: [weather] } }

    #[tokio::test]
    async fn one_import_brings_the_function_and_the_type() {
        assert_eq!(weather("Rome".to_owned()).await, "rain in Rome");
        assert_eq!(crate::schema::<ByName>("weather")["required"][0], "place");
    }
}

mod by_other_name {
    use super::forecast::weather as sky;

    polyloop::registry! { pub(super) struct ByOtherName { tools: [sky] } }

    #[tokio::test]
    async fn an_import_by_another_name_brings_both() {
        assert_eq!(sky("Rome".to_owned()).await, "rain in Rome");
        assert_eq!(crate::schema::<ByOtherName>("weather")["required"][0], "place");
    }
}

mod by_glob {
    use super::forecast::deep::*;
    use super::forecast::*;

    polyloop::registry! { pub(super) struct ByGlob { tools: [weather, TemperatureTool, wind] } }

    #[tokio::test]
    async fn a_glob_brings_both() {
        assert_eq!(weather("Rome".to_owned()).await, "rain in Rome");
        assert_eq!(temperature().await, "12 °C");
        assert_eq!(wind().await, "calm");
    }
}

mod by_reexport {
    pub(super) use super::tide::{TideTool, tide};

    polyloop::registry! { pub(super) struct ByReexport { tools: [TideTool] } }
}

#[tokio::test]
async fn the_type_of_a_tool_may_have_another_name() {
    assert_eq!(by_reexport::tide().await, "low");
    let tools = by_glob::ByGlob::tools().unwrap();
    assert_eq!(
        tools.tools().map(|(name, _)| name).collect::<Vec<_>>(),
        ["weather", "temperature_of", "wind"]
    );
}

#[test]
fn a_tool_with_another_type_runs() {
    assert_eq!(crate::observed::<by_reexport::ByReexport>((), "tide", "{}"), "low");
    assert_eq!(crate::observed::<by_glob::ByGlob>((), "temperature_of", "{}"), "12 °C");
}

#[test]
fn a_toolbox_is_registered_beside_it_and_from_elsewhere() {
    use forecast::{Inside, Station, station_tools};

    registry! {
        struct Outside { state: Station, tools: [station_tools::measure] }
    }

    assert_eq!(crate::observed::<Inside>(Station(3), "inside", "{}"), "3");
    assert_eq!(crate::observed::<Outside>(Station(3), "measure", r#"{"plus": 2}"#), "5");
}

#[test]
fn everything_may_be_declared_in_the_body_of_a_function() {
    #[derive(ContextFragment)]
    #[fragment(role = user, markers("<local>", "</local>"), max_chars = 100, body = "{x}")]
    struct Local {
        x: u8,
    }

    #[derive(State)]
    struct LocalState {
        shelf: Shelf,
        count: u32,
    }

    struct Shelf {
        books: Vec<&'static str>,
    }

    #[toolbox]
    impl Shelf {
        /// Lists the books.
        #[tool]
        async fn list(&self, #[state] count: &u32) -> String {
            format!("{} of {count}", self.books.join(", "))
        }
    }

    /// Doubles.
    #[tool]
    async fn double(
        /** A number. */
        number: u32,
    ) -> String {
        (number * 2).to_string()
    }

    registry! {
        struct LocalApp {
            state: LocalState,
            fragments: [Local],
            tools: [shelf_tools::list, double],
            max_chars: 1_000,
        }
    }

    let state = || LocalState { shelf: Shelf { books: vec!["a", "b"] }, count: 9 };
    assert_eq!(crate::observed::<LocalApp>(state(), "list", "{}"), "a, b of 9");
    assert_eq!(crate::observed::<LocalApp>(state(), "double", r#"{"number": 4}"#), "8");
    let rendered = Local { x: 1 }.render().unwrap();
    assert_eq!(LocalApp::recognize(rendered.text()).unwrap().kind, LocalAppKind::Local);
}
