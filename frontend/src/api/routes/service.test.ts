import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { currentUser } from "../current-user.ts";
import type { Info } from "../types.ts";
import { Api } from "./service.ts";

const INFO: Pick<Info, "owner" | "person"> = { owner: true, person: null };

beforeEach(() => {
  vi.stubGlobal("location", { origin: "http://numalens.example" });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("asks all subjects by the fetch that it was given, under its link", async () => {
  const lines: Request[] = [];
  const api = new Api("the-token", async (request) => {
    lines.push(request);
    return Response.json({ notes: [], reports: [] });
  });
  await api.notes.list("a");
  await api.reports.list("a");
  await api.downloads.open("/api/v1/analyses/a/trace.pftrace");
  expect(api.token).toBe("the-token");
  expect(lines.map(({ headers }) => headers.get("X-NumaLens-Share"))).toEqual(Array(3).fill("the-token"));
});

it("tells who sits here only where no link speaks for somebody else", async () => {
  const learned = vi.spyOn(currentUser, "learn");
  const fetch = async () => Response.json(INFO);
  await new Api("the-token", fetch).info();
  expect(learned).not.toHaveBeenCalled();
  await new Api(null, fetch).info();
  expect(learned).toHaveBeenCalledWith(INFO);
});
