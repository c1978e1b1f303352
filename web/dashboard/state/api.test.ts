// Tests when the page repeats a request, and what it calls a failure.
import { afterEach, expect, it, vi } from "vitest";
import { createApi } from "./api.ts";

const tokens = { current: async () => "token", renew: async () => "token" };
const send = () => createApi(tokens).send("/load", { method: "POST", body: {} });

afterEach(() => vi.unstubAllGlobals());

function answers(...responses: readonly Response[]) {
  const fetched = vi.fn<() => Promise<Response>>();
  for (const response of responses) fetched.mockResolvedValueOnce(response);
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

it("says at once that a data source cannot be reached", async () => {
  const error = "Error: the data source cannot be reached now";
  const fetched = answers(Response.json({ error }, { status: 503 }));
  await expect(send()).rejects.toMatchObject({ kind: "failed", detail: error });
  expect(fetched).toHaveBeenCalledTimes(1);
});

it("waits for a service that asks for it", async () => {
  const headers = { "retry-after": "0" };
  answers(Response.json({}, { status: 503, headers }), Response.json({ data: [] }));
  expect(await send()).toEqual({ data: [] });
});
