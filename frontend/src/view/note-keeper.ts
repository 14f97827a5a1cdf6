/** Keeps what is noted on the time axis as the drawer and the list of findings say. */

import type { SectionSource } from "../data/section-source.ts";
import type { FindingsSection, MissingPart } from "../data/types.ts";
import { NO_FILTER, passes } from "../logic/finding-filter.ts";
import { findingSpan, rankFindings } from "../logic/findings.ts";
import { toRel } from "../logic/time.ts";
import type { ViewState } from "../logic/view-state.ts";
import type { Stage } from "./stage.ts";

type Noted = Pick<ViewState, "marks" | "finding" | "found">;

export class NoteKeeper {
  readonly #stage: Stage;
  readonly #findings: SectionSource<FindingsSection | MissingPart>;
  readonly #noted: () => Noted;
  readonly #end: () => void;

  constructor(stage: Stage, findings: SectionSource<FindingsSection | MissingPart>, noted: () => Noted) {
    this.#stage = stage;
    this.#findings = findings;
    this.#noted = noted;
    this.#end = findings.subscribe(() => this.update());
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
    });
  }

  close(): void {
    this.#end();
  }
}
