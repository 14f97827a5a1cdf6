import type { ReactNode } from "react";
import { AccountLine } from "./account-line.tsx";
import { Link } from "./link.tsx";
import { ThemeButton } from "./theme-button.tsx";
import "./page.css";

interface Props {
  /** What stands after the name of the product. */
  readonly crumbs?: ReactNode;
  readonly actions?: ReactNode;
  /** A shared view has no list to go back to. */
  readonly linked?: boolean;
}

export function TopBar({ crumbs, actions, linked = true }: Props) {
  return (
    <header className="top-bar">
      <div className="brand">
        <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
          <rect x="3" y="5" width="17" height="5" rx="1" className="mark-a" />
          <rect x="22" y="5" width="7" height="5" rx="1" className="mark-a faint" />
          <rect x="3" y="13" width="8" height="5" rx="1" className="mark-b" />
          <rect x="13" y="13" width="16" height="5" rx="1" className="mark-b faint" />
          <rect x="3" y="21" width="26" height="5" rx="1" className="mark-c" />
        </svg>
        {linked ? <Link to="/">NumaLens</Link> : <span>NumaLens</span>}
      </div>
      <nav className="crumbs" aria-label="Breadcrumb">
        {crumbs}
      </nav>
      <div className="actions">
        {actions}
        {linked && <AccountLine />}
        <ThemeButton />
      </div>
    </header>
  );
}
