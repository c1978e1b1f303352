// Values from elsewhere: only for secret fields, only where they are granted, and never in a message.
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
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

/** Returns the value of the variable, or the reason that it has no value. */
async function valueOf(
  source: string,
  granted: Partial<Grants> = {},
  {
    name = "DB_PASSWORD",
    password = secret,
    purpose,
    isPiped = false,
  }: {
    name?: string;
    password?: string;
    purpose?: "check" | "compare" | "run";
    isPiped?: boolean;
  } = {},
) {
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
  if (!isPiped) await writeFile(path.join(stackFolder, "stack.yaml"), text);
  const { desired, diagnostics } = await loadStack({
    paths: [isPiped ? "-" : stackFolder],
    cwd: stackFolder,
    stdin: async () => text,
    kinds,
    variables: { where: "secrets" },
    grants: { ...noGrants, ...granted },
    ...(purpose && { purpose }),
    env: { DB_PASSWORD: password, PATH: process.env["PATH"], SVC_API_KEY: "sk-ours" },
  });
  const messages = diagnostics.map(({ code, place, summary, remedy }) =>
    [`${place?.line}:${place?.column} ${code}`, summary, remedy].join(" | "),
  );
  expect(messages.join("\n")).not.toContain(secret);
  if (desired === undefined) return messages;
  const { file } =
    /file: '?(?<file>[^'" ,}]+)/u.exec(source.replace("${where}", "secrets"))?.groups ?? {};
  const read = file === undefined ? [] : [path.resolve(stackFolder, file)];
  expect(desired.stack.valueFiles).toEqual(read);
  // It is not reported as a secret in plain text.
  expect(messages).toEqual([]);
  return desired.objects[0]?.spec["value"];
}

describe("a value that is not read", () => {
  const unread = { purpose: "check" as const };

  it.each([
    "{ valueFrom: { env: DB_PASSWORD } }",
    "{ valueFrom: { file: ../secrets/none } }",
    "{ valueFrom: { command: [no-such-program] } }",
    "{ valueFrom: { sops: { file: none.yaml, key: [password] } } }",
    "{ valueFrom: { age: { file: none.age, identity: none.key } } }",
  ])("needs neither a grant nor a value: %s", async (source) => {
    expect(await valueOf(source)).toEqual([expect.any(String)]);
    expect(await valueOf(source, {}, { ...unread, password: "" })).toBe("(not read)");
  });

  it.each([
    ["{ valueFrom: { evn: DB_PASSWORD } }", "variable-syntax"],
    ["{ valueFrom: { command: [] } }", "variable-syntax"],
    ["{ valueFrom: { env: OTHER_PASSWORD } }", "environment-not-allowed"],
  ])("has a valid source that the Stack lists: %s", async (source, code) => {
    expect(await valueOf(source, {}, unread)).toEqual([expect.stringContaining(code)]);
  });
});

describe("a value that a comparison cannot read", () => {
  const compared = { purpose: "compare" as const };

  it.each([
    "{ valueFrom: { env: DB_PASSWORD } }",
    "{ valueFrom: { file: ../secrets/none } }",
    "{ valueFrom: { command: [no-such-program] } }",
    "{ valueFrom: { sops: { file: none.yaml, key: [password] } } }",
  ])("is left out: %s", async (source) => {
    expect(await valueOf(source, {}, compared)).toBe("(not read)");
  });

  it("is read where it can be", async () => {
    const granted = { environment: ["DB_PASSWORD"] };
    expect(await valueOf("{ valueFrom: { env: DB_PASSWORD } }", granted, compared)).toBe(secret);
  });

  it.each([
    ["{ valueFrom: { env: OTHER_PASSWORD } }", "environment-not-allowed"],
    ["{ valueFrom: { vault: x } }", "variable-syntax"],
  ])("has a valid source that the Stack lists: %s", async (source, code) => {
    expect(await valueOf(source, {}, compared)).toEqual([expect.stringContaining(code)]);
  });
});

describe("a value", () => {
  it("is read from the environment if the Stack and the operator allow the variable", async () => {
    const source = "{ valueFrom: { env: DB_PASSWORD } }";
    expect(await valueOf(source, { environment: ["DB_PASSWORD"] })).toBe(secret);
    expect(await valueOf(source)).toEqual([expect.stringContaining("environment-not-allowed")]);
    expect(await valueOf("{ valueFrom: { env: PATH } }", { environment: ["PATH"] })).toEqual([
      expect.stringContaining("9:67 environment-not-allowed"),
    ]);
  });

  it("is never the empty value of an environment variable", async () => {
    const granted = { environment: ["DB_PASSWORD"] };
    for (const source of ["{ valueFrom: { env: DB_PASSWORD } }", "'${env:DB_PASSWORD}'"]) {
      expect(await valueOf(source, granted, { password: "" })).toEqual([
        expect.stringContaining(
          'variable-unset | the environment variable "DB_PASSWORD" is empty | Set it',
        ),
      ]);
    }
  });

  it("is read from a granted file, or a file in a granted folder, only", async () => {
    const source = "{ valueFrom: { file: '../${where}/db' } }";
    const file = path.join(folder, "secrets/db");
    expect(await valueOf(source, { files: [file] })).toBe(secret);
    expect(await valueOf(source, { files: [`${path.dirname(file)}/`] })).toBe(secret);
    for (const files of [[], [path.dirname(file)], [`${file}/`], [path.join(folder, "sec/")]]) {
      expect(await valueOf(source, { files })).toEqual([
        expect.stringContaining(
          'source-not-allowed | reading the file "../secrets/db" is not granted',
        ),
      ]);
    }
  });

  it("is read from the current folder if the document comes from standard input", async () => {
    const source = "{ valueFrom: { file: ../secrets/db } }";
    const granted = { files: [path.join(folder, "secrets/db")] };
    expect(await valueOf(source, granted, { isPiped: true })).toBe(secret);
  });

  it("is not read through links out of a grant", async () => {
    await mkdir(path.join(folder, "granted"));
    await symlink(path.join(folder, "secrets/db"), path.join(folder, "granted/link"));
    const source = "{ valueFrom: { file: ../granted/link } }";
    expect(await valueOf(source, { files: [`${folder}/granted/`] })).toEqual([
      expect.stringContaining("source-not-allowed"),
    ]);
  });

  it("is never shown if it is missing, empty, too long or not text", async () => {
    const files = [`${folder}/secrets/`];
    const write = (name: string, held: Uint8Array | string) =>
      writeFile(path.join(folder, "secrets", name), held);
    await write("empty", "\n");
    await write("long", secret.repeat(limits.secretBytes));
    await write("bytes", new Uint8Array([0xff, 0xfe]));
    await write("null", `${secret}\u0000`);
    for (const [name, why] of [
      ["none", "cannot be read: no such file or folder"],
      ["empty", "is empty"],
      ["long", "is longer than 65536 bytes"],
      ["bytes", "is not UTF-8 text"],
      ["null", "has a null character in a text; remove it"],
    ] as const) {
      expect(await valueOf(`{ valueFrom: { file: ../secrets/${name} } }`, { files })).toEqual([
        expect.stringContaining(`source-unreadable | the file "../secrets/${name}" ${why}`),
      ]);
    }
  });

  it("is the output of a granted program, run without svc's variables and without a shell", async () => {
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
        expect.stringMatching(/source-not-allowed(?!.*only this exact command)/u),
      ]);
    }
    // A granted list is not a prefix.
    expect(await valueOf(source, { commands: [[program]] })).toEqual([
      expect.stringContaining(
        `grant it: commands: [["${program}","a;b $(c)"]] in the grants file. ["${program}"] grants only this exact command`,
      ),
    ]);
    expect(await valueOf(source, { commands: ["give"] })).toEqual([
      expect.stringContaining("source-not-allowed"),
    ]);
    expect(await valueOf("{ valueFrom: { command: [false] } }", { commands: ["false"] })).toEqual([
      expect.stringContaining("variable-syntax"),
    ]);
    expect(await valueOf('{ valueFrom: { command: ["false"] } }', { commands: ["false"] })).toEqual(
      [expect.stringContaining('source-unreadable | "false" failed: exit code 1')],
    );
  });

  it("is decrypted by sops or age, from granted files", async () => {
    // Programs of these names that print how they were called.
    for (const name of ["sops", "age"]) {
      await writeFile(path.join(folder, name), '#!/bin/sh\necho "$*"\n');
      await chmod(path.join(folder, name), 0o700);
    }
    for (const name of ["-x.yaml", "x", "x.age"])
      await writeFile(path.join(stackFolder, name), "# encrypted\n");
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
        expect.stringContaining(`--grant sops=${stackFolder}/x`),
      ]);
    } finally {
      process.env["PATH"] = PATH;
    }
  });

  it("has no other source, and only secret fields have one", async () => {
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
        expect.stringContaining("variable-syntax | valueFrom has no valid source"),
      ]);
    }
    expect(await valueOf("{ valueFrom: { evn: DB_PASSWORD } }")).toEqual([
      expect.stringContaining('| Did you mean "env"? Write valueFrom: { env: NAME }, '),
    ]);
    expect(await valueOf("x", {}, { name: "{ valueFrom: { env: DB_PASSWORD } }" })).toEqual([
      expect.stringContaining("Only secret fields have valueFrom."),
    ]);
  });
});
