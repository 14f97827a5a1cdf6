import type { KeyboardEvent } from "react";
import type { TabProps } from "../../analysis/tab.ts";
import { TABS, tabOf } from "../../tabs/index.ts";
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

/** The tables below the timeline. */
export function Drawer(props: TabProps) {
  const { setDrawer } = props.live;
  const shown = props.drawer.tab;
  const tab = shown === null ? null : tabOf(shown);
  return (
    <section className={tab ? "drawer open" : "drawer"} aria-label="Drawer">
      <div className="tabs">
        <div role="tablist" aria-label="Tables" onKeyDown={walkTabs}>
          {TABS.map(({ id, title }, i) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={shown === id}
              // One stop for all tabs; arrows go through them.
              tabIndex={shown === id || (shown === null && i === 0) ? 0 : -1}
              {...(shown === id ? { "aria-controls": "drawer-panel" } : {})}
              onClick={() => setDrawer({ tab: shown === id ? null : id })}
            >
              {title}
            </button>
          ))}
        </div>
        {tab && (
          <button
            type="button"
            className="quiet collapse"
            onClick={() => setDrawer({ tab: null })}
            title="Collapse the drawer (q)"
          >
            Collapse
          </button>
        )}
      </div>
      {tab && (
        <>
          <h2 className="off-screen">{tab.title}</h2>
          <div className="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab.id}`}>
            <tab.Body {...props} />
          </div>
        </>
      )}
    </section>
  );
}
