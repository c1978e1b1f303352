// Tests that no plan, inventory, report, log or database contains a secret, and that plans report secrets correctly.
import { spawnSync } from "node:child_process";
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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change, Plan } from "../../reconciler/model/index.ts";
import { planJson } from "../../reconciler/engine/plan-json.ts";
import { appliedJson, driftJson } from "../../reconciler/report/json.ts";
import { appliedText } from "../../reconciler/report/applied-text.ts";
import { diagnosticsText, planText } from "../../reconciler/report/plan-text.ts";
import { driftText } from "../../reconciler/report/drift-text.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { kinds } from "../../resources/index.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

const first = "hunter2-the-first-value";
const second = "hunter2-the-second-value";
const key = "a-key-for-fingerprints-of-forty-characters";
const renderOptions = { color: false, width: 100, kinds };
const address = "EnvironmentVariable/password";

let service: TestService;
let stack: TestStack;
let data: string;

const docs = (value: string, more: Readonly<Record<string, string>> = {}): Doc[] => {
  const variables = { DB_PASSWORD: value, DB_USER: value, ...more };
  return Object.entries(variables).map(([name, of]) => ({
    kind: "EnvironmentVariable",
    name: name === "DB_PASSWORD" ? "password" : name.toLowerCase().replaceAll("_", "-"),
    spec: { deployment: { external: "main" }, name, value: of },
  }));
};

/** Returns the plan after a round trip through a file. */
const roundTripped = (plan: Plan): Plan => JSON.parse(JSON.stringify(plan)) as Plan;
const withKey = (fingerprintKey: string) => ({
  env: { ...stack.options.env, SVC_FINGERPRINT_KEY: fingerprintKey },
});
const keyFile = () => join(stack.folder, ".config/svc/fingerprint.key");

/** Returns every byte below a folder, as text. */
function allTextIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "documents.yaml")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "svc-secrets-"));
  service = await startService({ data });
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
  rmSync(data, { recursive: true, force: true });
});

describe("a secret that is only there for an apply", () => {
  const from = { valueFrom: { file: "secrets/db" } } as const;
  const granted = () => ({ grants: { ...noGrants, files: [join(stack.folder, "secrets/")] } });
  const group = (description: string): Doc => ({
    kind: "UserGroup",
    name: "readers",
    spec: { name: "readers", description },
  });
  const variable = (name: string): Doc => ({
    kind: "EnvironmentVariable",
    name: name.toLowerCase(),
    spec: { deployment: { external: "main" }, name, value: from },
  });

  beforeEach(async () => {
    mkdirSync(join(stack.folder, "secrets"));
    writeFileSync(join(stack.folder, "secrets/db"), first);
    await stack.write([group("Read."), variable("PASSWORD")]);
    await stack.apply(granted());
  });

  it("is not compared by a plan without it, which says so, and all else is", async () => {
    await stack.write([group("Read all."), variable("PASSWORD"), variable("OTHER")]);
    const plan = await stack.plan({ purpose: "compare" });
    expect(changeSummaries(plan.changes)).toEqual([
      "update UserGroup/readers /description",
      "create EnvironmentVariable/other",
    ]);
    const notes = plan.diagnostics.filter(({ code }) => code === "not-compared");
    expect(notes.map(({ address: of, path, summary }) => [of, path, summary])).toEqual(
      ["password", "other"].map((name) => [
        `EnvironmentVariable/${name}`,
        "/spec/value",
        `/spec/value of EnvironmentVariable/${name} is not compared: reading the file "secrets/db" is not granted`,
      ]),
    );
    expect(notes[0]?.remedy).toContain(
      "An apply needs the value. If you trust its authors, pass --grant",
    );
    expect(await stack.diagnostics()).toMatchObject([
      { code: "source-not-allowed" },
      { code: "source-not-allowed" },
    ]);
  });

  it("is compared where it can be read", async () => {
    writeFileSync(join(stack.folder, "secrets/db"), second);
    const plan = await stack.plan({ ...granted(), purpose: "compare" });
    expect(changeSummaries(plan.changes)).toEqual(["update EnvironmentVariable/password /value"]);
  });
});

describe("a secret", () => {
  it("is not stored in any plan, report, inventory or database", async () => {
    const reported: string[] = [];
    for (const value of [first, second]) {
      await stack.write(docs(value));
      const plan = await stack.plan();
      const applied = await stack.apply();
      expect(changeSummaries(applied.residual)).toEqual([]);
      reported.push(
        JSON.stringify(plan),
        planText(plan, renderOptions),
        JSON.stringify(planJson(plan, renderOptions)),
      );
      reported.push(
        driftText({ plan, manifestDiagnostics: [] }, renderOptions),
        JSON.stringify(driftJson(plan)),
      );
      reported.push(JSON.stringify(applied), appliedText(applied, renderOptions));
      reported.push(
        JSON.stringify(appliedJson(applied)),
        diagnosticsText(plan.diagnostics, renderOptions),
      );
    }
    expect(reported.join("\n")).toContain("(secret #2)");
    expect(reported.join("\n")).not.toContain("hunter2");
    expect(allTextIn(stack.folder)).not.toContain("hunter2");
    expect(allTextIn(data)).not.toContain("hunter2");
  });

  it("reaches the server, also if only its fingerprint is known", async () => {
    await stack.write(docs(first));
    await stack.apply();
    await stack.write(docs(second));
    expect(changeSummaries((await stack.plan()).changes)).toEqual([
      `update ${address} /value`,
      "update EnvironmentVariable/db-user /value",
    ]);
    await stack.apply();
    const answer = await service.send("GET", "/api/v1/deployments/1/env-vars");
    expect(answer.body).toMatchObject({
      items: [
        { name: "DB_USER", value: second },
        { name: "DB_PASSWORD", value: "[ENCRYPTED]" },
      ],
    });
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  });

  it("is written in one call with others of its deployment", async () => {
    await stack.write(docs(first, { A: "1", B: "2", C: "3" }));
    expect((await stack.plan()).cost.writeCalls).toBe(1);
  });

  it("of a saved plan comes from the manifests, and must be the planned one", async () => {
    await stack.write(docs(first));
    const plan = roundTripped(await stack.plan(withKey(key)));
    await stack.write(docs(second));
    await expect(stack.apply({ ...withKey(key), savedPlan: plan })).rejects.toThrow(
      "differ from those of the plan",
    );
    await stack.write(docs(first));
    expect((await stack.apply({ ...withKey(key), savedPlan: plan })).outcomes).toHaveLength(2);
    expect(changeSummaries((await stack.plan(withKey(key))).changes)).toEqual([]);
  });

  it("of a plan made with another key, or with none, is not written", async () => {
    await stack.write(docs(first));
    for (const plan of [
      roundTripped(await stack.plan()),
      roundTripped(await stack.plan(withKey(`${key}2`))),
    ]) {
      await expect(stack.apply({ ...withKey(key), savedPlan: plan })).rejects.toThrow(
        "differ from those of the plan",
      );
    }
    expect(await service.db.selectFrom("deployment_variables").selectAll().execute()).toEqual([]);
  });

  it("has its fingerprint key in a private file, which the first apply creates", async () => {
    await stack.write(docs(first));
    await stack.plan();
    expect(() => statSync(keyFile())).toThrow("ENOENT");
    await stack.apply();
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    const storedKey = readFileSync(keyFile(), "utf8");
    expect(allTextIn(join(stack.folder, ".svc"))).not.toContain(storedKey.trim());
    await stack.write(docs(second));
    await stack.apply();
    expect(readFileSync(keyFile(), "utf8")).toBe(storedKey);
  });

  it("is written again if the fingerprint key is missing, which is reported once", async () => {
    await stack.write(docs(first));
    await stack.apply(withKey(key));
    const plan = await stack.plan();
    expect(
      plan.changes.filter(({ action }) => action === "update").map((one) => one.address),
    ).toEqual([address]);
    expect(plan.diagnostics.filter(({ code }) => code === "fingerprint-key")).toHaveLength(1);
    await stack.apply();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  });

  it("in a manifest is reported with a remedy; a value that only might be a secret is not", async () => {
    await stack.write(docs(first));
    const found = (await stack.manifestDiagnostics()).filter(
      ({ code }) => code === "literal-secret",
    );
    expect(found.map((one) => [one.address, one.severity, one.path])).toEqual([
      [address, "warning", "/spec/value"],
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  it("must not be the placeholder of the API", async () => {
    await stack.write(docs("[ENCRYPTED]"));
    expect((await stack.manifestDiagnostics()).map(({ code }) => code)).toContain("out-of-bounds");
  });

  it("that the API shows is known after an adoption; a hidden one is not", async () => {
    await stack.write(docs(first));
    await stack.apply();
    await stack.loseInventory();
    expect(await stack.adopt()).toEqual([address, "EnvironmentVariable/db-user"]);
    expect(allTextIn(stack.folder)).not.toContain("hunter2");
    const { changes } = await stack.plan();
    expect(changeSummaries(changes)).toEqual([`update ${address} /value`]);
    await stack.write(docs(second));
    const moved = (await stack.plan()).changes.find(({ address: at }) => at !== address);
    expect([changeSummaries([moved as Change]), moved?.direction]).toEqual([
      ["update EnvironmentVariable/db-user /value"],
      "pending",
    ]);
  });

  it("that the API shows appears in drift", async () => {
    await stack.write(docs(first));
    await stack.apply();
    const body = { env_variables: [{ name: "DB_USER", value: second }] };
    await service.send("PUT", "/api/v1/deployments/1/env-vars", { body });
    const { changes } = await stack.plan();
    expect(changeSummaries(changes)).toEqual(["update EnvironmentVariable/db-user /value"]);
    expect(changes[0]?.direction).toBe("drifted");
    expect(JSON.stringify(changes)).not.toContain("hunter2");
  });
});

it("a server logs no secret, whatever fails", () => {
  const script = `
    import { startServer } from "./service/server/server.ts";
    const server = await startServer({ data: ":memory:", log: "info" });
    const send = (body, path = "/api/v1/deployments/1/env-vars") => fetch(server.url + path, {
      method: "PUT", body,
      headers: { authorization: "Bearer " + server.adminKey.reveal(), "content-type": "application/json" },
    });
    const variables = (name) => JSON.stringify({ env_variables: [{ name, value: "${first}" }] });
    await send(variables("DB_PASSWORD"));
    await send(variables("not a name"));
    await send(variables("DB_PASSWORD").slice(0, -3));
    await send(variables("DB_PASSWORD"), "/api/v1/deployments/7/env-vars");
    await server.db.updateTable("deployment_variables").set({ name: "interrupted" }).execute();
    await fetch(server.url + "/api/v1/deployments/1/env-vars", {
      headers: { authorization: "Bearer " + server.adminKey.reveal() } });
    console.error("key " + server.adminKey);
    await server.close();`;
  const root = join(import.meta.dirname, "../..");
  const run = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  expect([run.status, run.stderr]).toEqual([0, expect.stringContaining('"status":')]);
  expect(run.stderr + run.stdout).not.toContain("hunter2");
});
