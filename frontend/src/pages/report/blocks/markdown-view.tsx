import type { Code } from "mdast";
import { memo, use, useEffect, useRef, useState } from "react";
import { plainName } from "../../../lib/plain-names.ts";
import { parseMarkdown, renderMarkdown } from "../../../ui/page/markdown.tsx";
import { Absent, LiveNumbers } from "./numbers-block.tsx";
import { FENCE_NAME, type ParsedBlock, parseBlock } from "./report-block.ts";
import { type PrintQueue, ReportContext } from "./report-world.ts";
import { LiveTimeline } from "./timeline-block.tsx";

/** Markdown of a report, whose fenced `numalens` blocks are views. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const views: string[] = [];
  const code = (node: Code) => {
    if (node.lang !== FENCE_NAME) return null;
    const name = `${node.meta ?? ""} ${node.value}`;
    views.push(name);
    // One that moves in the text stays the same view.
    const time = views.filter((each) => each === name).length;
    const parsed = parseBlock(node.meta ?? "", node.value);
    return <LiveView key={`view ${name} ${time}`} parsed={parsed} number={views.length} />;
  };
  // The report's own title is the one heading of the first level.
  return <>{renderMarkdown(parseMarkdown(text), { level: 2, code })}</>;
});

interface Props {
  readonly parsed: ParsedBlock;
  /** Position among the views of the report, from 1. */
  readonly number: number;
}

/** Next to the editor, the report scrolls in a box of its own. */
const NEAR = { rootMargin: "900px 0px", scrollMargin: "900px 0px" };

/** A view in a report: drawn when it comes near the screen, or when it is to be printed. */
export function LiveView({ parsed, number }: Props) {
  const frame = use(ReportContext);
  const figure = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  /** For what it was drawn: null is the screen. */
  const [drawnFor, setDrawnFor] = useState<PrintQueue | null | undefined>(undefined);
  useEffect(() => {
    const element = figure.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page is given several at once: the last is how it is.
        const here = entries.at(-1)?.isIntersecting ?? false;
        // What is drawn again later has its place kept, so that nothing jumps under the reader.
        if (!here && element.dataset["drawn"] === "true")
          element.style.minHeight = `${element.offsetHeight}px`;
        setNear((before) => here || (before && element.dataset["light"] === "true"));
      },
      // What is near is drawn before the reader is there; what is far gives its canvases back.
      NEAR,
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const queue = frame?.queue ?? null;
  useEffect(() => {
    // On paper it is as high as what is in it.
    if (queue) figure.current?.style.removeProperty("min-height");
  }, [queue]);
  if (!frame || !parsed.ok) {
    return (
      <figure className="live-view" ref={figure} data-drawn="true" data-testid="live-view">
        <Absent>{parsed.ok ? "View not drawn here." : parsed.sentence}</Absent>
      </figure>
    );
  }
  const { block } = parsed;
  const shown = near || queue !== null;
  const name = `View ${number}`;
  const props = { block, frame, name, onDrawn: () => setDrawnFor(queue) };
  return (
    <figure
      className={`live-view live-${block.kind}`}
      ref={figure}
      data-drawn={drawnFor === queue}
      // Words and numbers stay once they are there: they take nothing.
      data-light={block.kind !== "timeline"}
      data-testid="live-view"
      aria-label={block.caption === "" ? name : plainName(block.caption)}
    >
      {!shown ? (
        <div className="live-empty" />
      ) : block.kind === "timeline" ? (
        <LiveTimeline key={queue ? "paper" : "screen"} {...props} />
      ) : (
        <LiveNumbers {...props} />
      )}
      {block.caption !== "" && <p className="live-caption">{block.caption}</p>}
      {queue && <p className="live-address">{`/a/${block.id}?${block.query}`}</p>}
    </figure>
  );
}
