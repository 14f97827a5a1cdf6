import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { TabProps } from "../../analysis/tab.ts";
import { viewOf } from "../../tabs/index.ts";
import { Button } from "../../ui/fields.tsx";
import { ToggleGroup } from "../../ui/section-parts.tsx";
import {
  DRAWER_TABS,
  DRAWER_VIEWS,
  type DrawerTab,
  type DrawerViewName,
  drawerTabOf,
} from "../../view-state/tab-views.ts";
import { DrawerBorder } from "./drawer-border.tsx";
import { clampHeight, readHeight, storeHeight } from "./drawer-height.ts";
import "./drawer.css";

/** Arrows, Home and End among tabs, as in every program. */
function walkTabs(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: (at + tabs.length - 1) % tabs.length,
    ArrowRight: (at + 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  };
  const next = tabs[places[event.key] ?? -1];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
  if (next.getAttribute("aria-selected") !== "true") next.click();
}

/** Scrolls tabs or views so that the chosen one is in the middle. */
function showChosen(lists: HTMLElement): void {
  for (const list of lists.querySelectorAll<HTMLElement>("[role=tablist], .toggle-group")) {
    const chosen = list.querySelector<HTMLElement>("[aria-selected=true], [aria-pressed=true]");
    if (!chosen) continue;
    const at = chosen.offsetLeft - list.offsetLeft;
    list.scrollLeft = at - (list.clientWidth - chosen.offsetWidth) / 2;
  }
}

/** Views that need several nodes. */
const BETWEEN_NODES: ReadonlySet<DrawerViewName> = new Set(["ops", "cling", "memory", "vmstat"]);

/** The views of an analysis: with one node nothing is balanced between them, some need a server, and requests a log of them. */
function viewsOf({ views }: DrawerTab, { timeline, api, live }: TabProps): readonly DrawerViewName[] {
  const shown = timeline.nodes.length <= 1 ? views.filter((view) => !BETWEEN_NODES.has(view)) : views;
  return shown.filter((view) => !api.lacks.has(view) && (view !== "requests" || live.hasRequests));
}

/** Height of the drawer in CSS pixels, kept by the browser; null: height of its content. */
function useDrawerHeight() {
  const [height, setHeight] = useState(() => readHeight(window.localStorage));
  useEffect(() => storeHeight(window.localStorage, height), [height]);
  const change = (wanted: number | null) =>
    setHeight(wanted === null ? null : clampHeight(wanted, window.innerHeight));
  const style = height === null ? {} : ({ "--drawer-height": `${height}px` } as CSSProperties);
  return { height, change, style };
}

/** Area below the timeline: tabs of one view, or of several of which one is shown. */
export function Drawer(props: TabProps) {
  const { setDrawer } = props.live;
  const { tab: shown } = props.drawer;
  // Who comes back to a tab finds the view that was left.
  const left = useRef(new Map<DrawerTab, DrawerViewName>());
  const tab = shown === null ? null : drawerTabOf(shown);
  const view = shown === null ? undefined : viewOf(shown);
  if (tab && shown) left.current.set(tab, shown);
  const lists = useRef<HTMLDivElement>(null);
  const { height, change, style } = useDrawerHeight();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen then
  useEffect(() => {
    if (lists.current) showChosen(lists.current);
  }, [shown]);
  const views = tab ? viewsOf(tab, props) : [];
  const tabs = DRAWER_TABS.filter((each) => each === tab || viewsOf(each, props).length > 0);
  const classes = ["drawer", tab ? "open" : "", view?.fits ? "fits" : ""].filter(Boolean).join(" ");
  return (
    <section className={classes} aria-label="Drawer" style={style}>
      {tab && <DrawerBorder height={height} onHeight={change} />}
      <div className="tabs" ref={lists}>
        <div role="tablist" aria-label="Tables" onKeyDown={walkTabs}>
          {tabs.map((each, i) => (
            <Button
              key={each.title}
              role="tab"
              id={`tab-${each.views[0]}`}
              aria-selected={tab === each}
              // One stop for all tabs; arrows go through them.
              tabIndex={tab === each || (tab === null && i === 0) ? 0 : -1}
              {...(tab === each ? { "aria-controls": "drawer-panel" } : {})}
              onClick={() =>
                setDrawer({ tab: tab === each ? null : (left.current.get(each) ?? each.views[0]) })
              }
            >
              {each.title}
            </Button>
          ))}
        </div>
        {tab && view && views.length > 1 && (
          <ToggleGroup
            label={tab.title}
            choices={views}
            chosen={view.id}
            words={TITLES}
            onChoose={(chosen) => setDrawer({ tab: chosen })}
          />
        )}
        {tab && (
          <Button
            className="quiet collapse"
            onClick={() => setDrawer({ tab: null })}
            title="Collapse the drawer (q)"
          >
            Collapse
          </Button>
        )}
      </div>
      {tab && view && (
        <>
          <h2 className="off-screen">{tab.title}</h2>
          <div
            className="tab-panel"
            role="tabpanel"
            id="drawer-panel"
            aria-labelledby={`tab-${tab.views[0]}`}
          >
            <view.Body {...props} />
          </div>
        </>
      )}
    </section>
  );
}

const TITLES = Object.fromEntries(
  DRAWER_VIEWS.map((name) => [name, viewOf(name)?.title ?? name]),
) as Readonly<Record<DrawerViewName, string>>;
