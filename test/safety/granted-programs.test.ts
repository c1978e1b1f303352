// Tests programs that provide secrets: how a pull request may use the granted ones, and that it may not run others.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { readGrants } from "../../reconciler/policy/grants-file.ts";
import type { VerbOptions } from "../../reconciler/verbs/session.ts";
import { plan } from "../../reconciler/plan.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ policy: { maxDeletes: 10 } });
let outside: string;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), "svc-outside-"));
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

async function diagnosticsOf(more: Partial<VerbOptions>): Promise<readonly string[]> {
  const verdict = await plan({ ...fixture.stack.options, ...more });
  const found = verdict.ok ? verdict.plan.diagnostics : verdict.diagnostics;
  return found.map(({ code, path = "" }) => `${code} ${path}`.trim());
}

/** Returns a command that decrypts the granted file, with additional words. */
function decryptCommand(program: string, words: string): JsonObject {
  return { command: [program, "--decrypt", ...words.split(" "), "secrets/db.enc"] };
}

describe("a granted key of sops or age", () => {
  /** Returns the diagnostics of a pull request that declares the source of a secret. */
  async function saying(valueFrom: JsonObject): Promise<readonly string[]> {
    const spec = { deployment: { external: "main" }, name: "DB_PASS", value: { valueFrom } };
    await fixture.stack.write([{ kind: "EnvironmentVariable", name: "v", spec }]);
    const identity = join(outside, "age.key");
    const granted = join(fixture.stack.folder, "secrets/");
    const grants = { ...noGrants, sops: [granted], age: [{ identity, files: [granted] }] };
    const env = { ...fixture.stack.options.env, PATH: `${outside}:${process.env["PATH"]}` };
    return diagnosticsOf({ grants, env });
  }

  beforeEach(() => {
    mkdirSync(join(fixture.stack.folder, "secrets"));
    for (const file of ["secrets/db.enc", "beside.enc"])
      writeFileSync(join(fixture.stack.folder, file), "x");
    for (const file of ["age.key", "other.key", "root.enc"])
      writeFileSync(join(outside, file), "x");
    symlinkSync(join(outside, "root.enc"), join(fixture.stack.folder, "secrets/link.enc"));
    // Replaces either program and records its arguments, so that a test can check that a refused command did not run.
    for (const name of ["sops", "age"]) {
      const leaves = `#!/bin/sh\necho "$*" >>'${join(outside, "ran")}'\necho opened\n`;
      writeFileSync(join(outside, name), leaves, { mode: 0o700 });
    }
  });

  it("opens the files that it is granted for", async () => {
    const identity = join(outside, "age.key");
    const [bySops, byAge] = [{ file: "secrets/db.enc" }, { file: "secrets/db.enc", identity }];
    expect(await saying({ sops: bySops })).toEqual(["not-verifiable"]);
    expect(await saying({ age: byAge })).toEqual(["not-verifiable"]);
    const file = join(realpathSync(fixture.stack.folder), "secrets/db.enc");
    expect(readFileSync(join(outside, "ran"), "utf8").trim().split("\n")).toEqual([
      `--decrypt ${file}`,
      `--decrypt --identity ${realpathSync(identity)} ${file}`,
    ]);
  });

  it.each<[string, (here: string) => JsonObject]>([
    [
      "option of age",
      (here) => decryptCommand("age", `--identity ${here}/age.key --output ${here}/new`),
    ],
    ["option of sops", () => decryptCommand("sops", "--in-place")],
    [
      "command without an option more",
      (here) => decryptCommand("age", `--identity ${here}/age.key`),
    ],
    ["file beside", () => ({ sops: { file: "beside.enc" } })],
    ["file above", () => ({ sops: { file: "secrets/../beside.enc" } })],
    ["file of another folder", (here) => ({ sops: { file: `${here}/root.enc` } })],
    ["link out", () => ({ sops: { file: "secrets/link.enc" } })],
    [
      "link out, with the key",
      (here) => ({ age: { file: "secrets/link.enc", identity: `${here}/age.key` } }),
    ],
    [
      "key that is not granted",
      (here) => ({ age: { file: "secrets/db.enc", identity: `${here}/other.key` } }),
    ],
  ])("runs for no %s", async (_what, valueFrom) => {
    expect(await saying(valueFrom(outside))).toEqual(["source-not-allowed /spec/value"]);
    expect(existsSync(join(outside, "ran"))).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["sops", { file: "secrets/db.enc", keyservice: "tcp://stranger:5000" }],
    ["sops", { file: "secrets/db.enc", key: "--output=/tmp/new" }],
    ["age", { file: "secrets/db.enc", identity: ["x", "--output", "/tmp/new"] }],
  ])("refuses an additional argument in the form of %s: %j", async (form, given) => {
    expect(await saying({ [form]: given })).toEqual(["variable-syntax /spec/value"]);
    expect(existsSync(join(outside, "ran"))).toBe(false);
  });

  it("is granted by no list of commands, which would leave the options to manifests", () => {
    const file = join(outside, "grants.yaml");
    const granted = (text: string): (() => unknown) => {
      writeFileSync(file, text);
      return () => readGrants(file);
    };
    const wrong =
      /1:12: a command that begins with (sops|age) .*Grant the files that it may decrypt: \1: /u;
    expect(granted("commands: [[sops, --decrypt]]")).toThrow(wrong);
    expect(granted("commands: [[/usr/bin/age, --decrypt, --identity, /k]]")).toThrow(wrong);
    expect(granted("age: [{ identity: /keys/, files: [/srv/] }]")).toThrow("1:19: ");
    const whole = "{ commands: [sops, [x]], sops: [/a/], age: [{ identity: /k, files: [/b] }] }";
    expect(granted(whole)()).toMatchObject({
      commands: ["sops", ["x"]],
      sops: ["/a/"],
      age: [{ identity: "/k", files: ["/b"] }],
    });
  });
});

describe("a granted command", () => {
  /** A program that records its arguments, so that a test can check that a refused one did not run. */
  let give: string;
  beforeEach(() => {
    give = join(outside, "give");
    const leaves = `#!/bin/sh\necho "$0 $*" >>'${join(outside, "ran")}'\necho given\n`;
    for (const file of [give, join(outside, "other")]) writeFileSync(file, leaves, { mode: 0o700 });
  });

  async function saying(...words: readonly string[]): Promise<readonly string[]> {
    const value = { valueFrom: { command: [give, ...words] } };
    const spec = { deployment: { external: "main" }, name: "DB_PASS", value };
    await fixture.stack.write([{ kind: "EnvironmentVariable", name: "v", spec }]);
    const commands = [
      [give, "read", "shop/db"],
      [give, "show", "*", "--plain"],
      [give, "any*"],
    ];
    return diagnosticsOf({ grants: { ...noGrants, commands }, env: fixture.stack.options.env });
  }

  it.each([
    [["read", "shop/db"]],
    [["show", "shop/db", "--plain"]],
    [["show", "*", "--plain"]],
    [["show", "a b; $(c)", "--plain"]],
    [["any*"]],
  ])("runs as it is granted: %j", async (words) => {
    expect(await saying(...words)).toEqual(["not-verifiable"]);
    expect(readFileSync(join(outside, "ran"), "utf8")).toBe(`${give} ${words.join(" ")}\n`);
  });

  it.each([
    ["a word more", ["read", "shop/db", "--output=/tmp/new"]],
    ["a word less", ["read"]],
    ["no word", []],
    ["another word", ["read", "shop/other"]],
    ["a word in other case", ["READ", "shop/db"]],
    ["the words as one", ["read shop/db"]],
    ["an option for the free argument", ["show", "--config=/tmp/x", "--plain"]],
    ["a short option for the free argument", ["show", "-o", "--plain"]],
    ["nothing for the free argument", ["show", "", "--plain"]],
    ["two for the free argument", ["show", "a", "b", "--plain"]],
    ["an option after it", ["show", "a", "--plain", "--output"]],
    ["another option after it", ["show", "a", "--output"]],
    ["what a star would stand for in a shell", ["anything"]],
    ["a star for a word", ["*", "shop/db"]],
  ])("does not run with %s", async (_what, words) => {
    expect(await saying(...words)).toEqual(["source-not-allowed /spec/value"]);
    expect(existsSync(join(outside, "ran"))).toBe(false);
  });

  it("is never a program of the manifests' choice", async () => {
    const value = { valueFrom: { command: [join(outside, "other"), "read", "shop/db"] } };
    const spec = { deployment: { external: "main" }, name: "DB_PASS", value };
    await fixture.stack.write([{ kind: "EnvironmentVariable", name: "v", spec }]);
    const grants = { ...noGrants, commands: ["*", ["*", "read", "shop/db"], [give, "*", "*"]] };
    expect(await diagnosticsOf({ grants })).toEqual(["source-not-allowed /spec/value"]);
    expect(existsSync(join(outside, "ran"))).toBe(false);
    const file = join(outside, "grants.yaml");
    for (const [text, at] of [
      ["commands: ['*']", "1:12"],
      ["commands: [['*', read]]", "1:13"],
    ] as const) {
      writeFileSync(file, text);
      expect(() => readGrants(file)).toThrow(`${at}: * in place of the program`);
    }
  });
});
