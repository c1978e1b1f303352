// A process of its own that works on an inventory in any store: contends for the lock, or holds it until it is killed.
import { writeSync } from "node:fs";
import { isFailure } from "../../core/errors.ts";
import { openInventory, type StoreAddress } from "./inventory-stores.ts";
import { sampleEntry } from "./inventory-samples.ts";

const [mode = "", address = "{}", wins = "0"] = process.argv.slice(2);
const store = await openInventory(JSON.parse(address) as StoreAddress, "shop");

/** Acquires the lock this number of times, and reports the intervals in which it certainly held it. */
async function contend(left: number): Promise<void> {
  if (left === 0) return;
  const held = await store.lock("contend").catch(ifLocked);
  if (held === undefined) return contend(left);
  const from = process.hrtime.bigint();
  const inventory = await store.read();
  await held.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
  await held.write(inventory);
  const to = process.hrtime.bigint();
  reportLine(`${from} ${to}`);
  await held.release();
  return contend(left - 1);
}

/**
 * Returns undefined if another process has the lock. Any other failure, such as a stopped database, ends this process.
 */
function ifLocked(error: unknown): undefined {
  if (!isFailure(error, "locked")) throw error;
}

/** Reports to the parent, and waits until the report has arrived. */
function reportLine(line: string): void {
  writeSync(1, `${line}\n`);
}

async function holdLock(): Promise<void> {
  const held = await store.lock("hold");
  await held.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
  reportLine("held");
  await new Promise(() => setInterval(() => undefined, 1000));
}

await (mode === "hold" ? holdLock() : contend(Number(wins)));
await store.close();
