/** Keeps what is noted on the time axis as the drawer, the list of findings and the conversations say. */

import type { SectionSource } from "../api/routes/section-source.ts";
import type { FindingsSection, MissingPart } from "../api/types.ts";
import { findingSpan, rankFindings } from "../lib/findings.ts";
import { toRel } from "../lib/time.ts";
import type { Stage } from "../timeline/stage/stage.ts";
import { NO_FILTER, passes } from "../view-state/finding-filter.ts";
import type { ViewState } from "../view-state/view-state.ts";
import type { NoteSource } from "./note-source.ts";
import { placeSpan } from "./note-threads.ts";

type Noted = Pick<ViewState, "marks" | "finding" | "found">;

export class NoteKeeper {
  readonly #stage: Stage;
  readonly #findings: SectionSource<FindingsSection | MissingPart>;
  readonly #noted: () => Noted;
  readonly #noteSource: NoteSource;
  readonly #openThread: (ids: readonly string[]) => void;
  readonly #ends: readonly (() => void)[];

  constructor(
    stage: Stage,
    findings: SectionSource<FindingsSection | MissingPart>,
    noteSource: NoteSource,
    noted: () => Noted,
    openThreads: (ids: readonly string[]) => void,
  ) {
    this.#stage = stage;
    this.#findings = findings;
    this.#noted = noted;
    this.#noteSource = noteSource;
    this.#openThread = openThreads;
    const update = () => this.update();
    this.#ends = [findings.subscribe(update), noteSource.subscribe(update)];
  }

  /** Findings that the filter leaves out have no tick; the one that was gone to always has. */
  update(): void {
    const { marks, finding: chosen, found } = this.#noted();
    const { origin } = this.#stage.scene;
    const { answer } = this.#findings.getSnapshot();
    const ranked = answer?.available ? rankFindings(answer.findings) : [];
    this.#stage.setNotes({
      marks: marks.map(({ at, name }) => ({ at: toRel(origin, at), name })),
      findings: ranked
        .filter(({ key, finding }) => key === chosen || passes(finding, found ?? NO_FILTER))
        .map(({ key, finding }) => ({
          ...findingSpan(finding, origin),
          severity: finding.severity,
          chosen: key === chosen,
        })),
      said: (this.#noteSource.getSnapshot().notes ?? []).flatMap(({ id, parent_id, place }) => {
        const span = parent_id === null ? placeSpan(place, origin) : null;
        return span ? [{ id, at: span.from }] : [];
      }),
      openThreads: this.#openThread,
    });
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}
