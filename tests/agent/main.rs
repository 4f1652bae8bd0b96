//! Tests of the area `agent`; one module a group.
