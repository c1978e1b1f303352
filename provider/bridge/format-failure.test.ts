// A formatted failure contains the status and request id, if the message lacks them, and a remedy.
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { formatFailure } from "./format-failure.ts";

it.each([
  [
    new Failure("internal", "List groups: it broke", {
      details: { status: 500, requestId: "r-1" },
    }),
    "List groups: it broke (status 500, request id r-1). Try again. If the error persists, contact the server's operator.",
  ],
  [
    new Failure("internal", "the server answered 500.", { details: { status: 500 } }),
    "the server answered 500. Try again. If the error persists, contact the server's operator.",
  ],
  [
    new Failure("rate_limited", "Too many", { details: { status: 429 }, retryAfter: 30 }),
    "Too many (status 429). Try again in 30 s, with a lower request rate.",
  ],
  [
    new Failure("conflict", "It exists.", { details: { status: 409 }, remedy: "Import it." }),
    "It exists. Import it.",
  ],
  [new Failure("invalid", "It is wrong", { details: { status: 400 } }), "It is wrong"],
])("%o", (failure, expected) => {
  expect(formatFailure(failure)).toBe(expected);
});
