import { Component, type ReactNode, useEffect, useSyncExternalStore } from "react";
import { useCurrentUser } from "../../api/current-user.ts";
import { useServerAway } from "../../api/server-away.ts";
import { peopleApi } from "../../api/session/session.ts";
import { ACCOUNT_PATH } from "../../lib/routes.ts";
import { currentTheme, subscribeTheme, toggleTheme } from "../canvas/theme.ts";
import { Button } from "../fields.tsx";
import { Link } from "./link.tsx";
import "./page.css";
import { sentenceOf } from "../../api/client.ts";
import { oneStop } from "../one-stop.ts";

interface Props {
  /** The page, next to the list of analyses. */
  readonly here?: string | undefined;
  /** Parts after the name of the product. */
  readonly crumbs?: ReactNode;
  readonly actions?: ReactNode;
  /** A shared view has no list to go back to. */
  readonly linked?: boolean;
}

export function TopBar({ here, crumbs, actions, linked = true }: Props) {
  const away = useServerAway();
  return (
    <>
      {away && (
        <p className="banner problem away" role="alert" data-testid="server-away">
          Server unreachable. Retrying every 2 s.
        </p>
      )}
      <Header here={here} crumbs={crumbs} actions={actions} linked={linked} />
    </>
  );
}

function Header({ here, crumbs, actions, linked = true }: Props) {
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
        {here !== undefined && (
          <>
            <Link to="/">analyses</Link>
            <span>{here}</span>
          </>
        )}
        {crumbs}
      </nav>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div className="actions" role="group" aria-label="Actions" ref={oneStop}>
        {actions}
        {linked && <AccountLine />}
        <ThemeButton />
      </div>
    </header>
  );
}

/** The title of the window; an empty one leaves the name of the product. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "NumaLens" : `${title} · NumaLens`;
  }, [title]);
}

export function ThemeButton() {
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const next = theme === "dark" ? "light" : "dark";
  return (
    <Button className="quiet" onClick={toggleTheme} title={`Switch to the ${next} theme (t)`}>
      {theme === "dark" ? "Light" : "Dark"}
    </Button>
  );
}

/** Signed-in user, and the way out; nothing without a sign-in. */
export function AccountLine() {
  const { info } = useCurrentUser();
  if (!info?.person) return null;
  const { name, admin } = info.person;
  // Whatever the service says, what is shown here is not to be seen any longer.
  const leave = () =>
    void peopleApi
      .signOut(false)
      .catch(() => null)
      .then((url) => window.location.assign(url ?? "/"));
  return (
    <>
      <Link
        className="quiet-link account"
        to={ACCOUNT_PATH}
        title={`Signed in as ${name}: API tokens, sessions`}
      >
        {name}
        {admin && " (administrator)"}
      </Link>
      {info.sign_in === "oidc" && (
        <Button className="quiet" onClick={leave}>
          Sign out
        </Button>
      )}
    </>
  );
}

interface MessageProps {
  readonly title: string;
  readonly sentence: string;
  readonly children?: ReactNode;
}

export function Message({ title, sentence, children }: MessageProps) {
  return (
    <main className="message">
      <h1>{title}</h1>
      <p role="alert" data-testid="sentence">
        {sentence}
      </p>
      <div className="message-actions">{children}</div>
    </main>
  );
}

interface BoundaryProps {
  readonly children: ReactNode;
}

/** The last resort: an error of the page itself shows a message, never an empty screen. */
export class ErrorBoundary extends Component<BoundaryProps, { readonly sentence: string | null }> {
  override state = { sentence: null };

  static getDerivedStateFromError(error: unknown): { readonly sentence: string } {
    return { sentence: sentenceOf(error) };
  }

  override render(): ReactNode {
    if (this.state.sentence === null) return this.props.children;
    return (
      <main className="message">
        <h1>Something went wrong on this page</h1>
        <p role="alert">
          Reload it to continue; uploads and analyses are not affected. Error: {this.state.sentence}
        </p>
      </main>
    );
  }
}
