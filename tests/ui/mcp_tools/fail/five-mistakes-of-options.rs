use polyloop::mcp_tools;

mcp_tools!(
    "../../../../tests/ui/mcp_tools/locks/notes.json",
    trusted = true,
    timeout = "3 hours",
    rename("purge" = "clear all"),
    except("everything"),
    approval("notes.raed"),
);

fn main() {}
