//! Tests of the area `tools`; one module a group.
