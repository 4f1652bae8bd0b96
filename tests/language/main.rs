//! Tests of the area `language`; one module a group.
