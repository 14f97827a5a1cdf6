import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type Paint, useCanvas } from "../../../ui/canvas/surface.ts";
import { currentTheme, subscribeTheme } from "../../../ui/canvas/theme.ts";
import { boxAt, type Flame, NO_BOX, type StacksSection, stepBox, viewOfBox } from "./flame.ts";
import { BOX, boxColours, paintFlame } from "./flame-paint.ts";
import { boxSays, flameSays } from "./stack-words.ts";

interface Props {
  readonly stacks: StacksSection;
  readonly flame: Flame;
  readonly found: ReadonlySet<number> | null;
  /** The zoomed box; NO_BOX for the whole graph. */
  readonly chosen: number;
  readonly onChoose: (box: number) => void;
}

/** The graph itself: it scrolls by rows, and only its visible part is drawn. */
export function FlameCanvas({ stacks, flame, found, chosen, onChoose }: Props) {
  const [here, setHere] = useState(NO_BOX);
  const scroller = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const colours = useMemo(() => boxColours(stacks, theme), [stacks, theme]);
  const view = viewOfBox(flame, chosen);
  const paint = useCallback<Paint>(
    (surface, palette) => {
      const top = scroller.current?.scrollTop ?? 0;
      const look = { view: viewOfBox(flame, chosen), top, found, here, chosen };
      paintFlame(surface, flame, stacks, colours, look, palette);
    },
    [flame, stacks, colours, found, here, chosen],
  );
  const follow = useCallback((listener: () => void) => {
    const element = scroller.current;
    element?.addEventListener("scroll", listener, { passive: true });
    return () => element?.removeEventListener("scroll", listener);
  }, []);
  const canvas = useCanvas(paint, 0, follow);
  const boxOf = (event: Pick<MouseEvent, "currentTarget" | "clientX" | "clientY">) => {
    const box = event.currentTarget.getBoundingClientRect();
    const y = event.clientY - box.top + (scroller.current?.scrollTop ?? 0);
    return boxAt(flame, view, (event.clientX - box.left) / box.width, Math.floor(y / BOX));
  };
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "Enter" || key === " ") onChoose(here);
    else if (key === "Escape" || key === "Backspace") {
      if (chosen === NO_BOX && here === NO_BOX) return;
      if (chosen === NO_BOX) setHere(NO_BOX);
      onChoose(chosen === NO_BOX ? NO_BOX : (flame.parent[chosen] ?? NO_BOX));
    } else if (/^(Arrow(Left|Right|Up|Down)|Home)$/.test(key)) {
      const next = stepBox(flame, here, key);
      setHere(next);
      keepInSight(scroller, flame.depth[next] ?? 0);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = here === NO_BOX ? chosen : here;
  return (
    <>
      <p className="flame-readout muted" aria-live="polite" data-testid="flame-readout">
        {shown === NO_BOX || shown >= flame.length
          ? "Click a function, or select it with the arrows and press Enter, to zoom; Escape goes back."
          : boxSays(stacks, flame, shown)}
      </p>
      <div className="flame-scroll" ref={scroller}>
        <canvas
          ref={canvas}
          className="flame-canvas"
          data-testid="flame"
          role="img"
          tabIndex={0}
          aria-label={flameSays(stacks, flame)}
          onPointerMove={(event) => setHere(boxOf(event))}
          onPointerLeave={() => setHere(NO_BOX)}
          onClick={(event) => onChoose(boxOf(event))}
          onKeyDown={press}
        />
        <div style={{ height: Math.max(0, flame.depths * BOX) }} />
      </div>
    </>
  );
}

function keepInSight(scroller: RefObject<HTMLDivElement | null>, depth: number): void {
  const element = scroller.current;
  if (!element) return;
  const top = depth * BOX;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + BOX > element.scrollTop + element.clientHeight)
    element.scrollTop = top + BOX - element.clientHeight;
}
