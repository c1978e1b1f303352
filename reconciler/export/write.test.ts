// Tests that files of an export are written completely or not at all.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { replaceFile, writeFiles } from "./write.ts";

let folder: string;
const at = (...names: readonly string[]) => path.join(folder, ...names);
const text = (name: string) => readFileSync(at(name), "utf8");
const all = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "svc-write-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function failure(act: () => void): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

describe("files of an export", () => {
  const files = [
    { path: "stack.yaml", text: "kind: Stack\n" },
    { path: "towns/größe \\ \"'.yaml", text: "motto: 'ß\u2028'\n" },
  ];

  it("are written with their folders, and as they are", () => {
    writeFiles(at("new"), files, { overwrite: false });
    expect(all()).toEqual(["new", "new/stack.yaml", "new/towns", "new/towns/größe \\ \"'.yaml"]);
    expect(text("new/towns/größe \\ \"'.yaml")).toBe("motto: 'ß\u2028'\n");
  });

  it("do not exist for an export without objects", () => {
    writeFiles(at("new"), [], { overwrite: false });
    expect(all()).toEqual([]);
  });

  it("replace nothing without --overwrite: no file is written", () => {
    writeFileSync(at("stack.yaml"), "mine");
    expect(failure(() => writeFiles(folder, files, { overwrite: false }))).toMatchObject({
      code: "refused",
      message: `${at("stack.yaml")} would be overwritten`,
      remedy: expect.stringContaining("--overwrite"),
    });
    expect([all(), text("stack.yaml")]).toEqual([["stack.yaml"], "mine"]);
  });

  it("name the first of many that exist, with another remedy if the caller has one", () => {
    const many = Array.from({ length: limits.placesNamed + 2 }, (_, n) => `f${n}`);
    for (const name of many) writeFileSync(at(name), "");
    const given = many.map((name) => ({ path: name, text: "x" }));
    const { message, remedy } = failure(() =>
      writeFiles(folder, given, { overwrite: false, remedy: "Pass another folder" }),
    );
    expect(message.endsWith(" and 2 more would be overwritten")).toBe(true);
    expect(message.split(", ")).toHaveLength(limits.placesNamed);
    expect(remedy).toBe("Pass another folder");
  });

  it("replace others with --overwrite and keep their permissions", () => {
    writeFileSync(at("stack.yaml"), "old");
    chmodSync(at("stack.yaml"), 0o640);
    writeFileSync(at("other.yaml"), "other");
    writeFiles(folder, files, { overwrite: true });
    expect([text("stack.yaml"), text("other.yaml")]).toEqual(["kind: Stack\n", "other"]);
    expect(statSync(at("stack.yaml")).mode & 0o777).toBe(0o640);
  });

  it("are all or none if one of them cannot be written", () => {
    writeFileSync(at("stack.yaml"), "old");
    writeFileSync(at("towns"), "a file where a folder is needed");
    expect(failure(() => writeFiles(folder, files, { overwrite: true }))).toMatchObject({
      code: "usage",
      message: expect.stringContaining(`cannot write ${at(files[1]?.path ?? "")}`),
    });
    expect([all(), text("stack.yaml")]).toEqual([["stack.yaml", "towns"], "old"]);
  });
});

describe("a replaced file", () => {
  it("keeps the bytes of binary content", () => {
    replaceFile(at("a.pdf"), Buffer.from([0, 255, 10]));
    expect([...readFileSync(at("a.pdf"))]).toEqual([0, 255, 10]);
  });

  it("that is a folder is refused, and leaves no temporary file", () => {
    mkdirSync(at("a.yaml"));
    const { code, message } = failure(() => replaceFile(at("a.yaml"), "x"));
    expect([code, message]).toEqual(["usage", expect.stringContaining(at("a.yaml"))]);
    expect(all()).toEqual(["a.yaml"]);
  });
});
