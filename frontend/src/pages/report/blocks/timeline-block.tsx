import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { sentenceOf } from "../../../api/client.ts";
import { formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { spanLength, toAbs } from "../../../lib/time.ts";
import { Timeline } from "../../../timeline/frame/timeline.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { Button } from "../../../ui/fields.tsx";
import { Link } from "../../../ui/page/link.tsx";
import { encodeView } from "../../../view-state/view-state.ts";
import { Absent } from "./numbers-block.tsx";
import type { LiveBlock } from "./report-block.ts";
import {
  PRINT_RATIO,
  type ReportFrame,
  type ReportStage,
  RequestCounter,
  reportStage,
  windowKey,
} from "./report-world.ts";

interface Props {
  readonly block: LiveBlock;
  readonly frame: ReportFrame;
  readonly name: string;
  readonly onDrawn: () => void;
}

interface Made extends ReportStage {
  readonly requests: RequestCounter;
}

/** The lanes of the analysis' own page, which can be moved as there. */
export function LiveTimeline({ block, frame, name, onDrawn }: Props) {
  const [made, setMade] = useState<Made | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [picture, setPicture] = useState<{ readonly url: string; readonly words: string } | null>(null);
  const end = useRef(() => {});
  const { worlds, queue } = frame;
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a block is what its address says
  useEffect(() => {
    let stopped = false;
    let close = () => {};
    let leave = () => {};
    const requests = new RequestCounter();
    const make = async () => {
      const world = await worlds.of(block.id);
      if (queue) leave = await queue.turn();
      if (stopped) return leave();
      const shown = reportStage({
        api: requests.api(worlds.token),
        id: block.id,
        world,
        view: block.view,
        ratio: queue ? PRINT_RATIO : null,
      });
      close = shown.close;
      setMade({ ...shown, requests });
    };
    setProblem(null);
    make().catch((error: unknown) => {
      if (stopped) return;
      setProblem(sentenceOf(error));
      drawn.current();
    });
    end.current = () => {
      stopped = true;
      setMade(null);
      close();
      leave();
    };
    return () => end.current();
  }, [worlds, queue, block.id, block.query]);
  useEffect(() => () => (picture === null ? undefined : URL.revokeObjectURL(picture.url)), [picture]);

  if (problem !== null) return <Absent>{problem}</Absent>;
  // For paper, the picture takes the place of the canvases, which give their memory and their turn back.
  if (picture !== null)
    return (
      <>
        <img src={picture.url} alt={`${name}: timeline`} onLoad={() => drawn.current()} />
        <figcaption>{picture.words}</figcaption>
      </>
    );
  if (!made) return <div className="live-empty" />;
  return (
    <Moving
      made={made}
      block={block}
      frame={frame}
      name={name}
      onDrawn={() => drawn.current()}
      onPicture={
        queue
          ? (blob, words) => {
              setPicture({ url: URL.createObjectURL(blob), words });
              end.current();
            }
          : null
      }
      onProblem={(sentence) => {
        setProblem(sentence);
        end.current();
        drawn.current();
      }}
    />
  );
}

interface MovingProps extends Pick<Props, "name"> {
  readonly made: Made;
  readonly block: LiveBlock;
  readonly frame: ReportFrame;
  readonly onDrawn: () => void;
  /** Takes the picture that is printed; null on the screen. */
  readonly onPicture: ((blob: Blob, words: string) => void) | null;
  readonly onProblem: (sentence: string) => void;
}

/** Nothing has been requested so long: everything is there. */
const QUIET_MS = 350;
const LOOK_MS = 80;
/** Time limit for views on paper; later ones are missing. */
const MOST_MS = 60_000;
/** CSS pixels. On paper the style makes smaller what is higher than a page; three pages' worth is the most that can be read then. */
const HEIGHTS = { least: 300, screen: 620, print: 3000 };

function Moving({ made, block, frame, name, onDrawn, onPicture, onProblem }: MovingProps) {
  const { stage, requests } = made;
  const snapshot = useSyncExternalStore(stage.subscribe, stage.getSnapshot);
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(HEIGHTS.least);
  const calls = useRef({ onDrawn, onPicture, onProblem });
  calls.current = { onDrawn, onPicture, onProblem };
  useWheelOnce(box);

  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => {
      const element = box.current;
      const scroller = element?.querySelector<HTMLElement>(".lanes-scroller");
      if (!element || !scroller) return;
      const overdue = performance.now() - began > MOST_MS;
      if (!overdue && (requests.quietMs < QUIET_MS || stage.getSnapshot().loading)) return;
      // What does not fit makes the view higher, as far as that goes; it never becomes lower again.
      const most = calls.current.onPicture ? HEIGHTS.print : HEIGHTS.screen;
      const wanted = Math.min(most, element.clientHeight + scroller.scrollHeight - scroller.clientHeight);
      if (wanted > element.clientHeight + 1) {
        setHeight(wanted);
        return;
      }
      clearInterval(timer);
      const { onPicture: take } = calls.current;
      if (!take) {
        calls.current.onDrawn();
        return;
      }
      import("../../../ui/picture/compose-picture.ts")
        .then(({ takePicture }) => takePicture(element, "Timeline", "svg"))
        .then(
          (blob) => take(blob, windowWords(stage)),
          (error: unknown) => calls.current.onProblem(sentenceOf(error)),
        );
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [requests, stage]);

  return (
    <>
      {/* With the focus inside, the wheel moves the view and not the page. */}
      <div className="live-box" ref={box} style={{ height }} tabIndex={-1}>
        <Timeline
          name={`${name}: timeline`}
          stage={stage}
          snapshot={snapshot}
          noted={{ findings: 0, marks: block.view.marks.length }}
          onInputs={() => {}}
        />
      </div>
      <Caption made={made} block={block} frame={frame} />
    </>
  );
}

type CaptionProps = Pick<MovingProps, "made" | "block" | "frame">;

/** `from 7.043220 s, 45.28 s long, 2 nodes, CPUs of node 0`. */
function windowWords(stage: Stage): string {
  const { origin, nodes } = stage.scene;
  const { view } = stage.getSnapshot();
  const open = stage.viewState().open ?? [];
  const words = [
    `from ${formatTime(toAbs(origin, view.from), 6)}`,
    `${formatDuration(spanLength(view))} long`,
    plural(nodes.length, "node"),
  ];
  if (open.length > 0) words.push(`CPUs of ${open.length === 1 ? "node" : "nodes"} ${open.join(", ")}`);
  return words.join(", ");
}

/** Part of the trace in the view. */
function Caption({ made, block, frame }: CaptionProps) {
  const { stage, reset } = made;
  const now = { ...block.view, ...stage.viewState() };
  const to = frame.pathOf(block.id, encodeView({ ...now, drawer: block.view.drawer }));
  const moved = windowKey(now.window) !== made.first;
  return (
    <figcaption>
      <span>{windowWords(stage)}</span>
      {moved && !frame.queue && (
        <Button className="inline" onClick={reset}>
          as it was
        </Button>
      )}
      {to !== null && !frame.queue && <Link to={to}>open in the analysis</Link>}
    </figcaption>
  );
}

/** Keeps the wheel scrolling the report until the reader clicks into the view. */
function useWheelOnce(box: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const keep = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) event.stopPropagation();
    };
    const take = () => element.focus({ preventScroll: true });
    element.addEventListener("wheel", keep, { capture: true, passive: true });
    element.addEventListener("pointerdown", take);
    return () => {
      element.removeEventListener("wheel", keep, { capture: true });
      element.removeEventListener("pointerdown", take);
    };
  }, [box]);
}
