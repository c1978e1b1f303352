// What an engine's user is told of a failure: the status and request id where the message lacks them, and what to do.
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { formatFailure } from "./format-failure.ts";

it.each([
  [
    new Failure("internal", "List groups: it broke", {
      details: { status: 500, requestId: "r-1" },
    }),
    "List groups: it broke (status 500, request id r-1). Run it again; if that does not help, ask the server's operator.",
  ],
  [
    new Failure("internal", "the server answered 500.", { details: { status: 500 } }),
    "the server answered 500. Run it again; if that does not help, ask the server's operator.",
  ],
  [
    new Failure("rate_limited", "Too many", { details: { status: 429 }, retryAfter: 30 }),
    "Too many (status 429). Run it again in 30 s, with fewer requests a second.",
  ],
  [
    new Failure("conflict", "It exists.", { details: { status: 409 }, remedy: "Import it." }),
    "It exists. Import it.",
  ],
  [new Failure("invalid", "It is wrong", { details: { status: 400 } }), "It is wrong"],
])("%o", (failure, told) => {
  expect(formatFailure(failure)).toBe(told);
});
