// The key of the fingerprints of secrets: from the environment or a private file, made once, never too short.
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
import { fingerprintsWith } from "../../core/fingerprints.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-key-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const long = "x".repeat(32);

describe("the fingerprint key", () => {
  it("is made once, for its owner alone, below the configuration folder", () => {
    const env = { HOME: home };
    expect(readFingerprintKey(env)).toBeUndefined();
    const made = ensureFingerprintKey(env).reveal();
    const path = join(home, ".config/svc/fingerprint.key");
    expect(readFileSync(path, "utf8").trim()).toBe(made);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(ensureFingerprintKey(env).reveal()).toBe(made);
    expect(readFingerprintKey({ XDG_CONFIG_HOME: join(home, ".config") })?.reveal()).toBe(made);
  });

  it("comes from the environment before any file, and then none is made", () => {
    const env = { HOME: home, [keyVariable]: long };
    expect(ensureFingerprintKey(env).reveal()).toBe(long);
    expect(readFingerprintKey({ HOME: home })).toBeUndefined();
    expect(readFingerprintKey({ HOME: home, [keyVariable]: "" })).toBeUndefined();
  });

  it("is refused where it could be guessed, without being shown", () => {
    expect(() => readFingerprintKey({ [keyVariable]: "short-secret" })).toThrow(keyVariable);
    expect(() => readFingerprintKey({ [keyVariable]: "short-secret" })).not.toThrow("short-secret");
    const path = join(home, ".config/svc/fingerprint.key");
    mkdirSync(join(home, ".config/svc"), { recursive: true });
    writeFileSync(path, "");
    expect(() => ensureFingerprintKey({ HOME: home })).toThrow(path);
  });

  it("says where it cannot be written", () => {
    const file = join(home, "file");
    writeFileSync(file, "");
    chmodSync(file, 0o400);
    expect(() => ensureFingerprintKey({ XDG_CONFIG_HOME: file })).toThrow("cannot be written");
  });
});

describe("fingerprints", () => {
  const key = ensureFingerprintKey({ [keyVariable]: long });
  const other = ensureFingerprintKey({ [keyVariable]: `${long}y` });

  it("of secrets depend on the key alone, others on the salt alone", () => {
    const [one, two] = [fingerprintsWith("a", key), fingerprintsWith("b", key)];
    expect(one.of("v", true)).toBe(two.of("v", true));
    expect(one.of("v", false)).not.toBe(two.of("v", false));
    expect(one.of("v", false)).toBe(fingerprintsWith("a", other).of("v", false));
    expect(one.of("v", true)).not.toBe(fingerprintsWith("a", other).of("v", true));
  });

  it("of another key are told apart from those that can be compared", () => {
    const [ours, theirs] = [fingerprintsWith("a", key), fingerprintsWith("a", other)];
    const marks = { a: ours.of("v", true), b: theirs.of("v", true), c: theirs.of("v", false) };
    expect(Object.keys(ours.comparable(marks))).toEqual(["a", "c"]);
  });
});
