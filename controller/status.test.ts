// Tests when a controller is ready.
import { expect, it } from "vitest";
import { trackStatus } from "./status.ts";

it("waits for the sources of a single controller, and for none of a replica", () => {
  const sources = [{ name: "shop", pattern: undefined }] as never;
  const single = trackStatus({ sources, database: undefined });
  expect(single.isReady()).toBe(false);
  single.record({
    time: "2027-01-01T00:00:00Z",
    event: "reconciliation",
    source: "shop",
    mode: "plan",
    result: "failed",
    seconds: 1,
  });
  expect(single.isReady()).toBe(true);
  expect(trackStatus({ sources, database: { env: "DATABASE" } }).isReady()).toBe(true);
});
