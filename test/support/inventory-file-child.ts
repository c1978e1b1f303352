// A process of its own that works on an inventory file: contends for the lock, or freezes at a given step to be killed.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { limits } from "../../core/limits/limits.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import { sampleEntry } from "./inventory-samples.ts";

/**
 * Acquires the lock repeatedly, and logs the interval in which it certainly held it. Every other time it leaves an
 * expired lock, as after an earlier crash, which all contenders try to acquire concurrently.
 */
async function contend(file: string, until: number): Promise<void> {
  slowFileCalls();
  const store = fileInventory(file, "shop");
  while (!fs.existsSync(`${file}.stop`) && Date.now() < until) {
    const held = await store.lock("contend").catch(() => undefined);
    if (held === undefined) continue;
    const from = process.hrtime.bigint();
    const inventory = await store.read();
    await held.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await held.write(inventory);
    const to = process.hrtime.bigint();
    fs.appendFileSync(`${file}.log`, `${from} ${to} ${process.pid}\n`);
    await held.release();
    if (Math.random() < 0.5) leaveStaleLock(file);
  }
}

/** Delays this process between reading the files and changing them. */
function slowFileCalls(): void {
  for (const name of ["rmSync", "renameSync"]) {
    intercept(name, (original, all) => {
      if (Math.random() < 0.3) sleepSync(Math.random() * 4);
      return original(...all);
    });
  }
  syncBuiltinESMExports();
}

function leaveStaleLock(file: string): void {
  const at = new Date(Date.now() - 2 * limits.leaseMs).toISOString();
  const id = crypto.randomUUID();
  const lock = { id, purpose: "crash", holder: "crashed", acquiredAt: at, expiresAt: at };
  fs.writeFileSync(`${file}.${id}`, JSON.stringify(lock));
  try {
    fs.linkSync(`${file}.${id}`, `${file}.lock`);
  } catch {
    // Another contender was faster and holds the lock.
  }
  fs.rmSync(`${file}.${id}`);
}

function sleepSync(ms?: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Journals, writes and journals again; at file system call number `stopAt`, reports this and freezes. */
async function writeInventory(file: string, stopAt: number): Promise<void> {
  freezeAt(stopAt);
  const store = fileInventory(file, "shop");
  const held = await store.lock("apply");
  let inventory = await store.read();
  await held.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
  reportLine("a began");
  await held.journal([{ phase: "done", address: "Thing/a", entry: sampleEntry("a", "id-a") }]);
  reportLine("a ended");
  inventory = await held.write({ ...(await store.read()), origin: "https://one.example" });
  reportLine("a written");
  await held.journal([
    { phase: "pending", address: "Thing/b", entry: sampleEntry("b") },
    { phase: "done", address: "Thing/old", entry: undefined },
  ]);
  reportLine("b began");
  await held.journal([{ phase: "done", address: "Thing/b", entry: sampleEntry("b", "id-b") }]);
  reportLine("b ended");
  const { "Thing/old": _, ...others } = inventory.entries;
  await held.write({ ...inventory, entries: { ...others, "Thing/b": sampleEntry("b", "id-b") } });
  reportLine("b written");
  await held.release();
  reportLine("finished");
}

const mutatingCalls = ["openSync", "writeSync", "fsyncSync", "renameSync", "rmSync"] as const;

/** Counts the calls that change files; call `stopAt` is not made, or only the first half of its write. */
function freezeAt(stopAt: number): void {
  let count = 0;
  const stop = (): void => {
    reportLine("frozen");
    sleepSync();
  };
  for (const name of mutatingCalls) {
    intercept(name, (original, all) => {
      count += 1;
      if (count !== stopAt) return original(...all);
      const [handle, bytes, at = 0] = all;
      if (name.startsWith("write") && typeof handle === "number" && Buffer.isBuffer(bytes)) {
        const from = Number(at);
        fs.writevSync(handle, [bytes.subarray(from, from + Math.floor((bytes.length - from) / 2))]);
      }
      return stop();
    });
  }
  syncBuiltinESMExports();
}

type FileCall = (...all: unknown[]) => unknown;

/** Replaces a function of the file system by `instead` in this process. */
function intercept(name: string, instead: (original: FileCall, all: unknown[]) => unknown): void {
  const original = Reflect.get(fs, name) as FileCall;
  Reflect.set(fs, name, (...all: unknown[]) => instead(original, all));
}

/** Reports to the parent, and waits until the report has arrived. */
function reportLine(what: string): void {
  fs.writevSync(1, [Buffer.from(`${what}\n`)]);
}

const [mode, path = "", argument = ""] = process.argv.slice(2);

if (mode === "contend") await contend(path, Number(argument));
else if (mode === "freeze") await writeInventory(path, Number(argument));
