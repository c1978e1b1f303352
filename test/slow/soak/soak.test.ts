// Runs a short soak with fixed seeds. `npm run soak` uses new seeds and runs as long as you want.
import { expect, it } from "vitest";
import { soakApplies } from "./apply-soak.ts";
import { soakServers } from "./server-soak.ts";

const timeout = 300_000;

it.each([4401])("killed applies end as undisturbed ones (seed %i)", { timeout }, (seed) =>
  expectHolds(soakApplies, { count: 2, seed }),
);

it.each([7])("killed servers keep what they acknowledged (seed %i)", { timeout }, (seed) =>
  expectHolds(soakServers, { count: 2, seed }),
);

async function expectHolds(
  soak: typeof soakApplies,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<void> {
  const reported: string[] = [];
  const { killed, wrong } = await soak({ count, seed, report: (line) => void reported.push(line) });
  expect(wrong, reported.join("\n")).toEqual([]);
  expect(killed).toBe(count);
}
