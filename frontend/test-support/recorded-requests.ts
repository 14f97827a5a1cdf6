/** For tests: a client whose requests are written down, and answered as they are told to be. */

import { vi } from "vitest";
import { ServiceClient } from "../src/api/client.ts";

const ORIGIN = "http://numalens.example";

export interface RecordedRequest {
  /** Method and address, percent signs undone. */
  readonly line: string;
  readonly body: unknown;
  readonly headers: Headers;
}

/** @param answer of every request; an object is answered as JSON */
export function recordingClient(answer: Response | object = {}, token: string | null = null) {
  const requests: RecordedRequest[] = [];
  vi.stubGlobal("location", { origin: ORIGIN });
  const client = new ServiceClient(token, async (request) => {
    const text = await request.text();
    requests.push({
      line: `${request.method} ${decodeURIComponent(request.url.replace(ORIGIN, ""))}`,
      body: text === "" ? null : JSON.parse(text),
      headers: request.headers,
    });
    return answer instanceof Response ? answer.clone() : Response.json(answer);
  });
  const lines = () => requests.map(({ line }) => line);
  return { client, requests, lines };
}

/** A refusal in the service's own form. */
export function refusal(status: number, sentence: string, more: object = {}): Response {
  return Response.json({ error: { sentence, ...more } }, { status });
}
