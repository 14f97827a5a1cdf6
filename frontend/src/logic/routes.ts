/** Which page an address means. */

export type Route =
  | { readonly page: "list" }
  | { readonly page: "analysis"; readonly id: string; readonly query: string }
  | { readonly page: "shared"; readonly token: string; readonly query: string }
  | { readonly page: "compare"; readonly query: string }
  | { readonly page: "links" }
  | { readonly page: "unknown" };

/** Everything that was shared. */
export const LINKS_PATH = "/links";

const ANALYSIS = /^\/a\/([A-Za-z0-9_-]{1,128})\/?$/;
/** Tokens are base64url or hex; a longer or odder text was mangled on its way here. */
const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;

export function parseRoute(url: Pick<URL, "pathname" | "search" | "hash">): Route {
  const query = url.search.replace(/^\?/, "");
  if (url.pathname === "/") return { page: "list" };
  const analysis = ANALYSIS.exec(url.pathname);
  if (analysis?.[1]) return { page: "analysis", id: analysis[1], query };
  if (url.pathname === "/compare" || url.pathname === "/compare/") return { page: "compare", query };
  if (url.pathname === LINKS_PATH || url.pathname === `${LINKS_PATH}/`) return { page: "links" };
  if (url.pathname === "/s" || url.pathname === "/s/") {
    const token = url.hash.replace(/^#/, "");
    return { page: "shared", token: TOKEN.test(token) ? token : "", query };
  }
  return { page: "unknown" };
}

export function analysisPath(id: string, query: string): string {
  return query === "" ? `/a/${id}` : `/a/${id}?${query}`;
}

export function comparePath(query: string): string {
  return query === "" ? "/compare" : `/compare?${query}`;
}

/** The token stays in the fragment: browsers never send it to a server or a proxy log. */
export function sharedPath(token: string, query: string): string {
  return query === "" ? `/s#${token}` : `/s?${query}#${token}`;
}
