//! Tests of the area `fragments`; one module a group.
