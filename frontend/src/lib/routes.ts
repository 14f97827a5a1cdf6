/** Page of an address. */

export type Route =
  | { readonly page: "list" }
  | { readonly page: "analysis"; readonly id: string; readonly query: string }
  | { readonly page: "report"; readonly id: string; readonly report: string; readonly query: string }
  /** `report` null opens the analysis itself. */
  | {
      readonly page: "shared";
      readonly token: string;
      readonly query: string;
      readonly report: string | null;
    }
  | { readonly page: "compare"; readonly query: string }
  | { readonly page: "fleet"; readonly query: string }
  | { readonly page: "local" }
  | { readonly page: "links" }
  | { readonly page: "account" }
  | { readonly page: "signed-in"; readonly code: string; readonly state: string }
  | { readonly page: "unknown" };

/** Everything that was shared. */
export const LINKS_PATH = "/links";
/** API tokens, and who is signed in. */
export const ACCOUNT_PATH = "/account";
/** A recording that the page reads by itself. */
export const LOCAL_PATH = "/local";
/** Path to which the provider returns the browser. */
const SIGNED_IN_PATH = "/signed-in";

const ANALYSIS = /^\/a\/([A-Za-z0-9_-]{1,128})\/?$/;
const REPORT = /^\/a\/([A-Za-z0-9_-]{1,128})\/report\/([A-Za-z0-9_-]{1,64})\/?$/;
const SHARED = /^\/s(?:\/|\/report\/([A-Za-z0-9_-]{1,64})\/?)?$/;
/** Tokens are base64url or hex; a longer or odder text was mangled on its way here. */
const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;

export function parseRoute(url: Pick<URL, "pathname" | "search" | "hash">): Route {
  const query = url.search.replace(/^\?/, "");
  if (url.pathname === "/") return { page: "list" };
  const analysis = ANALYSIS.exec(url.pathname);
  if (analysis?.[1]) return { page: "analysis", id: analysis[1], query };
  const report = REPORT.exec(url.pathname);
  if (report?.[1] && report[2]) return { page: "report", id: report[1], report: report[2], query };
  if (url.pathname === "/compare" || url.pathname === "/compare/") return { page: "compare", query };
  if (url.pathname === "/fleet" || url.pathname === "/fleet/") return { page: "fleet", query };
  if (url.pathname === LOCAL_PATH || url.pathname === `${LOCAL_PATH}/`) return { page: "local" };
  if (url.pathname === LINKS_PATH || url.pathname === `${LINKS_PATH}/`) return { page: "links" };
  if (url.pathname === ACCOUNT_PATH || url.pathname === `${ACCOUNT_PATH}/`) return { page: "account" };
  if (url.pathname === SIGNED_IN_PATH) {
    const brought = new URLSearchParams(query);
    return { page: "signed-in", code: brought.get("code") ?? "", state: brought.get("state") ?? "" };
  }
  const shared = SHARED.exec(url.pathname);
  if (shared) {
    const token = url.hash.replace(/^#/, "");
    return { page: "shared", token: TOKEN.test(token) ? token : "", query, report: shared[1] ?? null };
  }
  return { page: "unknown" };
}

/** A path of this page, for whatever the service said; anything that leads elsewhere becomes the list. */
export function ownPath(path: string, origin: string): string {
  if (!URL.canParse(path, origin)) return "/";
  const url = new URL(path, origin);
  return url.origin === origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}

export function analysisPath(id: string, query: string): string {
  return query === "" ? `/a/${id}` : `/a/${id}?${query}`;
}

export function localPath(query: string): string {
  return query === "" ? LOCAL_PATH : `${LOCAL_PATH}?${query}`;
}

/** @param editing opens with the editor next to it */
export function reportPath(id: string, report: string, editing = false): string {
  return `/a/${id}/report/${report}${editing ? "?edit=1" : ""}`;
}

export function comparePath(query: string): string {
  return query === "" ? "/compare" : `/compare?${query}`;
}

/** Questions over all analyses. */
export function fleetPath(query: string): string {
  return query === "" ? "/fleet" : `/fleet?${query}`;
}

/** The token stays in the fragment: browsers never send it to a server or a proxy log. */
export function sharedPath(token: string, query: string): string {
  return query === "" ? `/s#${token}` : `/s?${query}#${token}`;
}

export function sharedReportPath(token: string, report: string): string {
  return `/s/report/${report}#${token}`;
}
