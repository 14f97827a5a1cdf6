import { lazy, StrictMode, Suspense, useCallback, useEffect, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { useCurrentUser } from "../api/current-user.ts";
import { ownerApi } from "../api/session/session.ts";
import { analysisPath, localPath, parseRoute } from "../lib/routes.ts";
import { SignInPage } from "../pages/account/sign-in-page.tsx";
import { AnalysisPage } from "../pages/analysis/analysis-page.tsx";
import { ListPage } from "../pages/list/list-page.tsx";
import { SharedPage } from "../pages/shared/shared-page.tsx";
import { startTheme } from "../ui/canvas/theme.ts";
import { currentAddress, Link, subscribeAddress } from "../ui/page/link.tsx";
import { ErrorBoundary, Message, TopBar } from "../ui/page/top-bar.tsx";
import { showTips } from "../ui/tips.ts";

/** Loaded when needed: few users open it, so other first views do not wait for it. */
const ComparePage = lazy(async () => ({
  default: (await import("../pages/compare/compare-page.tsx")).ComparePage,
}));
const ReportPage = lazy(async () => ({
  default: (await import("../pages/report/report-page.tsx")).ReportPage,
}));
const FleetPage = lazy(async () => ({
  default: (await import("../pages/fleet/fleet-controls.tsx")).FleetPage,
}));
const LocalPage = lazy(async () => ({
  default: (await import("../pages/local/local-page.tsx")).LocalPage,
}));
const LinksPage = lazy(async () => ({
  default: (await import("../pages/account/account-page.tsx")).LinksPage,
}));
const AccountPage = lazy(async () => ({
  default: (await import("../pages/account/account-page.tsx")).AccountPage,
}));
const SignedInPage = lazy(async () => ({
  default: (await import("../pages/account/sign-in-page.tsx")).SignedInPage,
}));

/** Pages without sign-in. */
const FOR_ALL: ReadonlySet<string> = new Set(["local", "shared", "signed-in", "unknown"]);
/** Pages that do not ask by themselves who is here. */
const WITHOUT_INFO: ReadonlySet<string> = new Set(["compare", "links", "account"]);

function App() {
  const route = parseRoute(new URL(useSyncExternalStore(subscribeAddress, currentAddress)));
  const id = route.page === "analysis" ? route.id : "";
  const path = useCallback((query: string) => analysisPath(id, query), [id]);
  const { info, out } = useCurrentUser();
  const withoutInfo = WITHOUT_INFO.has(route.page) && info === null;
  useEffect(() => {
    // The caller reports that there is no answer.
    if (withoutInfo) ownerApi.info().catch(() => {});
  }, [withoutInfo]);
  if (out && !FOR_ALL.has(route.page)) return <SignInPage />;
  switch (route.page) {
    case "list":
      return <ListPage />;
    case "analysis":
      return <AnalysisPage key={id} api={ownerApi} id={id} path={path} />;
    case "compare":
      return (
        <Suspense fallback={<div className="page" />}>
          <ComparePage api={ownerApi} query={route.query} />
        </Suspense>
      );
    case "report":
      return (
        <Suspense fallback={<div className="page" />}>
          <ReportPage
            key={route.report}
            api={ownerApi}
            id={route.id}
            reportId={route.report}
            editing={new URLSearchParams(route.query).has("edit")}
          />
        </Suspense>
      );
    case "fleet":
      return (
        <Suspense fallback={<div className="page" />}>
          <FleetPage api={ownerApi} query={route.query} />
        </Suspense>
      );
    case "local":
      return (
        <Suspense fallback={<div className="page" />}>
          <LocalPage path={localPath} />
        </Suspense>
      );
    case "links":
      return (
        <Suspense fallback={<div className="page" />}>
          <LinksPage />
        </Suspense>
      );
    case "account":
      return (
        <Suspense fallback={<div className="page" />}>
          <AccountPage />
        </Suspense>
      );
    case "signed-in":
      return (
        <Suspense fallback={<div className="page" />}>
          <SignedInPage code={route.code} state={route.state} />
        </Suspense>
      );
    case "shared":
      return <SharedPage key={route.token} token={route.token} query={route.query} report={route.report} />;
    default:
      return (
        <div className="page">
          <TopBar />
          <Message title="Page not found" sentence="NumaLens has no page at this address.">
            <Link to="/">All analyses</Link>
          </Message>
        </div>
      );
  }
}

export function start(root: HTMLElement): void {
  startTheme();
  showTips();
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <App />
      </ErrorBoundary>
    </StrictMode>,
  );
}
