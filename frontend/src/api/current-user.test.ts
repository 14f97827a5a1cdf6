import { describe, expect, it, vi } from "vitest";
import { currentUser } from "./current-user.ts";
import type { Info } from "./types.ts";

const info = (name: string | null): Info =>
  ({ owner: name !== null, sign_in: "oidc", person: name === null ? null : { name, admin: false } }) as Info;

describe("who", () => {
  it("is out when a request was refused, until somebody is told of", () => {
    const listener = vi.fn();
    const stop = currentUser.subscribe(listener);
    currentUser.learn(info("ann"));
    expect(currentUser.getSnapshot()).toMatchObject({ out: false, info: { person: { name: "ann" } } });
    currentUser.refused();
    expect(currentUser.getSnapshot()).toMatchObject({ out: true, info: { person: null } });
    currentUser.refused();
    expect(listener).toHaveBeenCalledTimes(2);
    // A missing sign-in is not reported.
    currentUser.learn(info(null));
    expect(currentUser.getSnapshot().out).toBe(true);
    currentUser.learn(info("bo"));
    expect(currentUser.getSnapshot()).toMatchObject({ out: false, info: { person: { name: "bo" } } });
    stop();
    currentUser.refused();
    expect(listener).toHaveBeenCalledTimes(4);
  });
});
