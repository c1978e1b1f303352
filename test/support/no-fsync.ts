// Makes fsync do nothing in this process, because waiting for thousands of small files takes longer than the tests.
// Processes that tests kill keep the real calls.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

fs.fsyncSync = () => undefined;
fs.fdatasyncSync = () => undefined;
Object.assign(fs, { fsync: skip, fdatasync: skip });
syncBuiltinESMExports();

function skip(_: number, done: (error: null) => void): void {
  process.nextTick(done, null);
}
