// Tests `valueFrom: { sops }` and `{ age }` with the real programs, from an encrypted file to the service, and that no
// output contains the secret.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import type { VerbOptions } from "../../reconciler/verbs/session.ts";
import { plan } from "../../reconciler/plan.ts";
import { savePlan } from "../../reconciler/engine/plan-file.ts";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { renderReport, reportJson, reportText } from "../../reconciler/report/render.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { kinds } from "../../resources/index.ts";
import { runSvc } from "../golden/run-cli.ts";
import {
  makeKey,
  programsPath,
  describeWithPrograms,
  writeAge,
  writeSops,
} from "../support/age-and-sops.ts";
import { liveState } from "../support/live-state.ts";
import { type Doc, changeSummaries } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const secret = "hush-4711 of the test";
const fixture = setUpFixture();
let outside: string;
let identityFile: string;
let recipient: string;

/**
 * Returns a variable with this source of its value. Its name makes the service show the value, so that a test can check
 * it.
 */
const variable = (name: string, valueFrom: JsonObject): Doc => ({
  kind: "EnvironmentVariable",
  name: name.toLowerCase().replaceAll("_", "-"),
  spec: { deployment: "site", name, value: { valueFrom } },
});
const site: Doc = {
  kind: "Deployment",
  name: "site",
  spec: { name: "site", region: "aws-us-east-1" },
};

/** Returns the path of a file in the stack's folder of secrets. */
const file = (name: string): string => `${fixture.stack.folder}/secrets/${name}`;

/** Returns the options of every run: the grants, and the key that sops looks for. */
function runOptions(key = identityFile): Pick<VerbOptions, "grants" | "env"> {
  const granted = file("");
  const grants = {
    ...noGrants,
    maxDeletes: 1000,
    sops: [granted],
    age: [{ identity: identityFile, files: [granted] }],
  };
  const env = { ...fixture.stack.options.env, PATH: programsPath(), HOME: outside };
  return { grants, env: { ...env, SOPS_AGE_KEY_FILE: key } };
}

/**
 * Returns the error of a variable's value, or undefined. Expects that it contains no word of a secret or its
 * ciphertext.
 */
async function valueError(valueFrom: JsonObject, key?: string): Promise<string | undefined> {
  await fixture.stack.write([site, variable("STAGE", valueFrom)]);
  const verdict = await plan({ ...fixture.stack.options, ...runOptions(key) });
  expect(JSON.stringify(verdict)).not.toMatch(/hush|AES256|age1/u);
  const [found, ...more] = verdict.ok ? [] : verdict.diagnostics;
  expect(more).toEqual([]);
  return found && `${found.code}: ${found.summary}`;
}

/** Returns every file below the stack's folder that svc wrote, as text. */
function writtenFiles(): string {
  const folder = join(fixture.stack.folder, ".svc");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

function setKeys(): void {
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), "svc-keys-"));
    ({ file: identityFile, recipient } = makeKey(outside, "ours.key"));
  });
  afterEach(() => rmSync(outside, { recursive: true, force: true }));
}

describeWithPrograms("age", ["age", "age-keygen"], () => {
  setKeys();

  it("opens a file for its key, and says what is wrong with one that it does not open", async () => {
    writeAge(file("db.age"), recipient, `${secret}\n`);
    const whole = readFileSync(file("db.age"));
    const from = { file: "secrets/db.age", identity: identityFile };
    await fixture.stack.write([site, variable("STAGE", { age: from })]);
    await fixture.stack.apply(runOptions());
    expect(await liveState(fixture.service)).toMatchObject({
      "EnvironmentVariable/site/STAGE": { value: secret },
    });

    const failed = 'source-unreadable: "age" failed: exit code 1';
    writeFileSync(file("db.age"), whole.fill(0x41, whole.length - 8));
    expect(await valueError({ age: from })).toBe(failed);
    writeAge(file("db.age"), makeKey(outside, "others.key").recipient, secret);
    expect(await valueError({ age: from })).toBe(failed);
    rmSync(file("db.age"));
    expect(await valueError({ age: from })).toContain("does not exist");
  });

  it("returns no part of a file that is truncated or too long", async () => {
    writeAge(file("long.age"), recipient, secret.repeat(20_000));
    const whole = readFileSync(file("long.age"));
    const from = { file: "secrets/long.age", identity: identityFile };
    const tooMuch = `it printed more than ${limits.secretBytes} bytes`;
    expect(await valueError({ age: from })).toContain(tooMuch);
    writeFileSync(file("long.age"), whole.subarray(0, 100_000));
    expect(await valueError({ age: from })).toContain("failed:");
  });

  it("opens nothing that is not granted, with its key or without", async () => {
    const inside = join(fixture.stack.folder, "beside.age");
    writeAge(inside, recipient, secret);
    const beside = { file: "beside.age", identity: identityFile };
    expect(await valueError({ age: beside })).toContain("source-not-allowed");
    writeAge(file("db.age"), recipient, secret);
    const { file: identity } = makeKey(outside, "others.key");
    const byAnother = { file: "secrets/db.age", identity };
    expect(await valueError({ age: byAnother })).toContain("source-not-allowed");
  });
});

describeWithPrograms("sops", ["sops", "age-keygen"], () => {
  setKeys();

  it("returns the values of a structured file by names and positions, whatever characters the names have", async () => {
    const values = {
      db: {
        password: secret,
        hosts: ["one", "two"],
        'a "b" \\c': "odd",
        "é]": "odder",
        port: 5432,
      },
    };
    writeSops(file("all.json"), recipient, JSON.stringify(values));
    writeSops(file("all.yaml"), recipient, "db:\n  password: from yaml\n");
    writeSops(file("all.env"), recipient, "PASSWORD=from env\n");
    writeSops(file("whole.bin"), recipient, secret);
    const from = (name: string, ...key: (string | number)[]) => ({
      sops: { file: `secrets/${name}`, key },
    });
    await fixture.stack.write([
      site,
      variable("A", from("all.json", "db", "password")),
      variable("B", from("all.json", "db", "hosts", 1)),
      variable("C", from("all.json", "db", 'a "b" \\c')),
      variable("D", from("all.json", "db", "é]")),
      variable("E", from("all.json", "db", "port")),
      variable("F", from("all.yaml", "db", "password")),
      variable("G", from("all.env", "PASSWORD")),
      variable("H", { sops: { file: "secrets/whole.bin" } }),
    ]);
    await fixture.stack.apply(runOptions());
    const live = await liveState(fixture.service);
    const valueOf = (name: string) =>
      (live[`EnvironmentVariable/site/${name}`] as JsonObject)["value"];
    expect("ABCDEFGH".split("").map(valueOf)).toEqual([
      secret,
      "two",
      "odd",
      "odder",
      "5432",
      "from yaml",
      "from env",
      secret,
    ]);
    expect(
      (await fixture.stack.plan(runOptions())).changes.every(({ action }) => action === "none"),
    ).toBe(true);
  });

  it("says why a file gives no value", async () => {
    const from = { sops: { file: "secrets/db.yaml", key: ["db", "password"] } };
    const prefix = 'source-unreadable: "sops" failed:';
    writeSops(file("db.yaml"), recipient, `db: { password: "${secret}", other: x }\n`);
    const whole = readFileSync(file("db.yaml"), "utf8");
    const { file: others } = makeKey(outside, "others.key");
    expect(await valueError(from)).toBeUndefined();
    expect(await valueError(from, others)).toBe(`${prefix} no available key decrypts the file`);
    expect(await valueError(from, join(outside, "none"))).toBe(
      `${prefix} no available key decrypts the file`,
    );
    for (const [name, text] of [
      ["a value", whole.replace(/(password: ENC\[AES256_GCM,data:)..../u, "$1AAAA")],
      ["a value that is not taken", whole.replace(/(other: ENC\[AES256_GCM,data:)../u, "$1zz")],
      ["what is said of it", whole.replace(/lastmodified: "\d+/u, 'lastmodified: "1999')],
    ] as const) {
      writeFileSync(file("db.yaml"), text);
      expect([name, await valueError(from)]).toEqual([
        name,
        `${prefix} the file was changed since it was encrypted`,
      ]);
    }
    writeFileSync(file("db.txt"), whole.slice(0, whole.indexOf("sops:")));
    const damaged = { sops: { file: "secrets/db.txt" } };
    writeFileSync(file("db.yaml"), whole);
    expect(await valueError(damaged)).toBe(`${prefix} exit code 1`);
  });

  it("finds no name with a bracket, and says so", async () => {
    writeSops(file("db.yaml"), recipient, `"a[0]": "${secret}"\n`);
    const from = { sops: { file: "secrets/db.yaml", key: ["a[0]"] } };
    expect(await valueError(from)).toBe(
      'source-unreadable: sops cannot extract a key with "[" in its name',
    );
  });

  it("returns no more than the limit of a secret, and no file that is not granted", async () => {
    writeSops(file("long.bin"), recipient, secret.repeat(20_000));
    const tooMuch = `it printed more than ${limits.secretBytes} bytes`;
    expect(await valueError({ sops: { file: "secrets/long.bin" } })).toContain(tooMuch);
    writeSops(join(fixture.stack.folder, "beside.yaml"), recipient, `a: "${secret}"\n`);
    const beside = { sops: { file: "beside.yaml", key: ["a"] } };
    expect(await valueError(beside)).toContain("source-not-allowed");
    const up = { sops: { file: "secrets/../beside.yaml", key: ["a"] } };
    expect(await valueError(up)).toContain("source-not-allowed");
  });

  it("writes no part of a secret into a report, a saved plan, the history or the inventory", async () => {
    writeSops(file("db.yaml"), recipient, `a: "${secret}"\nb: "${secret} 2"\n`);
    const both = (key: string) => {
      const from = { sops: { file: "secrets/db.yaml", key: [key] } };
      return [site, variable("DB_PASS", from), variable("STAGE", from)];
    };
    const options = { ...fixture.stack.options, ...runOptions() };
    await fixture.stack.write(both("a"));
    await fixture.stack.apply(runOptions());
    await fixture.stack.write(both("b"));
    const planned = await fixture.stack.plan(runOptions());
    expect(changeSummaries(planned.changes)).toEqual([
      "update EnvironmentVariable/db-pass /value",
      "update EnvironmentVariable/stage /value",
    ]);
    const saved = join(outside, "plan.json");
    savePlan(saved, planned);
    const applied = await fixture.stack.apply({ ...runOptions(), savedPlan: planned });
    const about = { kinds, manifestDiagnostics: [], places: new Map() };
    const reported = [
      { type: "plan", plan: planned, ...about },
      { type: "drift", plan: planned, ...about },
      { type: "apply", applied, ...about },
    ] as const;
    const forms = reported.flatMap((report) => [
      reportText(report, { color: false, width: 100 }),
      JSON.stringify(reportJson(report)),
      ...formatNames.map((form) => renderReport(form, report)),
    ]);
    const past = JSON.stringify(await history(options));
    const all = [...forms, readFileSync(saved, "utf8"), past, writtenFiles()].join("\n");
    expect(all).toContain("DB_PASS");
    expect(all).not.toContain("hush");
    expect(await liveState(fixture.service)).toMatchObject({
      "EnvironmentVariable/site/STAGE": { value: `${secret} 2` },
    });
  });

  it("is found by the command line on PATH", async () => {
    writeSops(file("db.yaml"), recipient, `a: "${secret}"\n`);
    const from = { sops: { file: "secrets/db.yaml", key: ["a"] } };
    await fixture.stack.write([site, variable("DB_PASS", from), variable("STAGE", from)]);
    const grants = join(outside, "grants.yaml");
    writeFileSync(grants, JSON.stringify({ maxDeletes: 1000, sops: [file("")] }));
    const env = {
      ...(runOptions().env as Record<string, string>),
      SVC_API_URL: fixture.proxy.url,
      SVC_API_KEY: fixture.service.adminKey,
      SVC_GRANTS: grants,
    };
    const { code, out, err } = await runSvc(["apply", "--yes"], { cwd: fixture.stack.folder, env });
    expect([code, out, err]).toEqual([
      0,
      expect.not.stringContaining("hush"),
      expect.not.stringContaining("hush"),
    ]);
    expect(await liveState(fixture.service)).toMatchObject({
      "EnvironmentVariable/site/STAGE": { value: secret },
    });
  });
});
