// Tests of the fingerprint key: its sources, its creation and its minimum length.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyVariable, ensureFingerprintKey, readFingerprintKey } from "./fingerprint-key.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-key-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const long = "x".repeat(32);

describe("the fingerprint key", () => {
  it("is created once, as a private file in the configuration folder", () => {
    const env = { HOME: home };
    expect(readFingerprintKey(env)).toBeUndefined();
    const created = ensureFingerprintKey(env).reveal();
    const path = join(home, ".config/svc/fingerprint.key");
    expect(readFileSync(path, "utf8").trim()).toBe(created);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(ensureFingerprintKey(env).reveal()).toBe(created);
    expect(readFingerprintKey({ XDG_CONFIG_HOME: join(home, ".config") })?.reveal()).toBe(created);
  });

  it("is read from the environment first, and then no file is created", () => {
    const env = { HOME: home, [keyVariable]: long };
    expect(ensureFingerprintKey(env).reveal()).toBe(long);
    expect(readFingerprintKey({ HOME: home })).toBeUndefined();
    expect(readFingerprintKey({ HOME: home, [keyVariable]: "" })).toBeUndefined();
  });

  it("is refused if it is too short, and never shown", () => {
    expect(() => readFingerprintKey({ [keyVariable]: "short-secret" })).toThrow(keyVariable);
    expect(() => readFingerprintKey({ [keyVariable]: "short-secret" })).not.toThrow("short-secret");
    const path = join(home, ".config/svc/fingerprint.key");
    mkdirSync(join(home, ".config/svc"), { recursive: true });
    writeFileSync(path, "");
    expect(() => ensureFingerprintKey({ HOME: home })).toThrow(path);
  });

  it("names the file that cannot be written", () => {
    const file = join(home, "file");
    writeFileSync(file, "");
    chmodSync(file, 0o400);
    expect(() => ensureFingerprintKey({ XDG_CONFIG_HOME: file })).toThrow("cannot be written");
  });
});

describe("fingerprints", () => {
  const key = ensureFingerprintKey({ [keyVariable]: long });
  const other = ensureFingerprintKey({ [keyVariable]: `${long}y` });

  it("depend on the key for secrets, and on the salt for other values", () => {
    const [one, two] = [fingerprintsWith("a", key), fingerprintsWith("b", key)];
    expect(one.of("v", true)).toBe(two.of("v", true));
    expect(one.of("v", false)).not.toBe(two.of("v", false));
    expect(one.of("v", false)).toBe(fingerprintsWith("a", other).of("v", false));
    expect(one.of("v", true)).not.toBe(fingerprintsWith("a", other).of("v", true));
  });

  it("made with another key are recognised as not comparable", () => {
    const [ours, theirs] = [fingerprintsWith("a", key), fingerprintsWith("a", other)];
    const marks = { a: ours.of("v", true), b: theirs.of("v", true), c: theirs.of("v", false) };
    expect(Object.keys(ours.comparable(marks))).toEqual(["a", "c"]);
  });
});
