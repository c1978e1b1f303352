// The soak of servers in short on PostgreSQL: what was acknowledged is in the database, whoever is killed.
import { expect, it } from "vitest";
import { freshPlace } from "../support/store.ts";
import { soakServers } from "./servers.ts";

it("killed servers keep what they acknowledged in a database", { timeout: 300_000 }, async () => {
  const told: string[] = [];
  const tell = (line: string): void => void told.push(line);
  const { killed, wrong } = await soakServers({ count: 2, seed: 11, tell, database: freshPlace });
  expect(wrong, told.join("\n")).toEqual([]);
  expect(killed).toBe(2);
});
