import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { who } from "../current-user.ts";
import type { Info } from "../types.ts";
import { Api } from "./service.ts";

const told: Pick<Info, "owner" | "person"> = { owner: true, person: null };

beforeEach(() => {
  vi.stubGlobal("location", { origin: "http://numalens.example" });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("asks all subjects by the fetch that it was given, under its link", async () => {
  const asked: Request[] = [];
  const api = new Api("the-token", async (request) => {
    asked.push(request);
    return Response.json({ notes: [], reports: [] });
  });
  await api.notes.list("a");
  await api.reports.list("a");
  await api.downloads.open("/api/v1/analyses/a/trace.pftrace");
  expect(api.token).toBe("the-token");
  expect(asked.map(({ headers }) => headers.get("X-NumaLens-Share"))).toEqual(Array(3).fill("the-token"));
});

it("tells who sits here only where no link speaks for somebody else", async () => {
  const noted = vi.spyOn(who, "told");
  const fetch = async () => Response.json(told);
  await new Api("the-token", fetch).info();
  expect(noted).not.toHaveBeenCalled();
  await new Api(null, fetch).info();
  expect(noted).toHaveBeenCalledWith(told);
});
