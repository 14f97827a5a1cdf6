/**
 * Counts of the timeline's work so far. Times differ with the machine, counts only with the work. So a test can
 * check that a frame draws only the visible part, and that only the canvases change while the window moves.
 */
export const work = {
  /** Frames in which lanes were drawn. */
  frames: 0,
  /** Lanes that were drawn in them. */
  lanes: 0,
  /** Number of notifications of React. */
  snapshots: 0,
};

/** Read by name from outside of the page's own script; nothing here reads it. */
Object.assign(globalThis, { numalensWork: work });
