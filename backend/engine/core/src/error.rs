use arrow_schema::ArrowError;

/// What can go wrong in a replay or a query, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Columns could not be read or built.
    #[error("event columns: {0}")]
    Arrow(#[from] ArrowError),
    /// Written bytes could not be put away.
    #[error("writing the timeline: {0}")]
    Io(#[from] std::io::Error),
    /// An index does not hold together.
    #[error("the timeline index is damaged: {0}")]
    Damaged(String),
    /// Whoever watches the progress wants the work to stop.
    #[error("stopped")]
    Stopped,
}
