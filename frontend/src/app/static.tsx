/** The page as one file: it reads recordings by itself, and has no server to ask. */

import "../ui/tokens.css";
import "../ui/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { prepareEngine } from "../api/local/module.ts";
import { keepOwnSource } from "../api/local/page-file.ts";
import { localSession } from "../api/session/local.ts";
import { LocalPage } from "../pages/local/local-page.tsx";
import { startTheme } from "../ui/canvas/theme.ts";
import { ErrorBoundary } from "../ui/page/top-bar.tsx";
import { carriedBundle } from "./carried.ts";

function path(query: string): string {
  const { pathname } = window.location;
  return query === "" ? pathname : `${pathname}?${query}`;
}

prepareEngine();
const carried = carriedBundle(document);
if (carried)
  void carried.then(({ packed, view, notes }) => {
    if (view !== "" && window.location.search === "") window.history.replaceState(null, "", path(view));
    return localSession.open(packed, notes);
  });
keepOwnSource(document);
startTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <LocalPage path={path} />
      </ErrorBoundary>
    </StrictMode>,
  );
}
