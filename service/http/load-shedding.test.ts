// When a server sheds requests.
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { afterEach, expect, it } from "vitest";
import { limits } from "../../core/limits.ts";
import { type LoadShedder, makeLoadShedder } from "./load-shedding.ts";

let load: LoadShedder;
afterEach(() => load.stop());

it("sheds on the delay of the event loop, after the first requests of a turn", () => {
  let now = 0;
  load = makeLoadShedder(() => now);
  const admit = (count: number) => {
    for (let one = 0; one < count; one++) load.admit();
  };
  admit(limits.requestsPerBeat * 2);
  now += limits.queueDelayMs + limits.heartbeatMs;
  admit(1);
  now += 1;
  expect(() => load.admit()).toThrow(
    expect.objectContaining({ code: "unavailable", retryAfter: 1 }),
  );
});

it("serves a few requests however late the loop is, and all once it is in time again", async () => {
  load = makeLoadShedder();
  const until = performance.now() + limits.queueDelayMs + limits.heartbeatMs * 2;
  while (performance.now() < until);
  for (let count = 0; count < limits.requestsPerBeat; count++) load.admit();
  expect(() => load.admit()).toThrow("overloaded");
  await new Promise((resolve) => setTimeout(resolve, limits.heartbeatMs * 2));
  expect(() => load.admit()).not.toThrow();
});

it("bounds the bytes of bodies in flight, for one account and for all", () => {
  load = makeLoadShedder();
  const replies: EventEmitter[] = [];
  const reserve = (accountId: string, headers: IncomingHttpHeaders): void => {
    const raw = new EventEmitter();
    load.reserveBody({ headers, requestContext: { accountId } }, { raw }, limits.bodyBytes);
    replies.push(raw);
  };
  const length = { "content-length": String(limits.bodyBytes) };
  const own = limits.accountBodiesInFlightBytes / limits.bodyBytes;
  for (let count = 0; count < own; count++) reserve("a", length);
  expect(() => reserve("a", length)).toThrow("overloaded");
  for (let count = 0; count < own; count++) reserve("b", { "transfer-encoding": "chunked" });
  expect(() => reserve("c", length)).toThrow("overloaded");
  reserve("c", {});
  replies[0]?.emit("close");
  reserve("c", length);
});
