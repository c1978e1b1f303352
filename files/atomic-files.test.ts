// Tests that files are replaced whole or not at all, and that a folder is created below its missing parents.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  appendDurably,
  createAtomically,
  joinTexts,
  makePrivateFolder,
  readIfExists,
  writeAtomically,
} from "./atomic-files.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-files-"));
  file = join(folder, "file");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it("writes all texts and bytes, readable by the owner only", () => {
  const large = "é".repeat(3_000_000);
  writeAtomically(file, ["a", large, "b"]);
  expect(readFileSync(file, "utf8")).toBe(`a${large}b`);
  expect(modeOf(file)).toBe(0o600);
  writeAtomically(file, Buffer.from([0, 255]), { mode: 0o640 });
  expect([...readFileSync(file)]).toEqual([0, 255]);
  expect(modeOf(file)).toBe(0o640);
});

it("leaves the old file, and no other, if the write is cancelled or fails", () => {
  writeFileSync(file, "old");
  const cancel = () => {
    throw new Error("the lock is lost");
  };
  expect(() => writeAtomically(file, ["new"], { beforeRename: cancel })).toThrow("lock is lost");
  const failing = (function* () {
    yield "new";
    throw new Error("no more text");
  })();
  expect(() => writeAtomically(file, failing)).toThrow("no more text");
  mkdirSync(join(folder, "child"));
  expect(() => writeAtomically(join(folder, "child"), ["new"])).toThrow(/EISDIR|ENOTEMPTY|EEXIST/u);
  expect(readFileSync(file, "utf8")).toBe("old");
  expect(readdirSync(folder).toSorted()).toEqual(["child", "file"]);
});

it("creates a file once", () => {
  createAtomically(file, ["first"]);
  createAtomically(file, ["second"]);
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["file"]);
});

it("appends lines, and reads a missing file as undefined", () => {
  expect(readIfExists(file)).toBeUndefined();
  appendDurably(file, "a\n");
  appendDurably(file, "b\n");
  expect(readIfExists(file)).toBe("a\nb\n");
  expect(modeOf(file)).toBe(0o600);
});

it("creates folders that only the owner may read, and fails below a file", () => {
  makePrivateFolder(join(folder, "a", "b"));
  makePrivateFolder(join(folder, "a", "b"));
  expect([join(folder, "a"), join(folder, "a", "b")].map(modeOf)).toEqual([0o700, 0o700]);
  writeFileSync(file, "");
  expect(() => makePrivateFolder(join(file, "a"))).toThrow("ENOTDIR");
});

it("joins short texts and keeps their order", () => {
  expect([...joinTexts(["a", "b"])]).toEqual(["ab"]);
  const long = "x".repeat(1 << 20);
  expect([...joinTexts([long, "a", long])]).toEqual([long, `a${long}`]);
  expect([...joinTexts([])]).toEqual([]);
});
