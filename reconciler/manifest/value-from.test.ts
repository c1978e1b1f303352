// Values from elsewhere: only for secret fields, only where they are granted, and never in a message.
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits.ts";
import { kinds } from "../../resources/index.ts";
import { type Grants, noGrants } from "../operator/grants.ts";
import { loadStack } from "./load.ts";

const secret = "hush-4711";

let folder = "";
let stackFolder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "values-"));
  stackFolder = path.join(folder, "stack");
  await mkdir(stackFolder);
  await mkdir(path.join(folder, "secrets"));
  await writeFile(path.join(folder, "secrets/db"), `${secret}\n`);
});
afterEach(() => rm(folder, { recursive: true }));

/** What the variable's value becomes, or why it does not. */
async function valueOf(source: string, granted: Partial<Grants> = {}, name = "DB_PASSWORD") {
  const text = [
    "apiVersion: svc/v1",
    "kind: Stack",
    "metadata: { name: demo, labels: { in: '${where}' } }",
    "spec: { environment: [DB_PASSWORD] }",
    "---",
    "apiVersion: svc/v1",
    "kind: EnvironmentVariable",
    "metadata: { name: v }",
    `spec: { deployment: { external: main }, name: ${name}, value: ${source} }`,
  ].join("\n");
  await writeFile(path.join(stackFolder, "stack.yaml"), text);
  const { desired, diagnostics } = await loadStack({
    paths: [stackFolder],
    cwd: stackFolder,
    kinds,
    variables: { where: "secrets" },
    grants: { ...noGrants, ...granted },
    env: { DB_PASSWORD: secret, PATH: process.env["PATH"], SVC_API_KEY: "sk-ours" },
  });
  const told = diagnostics.map(({ code, place, summary, remedy }) =>
    [`${place?.line}:${place?.column} ${code}`, summary, remedy].join(" | "),
  );
  expect(told.join("\n")).not.toContain(secret);
  if (desired === undefined) return told;
  // Least of all is it taken for a secret that stands in the file.
  expect(told).toEqual([]);
  return desired.objects[0]?.spec["value"];
}

describe("a value", () => {
  it("comes from the environment where the Stack and the operator name the variable", async () => {
    const source = "{ valueFrom: { env: DB_PASSWORD } }";
    expect(await valueOf(source, { environment: ["DB_PASSWORD"] })).toBe(secret);
    expect(await valueOf(source)).toEqual([expect.stringContaining("environment-not-allowed")]);
    expect(await valueOf("{ valueFrom: { env: PATH } }", { environment: ["PATH"] })).toEqual([
      expect.stringContaining("9:67 environment-not-allowed"),
    ]);
  });

  it("comes from a file that is granted, itself or with its folder, and from no other", async () => {
    const source = "{ valueFrom: { file: '../${where}/db' } }";
    const file = path.join(folder, "secrets/db");
    expect(await valueOf(source, { files: [file] })).toBe(secret);
    expect(await valueOf(source, { files: [`${path.dirname(file)}/`] })).toBe(secret);
    for (const files of [[], [path.dirname(file)], [`${file}/`], [path.join(folder, "sec/")]]) {
      expect(await valueOf(source, { files })).toEqual([
        expect.stringContaining(
          'source-not-allowed | reading the file "../secrets/db" was not granted',
        ),
      ]);
    }
  });

  it("follows no link out of what is granted", async () => {
    await mkdir(path.join(folder, "granted"));
    await symlink(path.join(folder, "secrets/db"), path.join(folder, "granted/link"));
    const source = "{ valueFrom: { file: ../granted/link } }";
    expect(await valueOf(source, { files: [`${folder}/granted/`] })).toEqual([
      expect.stringContaining("source-not-allowed"),
    ]);
  });

  it("is told to be missing, empty, too long or no text, without a word of it", async () => {
    const files = [`${folder}/secrets/`];
    const write = (name: string, held: Uint8Array | string) =>
      writeFile(path.join(folder, "secrets", name), held);
    await write("empty", "\n");
    await write("long", secret.repeat(limits.secretBytes));
    await write("bytes", new Uint8Array([0xff, 0xfe]));
    for (const [name, why] of [
      ["none", "cannot be read: ENOENT"],
      ["empty", "is empty"],
      ["long", "is longer than 65536 bytes"],
      ["bytes", "is not UTF-8 text"],
    ] as const) {
      expect(await valueOf(`{ valueFrom: { file: ../secrets/${name} } }`, { files })).toEqual([
        expect.stringContaining(`source-unreadable | the file "../secrets/${name}" ${why}`),
      ]);
    }
  });

  it("is what a granted program prints, run without our own key and without a shell", async () => {
    const program = path.join(folder, "give");
    await writeFile(program, '#!/bin/sh\necho "$1-${SVC_API_KEY:-none}-$(basename "$PWD")"\n');
    await chmod(program, 0o700);
    const source = `{ valueFrom: { command: [${program}, "a;b $(c)"] } }`;
    expect(await valueOf(source, { commands: [[program, "a;b $(c)"]] })).toBe(
      "a;b $(c)-none-stack",
    );
    expect(await valueOf(source, { commands: [[program, "*"]] })).toBe("a;b $(c)-none-stack");
    expect(await valueOf(`{ valueFrom: { command: [${program}] } }`, { commands: [program] })).toBe(
      "-none-stack",
    );
    // Arguments are the repository's choice, and many programs take some that run others.
    for (const commands of [[program], [[program, "a"]], [[program, "a;b $(c)", "more"]], [[]]]) {
      expect(await valueOf(source, { commands })).toEqual([
        expect.stringMatching(/source-not-allowed(?!.*as it stands)/u),
      ]);
    }
    // As lists once were: how a command begins.
    expect(await valueOf(source, { commands: [[program]] })).toEqual([
      expect.stringContaining(
        `grant it: commands: [["${program}","a;b $(c)"]] in the grants. ["${program}"] is granted as it stands, with no word after it`,
      ),
    ]);
    expect(await valueOf(source, { commands: ["give"] })).toEqual([
      expect.stringContaining("source-not-allowed"),
    ]);
    expect(await valueOf("{ valueFrom: { command: [false] } }", { commands: ["false"] })).toEqual([
      expect.stringContaining("variable-syntax"),
    ]);
    expect(await valueOf('{ valueFrom: { command: ["false"] } }', { commands: ["false"] })).toEqual(
      [expect.stringContaining('source-unreadable | "false" gave no value: it ended with 1')],
    );
  });

  it("is what sops or age decrypts, of files that the operator grants", async () => {
    // Programs of these names that tell how they were called: what they do is theirs.
    for (const name of ["sops", "age"]) {
      await writeFile(path.join(folder, name), '#!/bin/sh\necho "$*"\n');
      await chmod(path.join(folder, name), 0o700);
    }
    const PATH = process.env["PATH"];
    process.env["PATH"] = `${folder}:${PATH}`;
    try {
      const sops = "{ valueFrom: { sops: { file: -x.yaml, key: [db, 'a\"b'] } } }";
      const granted = { sops: [`${stackFolder}/`] };
      expect(await valueOf(sops, granted)).toBe(
        `--decrypt --extract ["db"]["a"b"] ${stackFolder}/-x.yaml`,
      );
      const whole = "{ valueFrom: { sops: { file: x } } }";
      expect(await valueOf(whole, granted)).toBe(`--decrypt ${stackFolder}/x`);
      expect(await valueOf(whole, { sops: [`${stackFolder}/x`] })).toBe(
        `--decrypt ${stackFolder}/x`,
      );
      const age = "{ valueFrom: { age: { file: x.age, identity: /keys/ci } } }";
      const byKey = { age: [{ identity: "/keys/ci", files: [`${stackFolder}/x.age`] }] };
      expect(await valueOf(age, byKey)).toBe(`--decrypt --identity /keys/ci ${stackFolder}/x.age`);
      const proposal = `age: [{"identity":"/keys/other","files":["${stackFolder}/x.age"]}]`;
      expect(await valueOf(age.replace("ci", "other"), byKey)).toEqual([
        expect.stringContaining(`grant it: ${proposal} in the grants`),
      ]);
      expect(await valueOf(whole)).toEqual([
        expect.stringContaining(`grant it: sops: ["${stackFolder}/x"] in the grants`),
      ]);
    } finally {
      process.env["PATH"] = PATH;
    }
  });

  it("comes from nowhere else, and for nothing that is no secret", async () => {
    for (const source of [
      "{ sops: x }",
      "{ age: { file: x } }",
      "{ vault: x }",
      "{ env: A, file: b }",
      "{}",
      "x",
      "{ env: 5 }",
    ]) {
      expect(await valueOf(`{ valueFrom: ${source} }`)).toEqual([
        expect.stringContaining("variable-syntax | valueFrom names no source of a value"),
      ]);
    }
    expect(await valueOf("x", {}, "{ valueFrom: { env: DB_PASSWORD } }")).toEqual([
      expect.stringContaining('"valueFrom" under "spec.name" is for secret fields only'),
    ]);
  });
});
