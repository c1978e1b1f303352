// Makes this process not wait for the disk. What tests write need not outlive the machine, and on a slow disk the waits of
// thousands of small files take longer than the tests. Processes that are killed by tests keep the real calls.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

fs.fsyncSync = () => undefined;
fs.fdatasyncSync = () => undefined;
Object.assign(fs, { fsync: skip, fdatasync: skip });
syncBuiltinESMExports();

function skip(_: number, done: (error: null) => void): void {
  process.nextTick(done, null);
}
