//! What may be done with a set of tools.

use std::time::{Duration, Instant};

use polyloop::{
    Agent, CallError, Dialect, Registry, Scalars, Scripted, SetError, SetProblem, ToolEntry, ToolExecutor,
    ToolSet, registry, tool,
};
use serde_json::Value;

use crate::support::takes;

/// Reads a file.
#[tool(replay = safe)]
async fn read_file(
    /// Where it is.
    path: String,
    /// The first line.
    #[arg(default = 1)]
    from: u32,
) -> String {
    format!("{path} {from}")
}

/// Writes a file.
#[tool]
async fn write_file(
    /// Where it is.
    path: String,
) -> String {
    path
}

/// Hands in the answer.
#[tool(completes_run)]
async fn submit(
    /// The answer.
    answer: String,
) -> String {
    answer
}

/// Is there, and not shown.
#[tool(hidden)]
async fn secret() -> &'static str {
    "hidden"
}

/// Searches; somebody else does it.
#[tool(schema_only)]
async fn search(
    /// What for.
    query: String,
) -> String;

/// Counts; somebody else does it.
#[tool(schema_only)]
async fn count() -> String;

registry! { struct App { tools: [read_file, write_file, submit, secret] } }
registry! { struct Exact { tools: [write_file, submit, search, count], scalars: exact } }

fn names<S>(set: &ToolSet<S>) -> Vec<String> {
    set.tools().map(|(name, _)| name.to_owned()).collect()
}

fn problems<S>(result: Result<ToolSet<S>, SetError>) -> Vec<SetProblem> {
    match result {
        Ok(set) => panic!("built: {set:?}"),
        Err(error) => error.problems().to_vec(),
    }
}

#[test]
fn tools_stand_in_the_order_of_the_registry_and_are_found_by_name() {
    let set = App::tools().unwrap();
    assert_eq!(names(&set), ["read_file", "write_file", "submit", "secret"]);
    assert_eq!((set.len(), set.is_empty()), (4, false));
    assert_eq!(set.get("submit").map(|spec| spec.completes_run), Some(true));
    assert!(set.get("Submit").is_none());
    assert!(set.schema("nope", Dialect::Canonical).is_err());
}

#[test]
fn the_model_is_shown_every_tool_that_is_not_hidden() {
    let set = App::tools().unwrap();
    let shown: Value = serde_json::from_str(&set.schema_for_model(Dialect::Canonical).unwrap()).unwrap();
    let shown = shown.as_array().unwrap();
    let names: Vec<&str> = shown.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_file", "write_file", "submit"]);
    assert_eq!(
        set.restrict_to_names(&["write_file"]).unwrap().schema_for_model(Dialect::Canonical).unwrap(),
        concat!(
            r#"[{"name":"write_file","description":"Writes a file.","parameters":{"type":"object","properties":"#,
            r#"{"path":{"type":"string","description":"Where it is."}},"required":["path"],"additionalProperties":false}}]"#
        )
    );
}

#[test]
fn a_hidden_tool_may_be_called_but_is_never_suggested() {
    assert!(takes::<App>("secret", "{}"));
    let error = App::tools().unwrap().validate("secre", "{}").unwrap_err();
    assert_eq!(error, CallError::UnknownTool { name: "secre".into(), nearest: None });
}

#[test]
fn a_set_is_narrowed_by_type_and_the_old_one_is_unchanged() {
    let all = App::tools().unwrap();
    let two = all.restrict_to::<App, (submit, read_file)>();
    assert_eq!(names(&two), ["read_file", "submit"], "in the order of the set");
    assert_eq!(names(&all.without::<App, submit>()), ["read_file", "write_file", "secret"]);
    assert_eq!(names(&all), ["read_file", "write_file", "submit", "secret"]);
    assert!(matches!(two.validate("write_file", "{}"), Err(CallError::UnknownTool { .. })));
    assert_eq!(two.validate("submit", r#"{"answer":"a"}"#).unwrap().spec().name, "submit");
}

#[test]
fn a_type_is_found_again_under_another_name() {
    let all = App::tools().unwrap();
    let renamed = all.prefixed("x_").unwrap();
    assert_eq!(names(&renamed.restrict_to::<App, (submit,)>()), ["x_submit"]);
    assert_eq!(names(&renamed.without::<App, submit>()), ["x_read_file", "x_write_file", "x_secret"]);
    let both = all.merged(&renamed).unwrap();
    assert_eq!(names(&both.restrict_to::<App, (submit,)>()), ["submit", "x_submit"]);
}

#[test]
fn names_that_are_data_are_checked_and_all_unknown_ones_listed() {
    let all = App::tools().unwrap();
    assert_eq!(names(&all.restrict_to_names(&["submit", "read_file"]).unwrap()), ["read_file", "submit"]);
    assert_eq!(names(&all.without_names(&["submit"]).unwrap()), ["read_file", "write_file", "secret"]);
    assert!(all.restrict_to_names::<&str>(&[]).unwrap().is_empty());
    for result in
        [all.restrict_to_names(&["sumbit", "submit", "zzz"]), all.without_names(&["sumbit", "submit", "zzz"])]
    {
        let expected = [
            SetProblem::Unknown { name: "sumbit".into(), nearest: Some("submit".into()) },
            SetProblem::Unknown { name: "zzz".into(), nearest: None },
        ];
        assert_eq!(problems(result), expected);
    }
}

#[test]
fn a_prefix_stands_before_every_name_and_the_calls_still_arrive() {
    let renamed = App::tools().unwrap().prefixed("x_").unwrap();
    assert_eq!(names(&renamed), ["x_read_file", "x_write_file", "x_submit", "x_secret"]);
    assert!(renamed.validate("x_submit", r#"{"answer":"a"}"#).is_ok());
    assert!(renamed.validate("submit", r#"{"answer":"a"}"#).is_err());
    assert!(renamed.schema_for_model(Dialect::Canonical).unwrap().contains(r#""name":"x_submit""#));
}

#[test]
fn a_prefix_that_makes_a_name_which_providers_refuse_is_refused_for_every_tool() {
    let all = App::tools().unwrap();
    for prefix in ["a.b", "1", &"x".repeat(60), "ä", " "] {
        let found = problems(all.prefixed(prefix));
        assert_eq!(found.len(), 4, "{prefix}: {found:?}");
        assert!(matches!(found[0], SetProblem::Name { .. }));
    }
}

#[test]
fn merging_lists_all_collisions() {
    let (app, exact) = (App::tools().unwrap(), Exact::tools().unwrap());
    let found = problems(app.merged(&exact));
    assert_eq!(found, [SetProblem::Collision { tools: vec!["write_file".into(), "submit".into()] }]);
    let merged = app.merged(&exact.prefixed("x_").unwrap()).unwrap();
    assert_eq!(merged.len(), 8);
}

#[test]
fn an_agent_has_no_tool_of_another_registry_also_where_the_state_is_the_same() {
    let build = |tools| Agent::<App>::builder(Scripted::replies([])).tools(tools).build();
    let own = App::tools().unwrap();
    assert!(build(own.prefixed("x_").unwrap()).is_ok(), "the same tools, under other names");
    let both = own.merged(&Exact::tools().unwrap().prefixed("exact_").unwrap()).unwrap();
    let refused = build(both).unwrap_err().to_string();
    assert!(
        refused.ends_with(
            "`App` does not list `exact_search`, `exact_count`; add what is missing under `tools` in `registry!`"
        ),
        "{refused}"
    );
}

#[test]
fn two_tools_of_one_name_make_no_set() {
    let entries: [ToolEntry<()>; 3] =
        [ToolEntry::new::<submit>(), ToolEntry::new::<secret>(), ToolEntry::new::<submit>()];
    let found = problems(ToolSet::new(&entries, Scalars::Near));
    assert_eq!(found, [SetProblem::Collision { tools: vec!["submit".into()] }]);
}

#[test]
fn merging_changes_no_check() {
    let exact = Exact::tools().unwrap().prefixed("exact_").unwrap();
    let near = ToolSet::<()>::new(&[ToolEntry::new::<read_file>()], Scalars::Near).unwrap();
    let arguments = r#"{"path":"a","from":"2"}"#;
    for merged in [near.merged(&exact).unwrap(), exact.merged(&near).unwrap()] {
        assert!(merged.validate("read_file", arguments).is_ok());
    }
    let strict = ToolSet::<()>::new(&[ToolEntry::new::<read_file>()], Scalars::Exact).unwrap();
    for merged in [near.merged(&strict.prefixed("x_").unwrap()), strict.prefixed("x_").unwrap().merged(&near)]
    {
        let merged = merged.unwrap();
        assert!(merged.validate("read_file", arguments).is_ok());
        assert!(merged.validate("x_read_file", arguments).is_err());
    }
}

#[test]
fn an_executor_names_all_tools_without_a_handler() {
    let set = Exact::tools().unwrap();
    let expected = [SetProblem::NoHandler { tools: vec!["search".into(), "count".into()] }];
    assert_eq!(set.executor(()).unwrap_err().problems(), expected);
    assert_eq!(ToolExecutor::new(set.clone(), ()).unwrap_err().problems(), expected);
    let rest = set.without::<Exact, search>().without::<Exact, count>();
    assert_eq!(rest.executor(()).unwrap().tools().fingerprint(), rest.fingerprint());
    assert!(set.validate("search", r#"{"query":"a"}"#).is_ok(), "the checks are there without a handler");
    assert!(set.validate("search", "{}").is_err());
}

#[test]
fn equal_sets_have_equal_fingerprints_and_others_do_not() {
    let all = App::tools().unwrap();
    assert_eq!(all.fingerprint(), App::tools().unwrap().fingerprint());
    assert_eq!(all.without::<App, submit>().fingerprint(), {
        all.restrict_to_names(&["read_file", "write_file", "secret"]).unwrap().fingerprint()
    });
    let set = |entries: &[ToolEntry<()>], scalars| ToolSet::new(entries, scalars).unwrap().fingerprint();
    let one = ToolEntry::new::<submit>();
    let other = ToolEntry::new::<write_file>();
    let fingerprints = [
        all.fingerprint(),
        all.prefixed("x_").unwrap().fingerprint(),
        all.without::<App, secret>().fingerprint(),
        set(&[one, other], Scalars::Near),
        set(&[other, one], Scalars::Near),
        set(&[one, other], Scalars::Exact),
        set(&[one], Scalars::Near),
        set(&[], Scalars::Near),
    ];
    for (at, left) in fingerprints.iter().enumerate() {
        for right in &fingerprints[at + 1..] {
            assert_ne!(left, right);
        }
    }
}

#[test]
fn a_schema_is_made_once_for_each_process() {
    let (first, second) = (App::tools().unwrap(), App::tools().unwrap());
    let pointer = |set: &ToolSet<()>| set.schema("submit", Dialect::Canonical).unwrap().as_ptr();
    assert_eq!(pointer(&first), pointer(&second));
    assert_eq!(pointer(&first), pointer(&first.prefixed("x_").unwrap().merged(&first).unwrap()));
}

mod many {
    //! Fifty tools.

    macro_rules! tools {
        ($($name:ident)*) => {
            $(
                /// One of many.
                #[polyloop::tool(replay = safe)]
                async fn $name(
                    /// Where.
                    city: String,
                    /// How many.
                    days: u32,
                ) -> String {
                    format!("{city} {days}")
                }
            )*
            polyloop::registry! { pub(super) struct Fifty { tools: [$($name),*] } }
            polyloop::registry! { pub(super) struct One { tools: [t00] } }
        };
    }

    tools! {
        t00 t01 t02 t03 t04 t05 t06 t07 t08 t09 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20 t21 t22 t23 t24
        t25 t26 t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39 t40 t41 t42 t43 t44 t45 t46 t47 t48 t49
    }
}

/// The shortest of many times, so that other work on the machine does not count.
fn shortest<R: Registry>(name: &str) -> Duration {
    let set = R::tools().unwrap();
    let once = || {
        let start = Instant::now();
        for _ in 0..500 {
            assert!(set.validate(name, r#"{"city":"Oslo","days":3}"#).is_ok());
        }
        start.elapsed()
    };
    (0..30).map(|_| once()).min().unwrap()
}

#[test]
fn dispatch_costs_the_same_with_1_and_with_50_tools() {
    assert_eq!(many::Fifty::tools().unwrap().len(), 50);
    let (one, fifty) = (shortest::<many::One>("t00"), shortest::<many::Fifty>("t49"));
    assert!(fifty < one * 3, "1 tool: {one:?}, 50 tools: {fifty:?}");
}
