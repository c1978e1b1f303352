// How a page sends its queries.
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { Api } from "./api.ts";
import { createQueryQueue } from "./query-queue.ts";

/** A service that answers when the test says so. */
function heldService() {
  const calls: {
    readonly body: JsonObject;
    readonly answer: (value: JsonValue) => void;
    readonly signal: AbortSignal | undefined;
  }[] = [];
  const api: Api = {
    send: (_path, { body = {}, signal } = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<JsonValue>();
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      calls.push({ body, answer: resolve, signal });
      return promise;
    },
    download: () => Promise.reject(new Error("no files")),
  };
  const shown = { when: Promise.resolve() };
  const options = { path: "/load", publicId: "abc", whenShown: () => shown.when };
  return { calls, shown, queue: createQueryQueue(api, options) };
}

const query = (name: string) => ({ query: { measures: [name] }, isFresh: false });
const namesOf = (calls: readonly { readonly body: JsonObject }[]) =>
  calls.map(({ body }) => (body["query"] as { measures: string[] }).measures[0]);
const settled = () => new Promise((resolve) => setTimeout(resolve));

it("runs six queries at once, the first widgets first", async () => {
  const { calls, queue } = heldService();
  const { signal } = new AbortController();
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const loads = names.map((name, at) =>
    queue.load({ ...query(name), priority: name === "h" ? 0 : at + 1 }, signal),
  );
  expect(namesOf(calls)).toEqual(["a", "b", "c", "d", "e", "f"]);
  calls[0]?.answer({ data: [] });
  await loads[0];
  await settled();
  expect(namesOf(calls).slice(6)).toEqual(["h"]);
});

it("sends identical queries once, and stops one that nobody waits for", async () => {
  const { calls, queue } = heldService();
  const [one, other] = [new AbortController(), new AbortController()];
  const first = queue.load({ ...query("a"), priority: 1 }, one.signal);
  const second = queue.load({ ...query("a"), priority: 2 }, other.signal);
  expect(calls).toHaveLength(1);
  one.abort();
  expect(calls[0]?.signal?.aborted).toBe(false);
  calls[0]?.answer({ data: [1] });
  expect(await Promise.all([first, second])).toEqual([{ data: [1] }, { data: [1] }]);
  const last = queue.load({ ...query("b"), priority: 1 }, other.signal);
  other.abort();
  await expect(last).rejects.toMatchObject({ name: "AbortError" });
  expect(calls[1]?.signal?.aborted).toBe(true);
});

it("repeats a query while the service says that it still runs", async () => {
  const { calls, queue } = heldService();
  const loaded = queue.load({ ...query("a"), priority: 1 }, new AbortController().signal);
  calls[0]?.answer({ error: "Continue wait" });
  await settled();
  calls[1]?.answer({ data: [] });
  expect(await loaded).toEqual({ data: [] });
  expect(calls[1]?.body).toEqual(calls[0]?.body);
});

it("repeats a query only while somebody sees the page", async () => {
  const { calls, shown, queue } = heldService();
  const loaded = queue.load({ ...query("a"), priority: 1 }, new AbortController().signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  shown.when = promise;
  calls[0]?.answer({ error: "Continue wait" });
  await settled();
  expect(calls).toHaveLength(1);
  resolve();
  await settled();
  calls[1]?.answer({ data: [] });
  expect(await loaded).toEqual({ data: [] });
});
