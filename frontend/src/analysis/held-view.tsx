import { type ComponentType, type ReactNode, useCallback, useEffect, useRef } from "react";
import type { SectionState } from "../api/routes/section-source.ts";
import type { MissingPart, TimeWindow } from "../api/types.ts";
import { type Recordable, windowText } from "../lib/terms.ts";
import type { Span } from "../lib/time.ts";
import { Button } from "../ui/fields.tsx";
import { Unanswered } from "../ui/section-parts.tsx";
import type { LiveAnalysis } from "./live-analysis.ts";
import type { TabProps } from "./tab.ts";
import { shownWindow } from "./use-section.ts";
import "./held-view.css";

/** A view of one window, which stays when the reader goes to a moment in it. */
export function HeldView(props: TabProps & { readonly Part: ComponentType<HeldProps> }) {
  const { live, snapshot, drawer, place, Part } = props;
  const { stage } = live;
  // Going to a moment moves the window; what it was taken from stays until the reader lets it go.
  const { held, degree } = drawer;
  const window = held ?? shownWindow(stage, snapshot);
  const go = (span: Span) => {
    live.hold(window);
    void stage.show(span);
  };
  // The evidence of an occurrence is that of its tasks.
  const pids = held && place && held.from === place.window.from ? place.pids : [];
  return (
    <>
      <p className="tab-tools">
        <span className="muted held">
          {windowText(window)}{" "}
          {held && (
            <Button className="inline" onClick={() => live.hold(null)}>
              follow the window
            </Button>
          )}
        </span>
      </p>
      <Part
        live={live}
        window={window}
        held={held !== null}
        onGo={useLatest(go)}
        pids={pids}
        degree={degree}
      />
    </>
  );
}

/** The same function for as long as the tab exists: charts must not be drawn again for it. */
function useLatest(go: (span: Span) => void): (span: Span) => void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  return useCallback((span: Span) => latest.current(span), []);
}

export interface HeldProps {
  readonly live: LiveAnalysis;
  readonly window: TimeWindow;
  readonly held: boolean;
  readonly onGo: (span: Span) => void;
  /** Tasks whose attempts are listed; empty: all of them. */
  readonly pids: readonly number[];
  /** Cling's, percent; null is the recorded one. */
  readonly degree: number | null;
}

type AnsweredProps<A> = Recordable & {
  readonly state: SectionState<A | MissingPart>;
  readonly children: (answer: A) => ReactNode;
};

/** A section's answer, or why there is none. */
export function Answered<A extends { readonly available: true }>({ children, ...rest }: AnsweredProps<A>) {
  const { answer, problem } = rest.state;
  return answer?.available && problem === null ? children(answer as A) : <Unanswered {...rest} />;
}
