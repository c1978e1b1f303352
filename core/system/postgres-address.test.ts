// Tests how a failed handshake with PostgreSQL is explained.
import { expect, it } from "vitest";
import { tlsProblemOf } from "./postgres-address.ts";

it("explains a server without TLS", () => {
  const error = new Error("The server does not support SSL connections");
  expect(tlsProblemOf(error)?.problem).toContain("it offers no TLS");
});

it.each(["constructor", "toString", "__proto__", "", "any other message"])(
  "explains no error with the message %j",
  (message) => {
    expect(tlsProblemOf(new Error(message))).toBeUndefined();
  },
);
