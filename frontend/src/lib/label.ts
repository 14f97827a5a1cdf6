/** Where knowledge comes from. */

/**
 * Observed stands in an event; replayed follows from events by the kernel's own rules; inferred is a replay that lacks
 * something, which the note names; what-if is what rules would have given that the traced kernel did not run.
 */
export type Label = "observed" | "replayed" | "inferred" | "what-if";
