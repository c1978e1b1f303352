// Runs a short soak of servers on PostgreSQL: all acknowledged writes are in the database after a kill.
import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/test-database.ts";
import { soakServers } from "./server-soak.ts";

it("killed servers keep what they acknowledged in a database", { timeout: 300_000 }, async () => {
  const reported: string[] = [];
  const report = (line: string): void => void reported.push(line);
  const { killed, wrong } = await soakServers({
    count: 1,
    seed: 11,
    report,
    database: createTestDatabase,
  });
  expect(wrong, reported.join("\n")).toEqual([]);
  expect(killed).toBe(1);
});
