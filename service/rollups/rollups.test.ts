// When builds of rollups start again.
import { expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { openRollups } from "./rollups.ts";

test("a build that waits for another server starts again after a pause, and has not failed", async () => {
  let time = 0;
  let builds = 0;
  const rollups = openRollups({ folder: undefined, megabytes: 1, now: () => time });
  const find = async () => {
    rollups.find({
      key: "orders",
      state: "",
      usableSince: Infinity,
      id: "orders.main",
      group: "main",
      build: async () => {
        builds++;
        throw new Failure("locked", "another server reads the database");
      },
      onFailure: () => expect.unreachable(),
    });
    // The build ends.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await find();
  await find();
  expect(builds).toBe(1);
  expect(rollups.failures("main")).toEqual(new Map());
  time += limits.rollupRefreshMs;
  await find();
  expect(builds).toBe(2);
  await rollups.close();
});
