import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Incident } from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { Button } from "../../ui/fields.tsx";

interface Stop {
  readonly title: string;
  readonly text: string;
  /** Target element. */
  readonly target: string;
  /** Action of the page at this stop. */
  readonly act?: (live: LiveAnalysis, incident: Incident) => void;
}

/** The way of an incident, from the sentence to the event. */
const STOPS: readonly Stop[] = [
  {
    title: "The window in one sentence",
    text: "Load of the machine, share of runnable time spent waiting, the tasks that waited, and the reason.",
    target: "[data-testid=headline]",
  },
  {
    title: "The worst findings",
    text: "The worst findings, with their cost and worst moment. Click one to go there; [ and ] go through its occurrences.",
    target: "[data-testid=causes]",
  },
  {
    title: "Where it happened",
    text: "The timeline is already at the worst occurrence: nodes with their CPUs, waiting tasks in red above, running tasks below. Wheel or two fingers zoom, a drag moves, Shift and a drag selects a time range.",
    target: "[data-testid=plot]",
  },
  {
    title: "Why one task waited",
    text: "The worst wait there. “Details” names its CPUs, the task that ran instead, and the cause of each part.",
    target: "[data-testid=worst-wait-chip]",
  },
  {
    title: "The wait, part by part",
    text: "Its causes add up to the nanosecond. Below are the tasks that ran, the idle CPUs, and the waker.",
    target: ".drawer",
    act: (live, { worst, place }) => {
      if (worst && place) live.openWait(worst.wait, place.window);
    },
  },
  {
    title: "Its raw events",
    text: "“raw events” lists the events behind this conclusion; click a row to go to its moment. That's the tour. Esc goes back; ? lists all shortcuts.",
    target: "[title^='Its raw events']",
  },
];

interface Props {
  readonly live: LiveAnalysis;
  readonly incident: Incident;
  readonly onClose: () => void;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const AIR = 4;
const CARD_WIDTH = 340;

/** A few stops along an incident: each is framed and explained next to its frame, never under the explanation. */
export function Tour({ live, incident, onClose }: Props) {
  const [at, setAt] = useState(0);
  const stop = STOPS[at] as Stop;
  const box = useBoxOf(stop.target);
  const next = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each stop takes the focus again
  useEffect(() => next.current?.focus(), [at]);
  const go = (to: number) => {
    const wanted = STOPS[to];
    if (!wanted) return onClose();
    wanted.act?.(live, incident);
    setAt(to);
  };
  return (
    <>
      {box && <div className="tour-frame" style={frameOf(box)} />}
      <div
        className="tour"
        role="dialog"
        aria-label={`Tour, ${at + 1} of ${STOPS.length}`}
        style={cardOf(box)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onClose();
        }}
      >
        <h2>{stop.title}</h2>
        <p>{stop.text}</p>
        <footer>
          <span className="muted num">
            {at + 1} of {STOPS.length}
          </span>
          <Button className="quiet" onClick={onClose}>
            End
          </Button>
          {at > 0 && <Button onClick={() => go(at - 1)}>Back</Button>}
          <Button ref={next} className="primary" onClick={() => go(at + 1)}>
            {at + 1 < STOPS.length ? "Next" : "Done"}
          </Button>
        </footer>
      </div>
    </>
  );
}

function frameOf({ left, top, width, height }: Box) {
  return { left: left - AIR, top: top - AIR, width: width + 2 * AIR, height: height + 2 * AIR };
}

/** Position of the card: below its target, otherwise above, otherwise in the middle of a target that is too large. */
function cardOf(box: Box | null) {
  const { innerWidth, innerHeight } = window;
  const width = Math.min(CARD_WIDTH, innerWidth - 24);
  if (!box) return { width, left: (innerWidth - width) / 2, bottom: 24 };
  const left = Math.max(12, Math.min(box.left + 12, innerWidth - width - 12));
  const room = 190;
  if (innerHeight - box.top - box.height > room) return { width, left, top: box.top + box.height + 2 * AIR };
  if (box.top > room) return { width, left, bottom: innerHeight - box.top + 2 * AIR };
  return { width, left: innerWidth - width - 24, bottom: 24 };
}

/** Position of an element, also when it appears later or moves. */
function useBoxOf(target: string): Box | null {
  const [box, setBox] = useState<Box | null>(null);
  useLayoutEffect(() => {
    let known = "";
    let sought = true;
    const look = () => {
      const element = document.querySelector(target);
      if (element && sought) {
        sought = false;
        element.scrollIntoView({ block: "nearest" });
      }
      const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
      const now = [left, top, width, height].map(Math.round).join();
      if (now === known) return;
      known = now;
      setBox(width > 0 ? { left, top, width, height } : null);
    };
    look();
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true });
    window.addEventListener("resize", look);
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", look);
      document.removeEventListener("scroll", look, { capture: true });
    };
  }, [target]);
  return box;
}
