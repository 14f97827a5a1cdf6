import { useEffect, useRef } from "react";
import type { Span } from "../../lib/time.ts";
import { drawAxis } from "./axis.ts";

interface Props {
  /** Relative; the charts below have it, too. */
  readonly window: Span;
  readonly origin: bigint;
}

/** The time of charts in the drawer, whose window may be held while the timeline moves on. */
export function WindowAxis({ window, origin }: Props) {
  const axis = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = axis.current;
    const box = svg?.parentElement;
    if (!svg || !box) return undefined;
    const draw = () => drawAxis(svg, window, box.clientWidth, origin);
    const observer = new ResizeObserver(draw);
    observer.observe(box);
    return () => observer.disconnect();
  }, [window, origin]);
  return (
    <div className="cling-axis">
      <span className="muted">the whole window, s</span>
      <div className="axis">
        <svg ref={axis} aria-hidden="true">
          <title>Time of the trace clock in seconds</title>
          <g className="ticks" />
        </svg>
      </div>
    </div>
  );
}
