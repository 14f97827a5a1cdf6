import { describe, expect, it, vi } from "vitest";
import { who } from "./current-user.ts";
import type { Info } from "./types.ts";

const info = (name: string | null): Info =>
  ({ owner: name !== null, sign_in: "oidc", person: name === null ? null : { name, admin: false } }) as Info;

describe("who", () => {
  it("is out when a request was refused, until somebody is told of", () => {
    const listener = vi.fn();
    const stop = who.subscribe(listener);
    who.told(info("ann"));
    expect(who.getSnapshot()).toMatchObject({ out: false, info: { person: { name: "ann" } } });
    who.refused();
    expect(who.getSnapshot()).toMatchObject({ out: true, info: { person: null } });
    who.refused();
    expect(listener).toHaveBeenCalledTimes(2);
    // That nobody is signed in is no news.
    who.told(info(null));
    expect(who.getSnapshot().out).toBe(true);
    who.told(info("bo"));
    expect(who.getSnapshot()).toMatchObject({ out: false, info: { person: { name: "bo" } } });
    stop();
    who.refused();
    expect(listener).toHaveBeenCalledTimes(4);
  });
});
