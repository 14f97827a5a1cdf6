import { describe, expect, it } from "vitest";
import {
  analysisPath,
  comparePath,
  ownPath,
  parseRoute,
  reportPath,
  sharedPath,
  sharedReportPath,
} from "./routes.ts";

const route = (path: string) => parseRoute(new URL(path, "http://localhost"));

describe("routes", () => {
  it("knows the pages", () => {
    expect(route("/")).toEqual({ page: "list" });
    expect(route("/a/abc-1?v=2&w=1~2")).toEqual({ page: "analysis", id: "abc-1", query: "v=2&w=1~2" });
    expect(route("/compare?ids=a,b")).toEqual({ page: "compare", query: "ids=a,b" });
    expect(route(comparePath("ids=a:b,c&rule=2024"))).toEqual({
      page: "compare",
      query: "ids=a:b,c&rule=2024",
    });
    expect(route("/links")).toEqual({ page: "links" });
    expect(route("/account")).toEqual({ page: "account" });
    expect(route("/signed-in?code=c%2B1&state=s")).toEqual({ page: "signed-in", code: "c+1", state: "s" });
    expect(route("/signed-in?error=access_denied")).toEqual({ page: "signed-in", code: "", state: "" });
    expect(route("/fleet?ask=sql")).toEqual({ page: "fleet", query: "ask=sql" });
    expect(route("/fleet/x")).toEqual({ page: "unknown" });
    expect(route("/links/x")).toEqual({ page: "unknown" });
    expect(route("/a/")).toEqual({ page: "unknown" });
    expect(route("/a/x/y")).toEqual({ page: "unknown" });
    expect(route("/etc/passwd")).toEqual({ page: "unknown" });
  });

  it("takes a token only from the fragment, and only a whole one", () => {
    const token = "abcdefghijklmnopqrstuvwx";
    expect(route(sharedPath(token, ""))).toEqual({ page: "shared", token, query: "", report: null });
    expect(route(sharedPath(token, "v=2"))).toEqual({ page: "shared", token, query: "v=2", report: null });
    expect(route("/s#short")).toEqual({ page: "shared", token: "", query: "", report: null });
    expect(route(`/s?token=${token}`)).toEqual({
      page: "shared",
      token: "",
      query: `token=${token}`,
      report: null,
    });
  });

  it("knows reports, also behind a link", () => {
    const token = "abcdefghijklmnopqrstuvwx";
    expect(route(reportPath("id1", "r1"))).toEqual({ page: "report", id: "id1", report: "r1", query: "" });
    expect(route(reportPath("id1", "r1", true))).toMatchObject({ report: "r1", query: "edit=1" });
    expect(route(sharedReportPath(token, "r1"))).toEqual({
      page: "shared",
      token,
      query: "",
      report: "r1",
    });
    for (const path of ["/a/x/report/", "/a/x/report/y/z", "/s/report/", "/s/x", "/a/x/reports/y"])
      expect(route(path)).toEqual({ page: "unknown" });
  });

  it("stays on this page, whatever it is told", () => {
    const origin = "https://numalens.example";
    expect(ownPath("/a/x?v=2&w=1~2#y", origin)).toBe("/a/x?v=2&w=1~2#y");
    for (const path of [
      "//evil.example",
      "https://evil.example/",
      "/\\evil.example",
      "javascript:alert(1)",
      "https://",
    ])
      expect(ownPath(path, origin)).toBe("/");
  });

  it("leads to where it was written from", () => {
    expect(route(analysisPath("id1", "v=2&open=0"))).toEqual({
      page: "analysis",
      id: "id1",
      query: "v=2&open=0",
    });
    expect(analysisPath("id1", "")).toBe("/a/id1");
  });
});
