//! The tools of a prompt as a provider reads them, made once for each set.

use std::sync::{Arc, Mutex, PoisonError};

use crate::dialect::{LoweredTools, SchemaReader};
use crate::error::ToolsRefused;
use crate::message::ToolDefinition;

/// The sets are few: that of an agent, and those with some of its hidden tools.
const MOST_SETS: usize = 8;

type Known = (Arc<[ToolDefinition]>, Arc<LoweredTools>);

/// The sets that were lowered.
#[derive(Debug, Default)]
pub(super) struct ToolCache(Mutex<Vec<Known>>);

impl ToolCache {
    /// Lowers the tools, unless that was done before.
    pub(super) fn lowered(
        &self,
        tools: &Arc<[ToolDefinition]>,
        reader: SchemaReader,
    ) -> Result<Arc<LoweredTools>, ToolsRefused> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lowered)) = known.iter().find(|(known, _)| Arc::ptr_eq(known, tools)) {
            return Ok(lowered.clone());
        }
        let lowered = Arc::new(LoweredTools::new(tools, reader)?);
        if tools.is_empty() {
            // Each prompt without tools has a set of its own.
            return Ok(lowered);
        }
        if known.len() == MOST_SETS {
            known.remove(0);
        }
        known.push((tools.clone(), lowered.clone()));
        Ok(lowered)
    }
}
