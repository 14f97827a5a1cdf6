use arrow_schema::ArrowError;

/// Errors of a replay or a query, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Columns could not be read or built.
    #[error("event columns: {0}")]
    Arrow(Box<ArrowError>),
    /// Bytes could not be written.
    #[error("writing the timeline: {0}")]
    Io(#[from] std::io::Error),
    /// A file of a bundle is inconsistent.
    #[error("This bundle is damaged: {0}")]
    Damaged(String),
    /// The listener of the progress wants the work to stop.
    #[error("stopped")]
    Stopped,
}

impl From<ArrowError> for EngineError {
    /// Only a bundle's files are read here, so an invalid Arrow IPC file is a damaged bundle.
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IpcError(why) => Self::Damaged(why),
            other => Self::Arrow(Box::new(other)),
        }
    }
}
