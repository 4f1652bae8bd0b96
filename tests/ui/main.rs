//! Tests of the area `ui`; one module a group.
