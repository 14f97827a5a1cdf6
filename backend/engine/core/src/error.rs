use arrow_schema::ArrowError;

/// What can go wrong in a replay or a query, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Columns could not be read or built.
    #[error("event columns: {0}")]
    Arrow(Box<ArrowError>),
    /// Written bytes could not be put away.
    #[error("writing the timeline: {0}")]
    Io(#[from] std::io::Error),
    /// A file of a bundle does not hold together.
    #[error("This bundle is damaged: {0}")]
    Damaged(String),
    /// Whoever watches the progress wants the work to stop.
    #[error("stopped")]
    Stopped,
}

impl From<ArrowError> for EngineError {
    /// What is no Arrow IPC file is one of a bundle, which nothing else is read from.
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IpcError(why) => Self::Damaged(why),
            other => Self::Arrow(Box::new(other)),
        }
    }
}
