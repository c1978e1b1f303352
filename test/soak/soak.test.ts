// The soak in short, from a seed of each day's own; `npm run soak` goes on for as long as one likes.
import { expect, it } from "vitest";
import { soakApplies } from "./applies.ts";
import { soakServers } from "./servers.ts";

const seed = Number(process.env["SVC_SOAK_SEED"] ?? Math.floor(Date.now() / 86_400_000));
const told: string[] = [];
const tell = (line: string): void => void told.push(line);

it(`killed applies end as undisturbed ones (seed ${seed})`, { timeout: 600_000 }, async () => {
  const { killed, wrong } = await soakApplies({ count: 20, seed, tell });
  expect(wrong, told.join("\n")).toEqual([]);
  expect(killed).toBe(20);
});

it(`killed servers keep what they acknowledged (seed ${seed})`, { timeout: 600_000 }, async () => {
  const { killed, wrong } = await soakServers({ count: 5, seed, tell });
  expect(wrong, told.join("\n")).toEqual([]);
  expect(killed).toBe(5);
});
