// Tests the files of generated secrets: which are written, which are removed, and which are never touched.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { desiredObject, fingerprints, town } from "../../test/support/plan-fixtures.ts";
import { inspectSecretSinks, openSecretSinks, type SecretSinks } from "./secret-sinks.ts";

let root: string;
let stack: { readonly folder: string; readonly inventoryFile: string };
let sinks: SecretSinks;
const at = (...names: readonly string[]) => path.join(stack.folder, ...names);
const fingerprintOf = (secret: string) => fingerprints.of(secret, true);

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "svc-sinks-"));
  const folder = path.join(root, "stack");
  mkdirSync(folder);
  stack = { folder, inventoryFile: path.join(folder, ".svc", "shop.inventory.json") };
  sinks = openSecretSinks(stack, fingerprints);
});
afterEach(() => rmSync(root, { recursive: true }));

function stateOf(secretTo: string) {
  const object = { ...desiredObject(town, "ulm", { spec: { name: "ulm" } }), secretTo };
  const state = inspectSecretSinks([object], stack, fingerprints).get("Town/ulm");
  if (state === undefined) throw new Error("the file was not inspected");
  return state;
}

describe("a stored secret", () => {
  it.each(["sk-1", "", "two\nlines\n", "größe \u2028 \\ \" '", "x".repeat(limits.secretBytes)])(
    "is in the file as it was returned, for its owner alone: %j",
    (secret) => {
      expect(sinks.put("secrets/new/ulm", new Secret(secret))).toBe(fingerprintOf(secret));
      expect(readFileSync(at("secrets/new/ulm"), "utf8")).toBe(secret);
      expect(statSync(at("secrets/new/ulm")).mode & 0o777).toBe(0o600);
      expect(statSync(at("secrets")).mode & 0o777).toBe(0o700);
      expect(readdirSync(at("secrets/new"))).toEqual(["ulm"]);
      expect(stateOf("secrets/new/ulm").storedFingerprint).toBe(fingerprintOf(secret));
    },
  );

  it("replaces the former one", () => {
    sinks.put("ulm", new Secret("a long former secret"));
    sinks.put("ulm", new Secret("new"));
    expect(readFileSync(at("ulm"), "utf8")).toBe("new");
  });
});

describe("the state of a file", () => {
  it("is inspected for each object with a generated secret, and creates nothing", () => {
    const ulm = desiredObject(town, "ulm", { spec: { name: "ulm" } });
    const bonn = desiredObject(town, "bonn", { spec: { name: "bonn" } });
    const states = inspectSecretSinks(
      [{ ...ulm, secretTo: "secrets/ulm" }, bonn],
      stack,
      fingerprints,
    );
    expect([...states.keys()]).toEqual(["Town/ulm"]);
    expect(states.get("Town/ulm")).toMatchObject({
      storedFingerprint: undefined,
      obstacle: undefined,
    });
    expect(inspectSecretSinks([], stack, fingerprints).size).toBe(0);
    expect(readdirSync(stack.folder)).toEqual([]);
  });

  it.each<[string, string, number | undefined, boolean]>([
    ["sk-12345", "sk-1", undefined, true],
    ["sk-12345", "sk-1", 8, true],
    ["sk-12345\n", "sk-1", 8, true],
    ["sk-12345", "sk-2", 8, false],
    ["sk-123", "sk-1", 8, false],
    ["sk-12345 and more", "sk-1", 8, false],
    ["", "sk-1", undefined, false],
  ])("%j matches the prefix %j and the length %s: %s", (stored, prefix, length, expected) => {
    writeFileSync(at("ulm"), stored);
    expect(stateOf("ulm").storedMatches(prefix, length)).toBe(expected);
  });

  it("matches nothing without a file", () => {
    expect(stateOf("ulm").storedMatches("", undefined)).toBe(false);
  });
});

describe("a file that no secret is written to", () => {
  it.each<[string, string, () => void, string]>([
    ["the inventory", ".svc/shop.inventory.json", () => undefined, "the inventory is stored there"],
    [
      "the journal of the inventory",
      ".svc/shop.inventory.json.journal",
      () => undefined,
      "the inventory is stored there",
    ],
    ["a folder", "ulm", () => mkdirSync(at("ulm")), "it is not a regular file"],
    ["a link", "ulm", () => symlinkSync("elsewhere", at("ulm")), "it is not a regular file"],
    [
      "a file that is too large for a secret",
      "ulm",
      () => writeFileSync(at("ulm"), "x".repeat(limits.secretBytes + 1)),
      "a larger file is there",
    ],
    ["a file outside of the stack", "../ulm", () => undefined, "it is outside the stack's folder"],
    [
      "a file in a linked folder outside of the stack",
      "linked/deep/ulm",
      () => {
        mkdirSync(path.join(root, "outside"));
        symlinkSync(path.join(root, "outside"), at("linked"));
      },
      "it is outside the stack's folder",
    ],
    [
      "a file below a file",
      "file/ulm",
      () => writeFileSync(at("file"), "mine"),
      "a part of its path is not a folder",
    ],
  ])("is %s", (_, file, prepare, obstacle) => {
    prepare();
    expect(stateOf(file)).toMatchObject({ obstacle, storedFingerprint: undefined });
    const before = readdirSync(root, { recursive: true });
    expect(() => sinks.put(file, new Secret("sk-1"))).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: `the object was created, but its secret could not be written to ${file}: ${obstacle}`,
      }),
    );
    expect(sinks.remove({ file, fingerprint: fingerprintOf("mine") })).toBe(false);
    expect(readdirSync(root, { recursive: true })).toEqual(before);
  });
});

describe("the file of a deleted object", () => {
  it("is removed if it has the secret of the object", () => {
    const fingerprint = sinks.put("ulm", new Secret("sk-1"));
    expect(sinks.remove({ file: "ulm", fingerprint })).toBe(true);
    expect(existsSync(at("ulm"))).toBe(false);
    expect(sinks.remove({ file: "ulm", fingerprint })).toBe(true);
  });

  it("stays if another process has written another secret since", () => {
    const fingerprint = sinks.put("ulm", new Secret("sk-1"));
    openSecretSinks(stack, fingerprints).put("ulm", new Secret("sk-2"));
    expect(sinks.remove({ file: "ulm", fingerprint })).toBe(false);
    expect(readFileSync(at("ulm"), "utf8")).toBe("sk-2");
  });

  it("stays if the stack does not know what it wrote there", () => {
    writeFileSync(at("ulm"), "sk-1");
    expect(sinks.remove({ file: "ulm" })).toBe(false);
    expect(sinks.remove({ file: "missing" })).toBe(true);
    expect(existsSync(at("ulm"))).toBe(true);
  });
});
