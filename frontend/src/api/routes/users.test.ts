import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { PeopleApi } from "./users.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("signs in and out", async () => {
  const { client, requests, lines } = recordingClient({ url: "https://issuer.example/", return_to: "/a/x" });
  const people = new PeopleApi(client);
  expect(await people.beginSignIn("/a/x")).toBe("https://issuer.example/");
  expect(await people.finishSignIn("code", "state")).toBe("/a/x");
  expect(await people.signOut(true)).toBe("https://issuer.example/");
  expect(lines()).toEqual([
    "POST /api/v1/sign-in/begin",
    "POST /api/v1/sign-in/finish",
    "POST /api/v1/sign-out",
  ]);
  expect(requests.map(({ body }) => body)).toEqual([
    { return_to: "/a/x" },
    { code: "code", state: "state" },
    { everywhere: true },
  ]);
});

it("names owners and readers, and hands over", async () => {
  const { client, requests, lines } = recordingClient({ members: [{ id: "p" }] });
  const people = new PeopleApi(client);
  expect(await people.people("a")).toEqual([{ id: "p" }]);
  await people.putPerson("a", { name: "bo", role: "reader" } as never);
  await people.removePerson("a", "p");
  await people.handOver("a", "bo");
  await people.takeBack("a");
  expect(lines()).toEqual([
    "GET /api/v1/analyses/a/permissions",
    "PUT /api/v1/analyses/a/permissions",
    "DELETE /api/v1/analyses/a/permissions/p",
    "POST /api/v1/analyses/a/ownership-transfer",
    "DELETE /api/v1/analyses/a/ownership-transfer",
  ]);
  expect(requests[3]?.body).toEqual({ to: "bo" });
});

it("lists, makes and revokes tokens", async () => {
  const { client, lines } = recordingClient({ tokens: [{ id: "t" }] });
  const people = new PeopleApi(client);
  expect(await people.tokens()).toEqual([{ id: "t" }]);
  await people.createToken({ scope: "upload" } as never);
  await people.revokeToken("t");
  expect(lines()).toEqual(["GET /api/v1/tokens", "POST /api/v1/tokens", "DELETE /api/v1/tokens/t"]);
});
