/**
 * What the timeline has done so far, in counts. Times differ with the machine, counts with the work alone: so a test can
 * say that a frame draws no more than what is seen, and that nothing but the canvases is touched while the window moves.
 */
export const work = {
  /** Frames in which lanes were drawn. */
  frames: 0,
  /** Lanes that were drawn in them. */
  lanes: 0,
  /** Times that React was notified. */
  snapshots: 0,
};

/** Read by name from outside of the page's own script; nothing here reads it. */
Object.assign(globalThis, { numalensWork: work });
