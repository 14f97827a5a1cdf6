export {
  imbalanceWords,
  MARKS,
  Mark,
  type Marked,
  type MarkTrack,
  markOf,
  noCpuText,
  verdictText,
  verdictWord,
  wayText,
} from "./attempt-glyphs.ts";
export { attemptFact, MarkSource, markRows, waitFact } from "./mark-facts.ts";
