// Tests the program `svc controller`: its output, its exit codes, how it stops, and the example of the documentation.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSvc, runSvc } from "../golden/run-cli.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = "stacks/northwind";

/** Processes on machines that are busy. */
const slowTest = { timeout: 60_000 };

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

function schemaValidator(name: string): (value: unknown) => boolean {
  const text = readFileSync(join(root, "schemas", name), "utf8");
  return new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text) as object);
}

function eventsIn(out: string): Readonly<Record<string, unknown>>[] {
  const events = out.trim().split("\n");
  return events.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("svc controller", slowTest, () => {
  it("exits like plan and apply, approves held plans, and prints events by their schema", async () => {
    const run = async (more: object = {}) => {
      const args = ["controller", "--config", fixture.config([{ folder, ...more }]), "--once"];
      return runSvc(args, { env: fixture.env });
    };
    fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
    const planned = await run({ mode: "plan" });
    expect([planned.code, planned.err]).toEqual([2, ""]);
    expect((await run()).code).toBe(0);
    fixture.stack(folder, [groupDocument("north")]);
    const held = await run();
    expect(held.code).toBe(5);
    const { failure } = eventsIn(held.out)[1] as { failure: { remedy: string } };
    const command = /`svc (controller approve [^`]*)`/u.exec(failure.remedy)?.[1]?.split(" ") ?? [];
    expect(failure).toMatchObject({
      message: "the plan deletes or replaces 1 object; grants.maxDeletes allows 0",
      remedy: expect.stringContaining("raise grants.maxDeletes of the source"),
    });
    const plan = ["controller", "plan", "northwind", "--config", fixture.config([{ folder }])];
    const shown = await runSvc(plan, { env: fixture.env });
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(shown.out).toContain(`its id is ${command[3]} [held-plan]`);
    expect(shown.out).toContain("UserGroup/south");
    const json = await runSvc([...plan, "--json"], { env: fixture.env });
    const report = JSON.parse(json.out) as object;
    expect(report).toMatchObject({ report: "plan", held: { plan: command[3], deletes: 1 } });
    expect(schemaValidator("report.json")(report)).toBe(true);
    const approved = await runSvc([...command, "--reason", "they left"], { env: fixture.env });
    expect([approved.code, approved.out]).toEqual([
      0,
      "Approved for northwind: delete UserGroup/south.\n",
    ]);
    const applied = await run();
    expect(applied.code).toBe(0);
    expect(await fixture.groupNames()).toEqual(["north"]);
    fixture.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    const wrong = await run();
    expect(wrong.code).toBe(1);
    const valid = schemaValidator("controller-event.json");
    const emitted = [planned, held, applied, wrong].flatMap(({ out }) => eventsIn(out));
    expect(emitted.filter((event) => !valid(event))).toEqual([]);
    expect(emitted.filter(({ event }) => event === "reconciliation")).toHaveLength(4);
  });

  it("lists why a source fails, and the commit of a suspended source", async () => {
    const config = ["--config", fixture.config([{ folder }])];
    const run = async (...args: readonly string[]) =>
      (await runSvc(["controller", ...args, ...config], { env: fixture.env })).out;
    fixture.stack(folder, [{ ...groupDocument("north"), spec: { nam: 1 } }]);
    fixture.git(fixture.home, "init", "--quiet");
    fixture.git(fixture.home, "add", "stacks");
    fixture.git(fixture.home, "commit", "--quiet", "-m", "typo");
    const commit = fixture.git(fixture.home, "rev-parse", "HEAD").slice(0, 12);
    await run("--once");
    const failing = new RegExp(`northwind +failing +invalid +${commit} .*"spec.nam" is not`, "u");
    expect(await run("list")).toMatch(failing);
    await run("suspend", "northwind", "--reason", "migration", "--expires", "4h");
    await run("--once");
    expect(await run("list")).toMatch(
      new RegExp(`suspended +suspended +${commit} .*migration`, "u"),
    );
  });

  it("runs until a signal stops it, and exits with 0", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const args = ["controller", "--config", fixture.config([{ folder }])];
    const { child, ended } = await startSvc(args, { env: fixture.env });
    const applied = new Promise<void>((resolve) => {
      child.stdout?.on("data", (text: Buffer) => {
        if (text.toString().includes('"applied"')) resolve();
      });
    });
    await Promise.race([applied, ended]);
    child.kill("SIGTERM");
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(eventsIn(out).map(({ event }) => event)).toEqual([
      "started",
      "reconciliation",
      "stopped",
    ]);
  });

  it("lists, suspends, resumes, rejects and reconciles: on the state folder, and at the API", async () => {
    const token = "approver-token-of-this-test";
    fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
    fixture.env["TOKEN"] = token;
    const tokens = [{ name: "anna", role: "approver", secret: { env: "TOKEN" } }];
    const sources = [{ folder, interval: "1h" }];
    const running = await fixture.start(sources, { listen: { port: 0, tokens } });
    fixture.stack(folder, [groupDocument("north")]);
    const event = await running.advanceAndWait(3_600_000);
    const plan = event.held?.plan ?? "";
    const env = { ...fixture.env, SVC_CONTROLLER_TOKEN: token, SVC_ACTOR: "ada" };
    const valid = schemaValidator("command-output.json");
    const run = async (...args: readonly string[]) => {
      const { code, out, err } = await runSvc(["controller", ...args, "--json"], { env });
      expect([code, err]).toEqual([0, ""]);
      const result = JSON.parse(out) as object;
      expect(valid(result)).toBe(true);
      return result;
    };
    const config = ["--config", join(fixture.home, "controller.yaml")];
    const places = [
      { at: config, by: "ada" },
      { at: ["--url", running.url()], by: "anna" },
    ];
    for (const { at, by } of places) {
      const shown = await runSvc(["controller", "plan", "northwind", ...at], { env });
      expect(shown.out).toContain("- UserGroup/south");
      expect(shown.out).toContain("1 to delete, 1 unchanged");
      expect(shown.out).toContain(`svc controller approve northwind ${plan} ${at[0]}`);
      const planned = await runSvc(["controller", "plan", "northwind", "--json", ...at], { env });
      expect(schemaValidator("report.json")(JSON.parse(planned.out))).toBe(true);
      expect(JSON.parse(planned.out)).toMatchObject({ held: { plan, deletes: 1 } });
      const rejected = await run("reject", "northwind", plan, "--reason", "in use", ...at);
      expect(rejected).toMatchObject({ plan, deletes: 1, by });
      const decision = { verdict: "rejected", by, reason: "in use" };
      const listed = { sources: [{ name: "northwind", health: "waiting", held: { decision } }] };
      expect(await run("list", ...at)).toMatchObject(listed);
      expect(await run("approve", "northwind", plan, ...at)).toMatchObject({ plan, by });
    }
    const end = ["--reason", "migration", "--expires", "2026-03-04"];
    const [, { at }] = places as [object, { at: readonly string[] }];
    const expires = "2026-03-05T00:00:00.000Z";
    expect(await run("suspend", "northwind", ...end, ...at)).toMatchObject({ by: "anna", expires });
    const text = await runSvc(["controller", "list", ...at], { env });
    expect(text.out).toMatch(/northwind +suspended .*until 2026-03-05T00:00:00.000Z: migration/u);
    await run("resume", "northwind", ...at);
    await run("suspend", "northwind", "--reason", "migration", "--expires", "4h", ...config);
    await run("resume", "northwind", ...config);
    await run("reconcile", "northwind", ...at);
    const neither = await runSvc(["controller", "list"], { env });
    expect([neither.code, neither.err]).toEqual([
      64,
      expect.stringContaining("either --config or --url"),
    ]);
    const wrong = { ...env, SVC_CONTROLLER_TOKEN: "wrong" };
    const refused = await runSvc(["controller", "list", ...at], { env: wrong });
    expect([refused.code, refused.err]).toEqual([
      77,
      expect.stringContaining("missing or unknown"),
    ]);
  });

  it("says of the plan of a running controller that it was applied, or that manifests have errors since", async () => {
    const token = "viewer-token-of-this-test";
    fixture.env["TOKEN"] = token;
    fixture.stack(folder, [groupDocument("north")]);
    const tokens = [{ name: "vera", role: "viewer", secret: { env: "TOKEN" } }];
    const running = await fixture.start([{ folder, interval: "1h" }], {
      listen: { port: 0, tokens },
    });
    const plan = () =>
      runSvc(["controller", "plan", "northwind", "--detailed-exitcode", "--url", running.url()], {
        env: { ...fixture.env, SVC_CONTROLLER_TOKEN: token },
      });
    expect((await running.advanceAndWait(3_600_000)).result).toBe("unchanged");
    fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
    expect((await running.advanceAndWait(3_600_000)).result).toBe("applied");
    const applied = await plan();
    expect([applied.code, applied.err]).toEqual([0, ""]);
    expect(applied.out).toMatch(/^Planned \S+ from its folder, and applied\.$/mu);
    fixture.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    expect((await running.advanceAndWait(3_600_000)).result).toBe("invalid");
    expect((await plan()).err).toContain("The last reconciliation failed: ");
  });

  it("reads its configuration again after SIGHUP, and keeps the old one if the new one is invalid", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const file = fixture.config([{ folder, mode: "plan" }]);
    const { child, ended } = await startSvc(["controller", "--config", file], { env: fixture.env });
    let printed = "";
    let check = (): void => undefined;
    child.stdout?.on("data", (text: Buffer) => {
      printed += text.toString();
      check();
    });
    const print = (text: string) =>
      new Promise<void>((resolve, reject) => {
        check = () => printed.includes(text) && resolve();
        check();
        ended.then(({ err }) => reject(new Error(err)), reject);
      });
    await print('"result":"changes"');
    fixture.write("controller.yaml", "state: state\nsources: 7\n");
    child.kill("SIGHUP");
    await print('"reload-failed"');
    fixture.config([{ folder, mode: "apply" }]);
    child.kill("SIGHUP");
    await print('"result":"applied"');
    child.kill("SIGTERM");
    const { code, out } = await ended;
    expect([code, await fixture.groupNames()]).toEqual([0, ["north"]]);
    expect(eventsIn(out)).toMatchObject([
      { event: "started" },
      { event: "reconciliation", result: "changes" },
      { event: "reload-failed", failure: { code: "usage" } },
      { event: "reloaded" },
      { event: "reconciliation", result: "applied" },
      { event: "stopped" },
    ]);
  });

  it("survives every SIGHUP, also while it replaces its loops", slowTest, async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const file = fixture.config([{ folder, mode: "plan" }], { listen: { port: 0 } });
    const { child, ended } = await startSvc(["controller", "--config", file], { env: fixture.env });
    let printed = "";
    child.stdout?.on("data", (text: Buffer) => {
      printed += text.toString();
    });
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    while (!printed.includes('"started"') && isRunning()) await setTimeout(1);
    // Some of the signals arrive between the loops of two configurations.
    while (printed.split('"reloaded"').length < 10 && isRunning()) {
      child.kill("SIGHUP");
      await setTimeout(1);
    }
    child.kill("SIGTERM");
    const { code, err } = await ended;
    expect(code, err).toBe(0);
  });

  it("prints events that contain no command of a CI runner, and keep their values", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    const document = { apiVersion: "svc/v1", kind: "##[error]x", metadata: { name: "a" } };
    fixture.write(`${folder}/documents.yaml`, JSON.stringify(document));
    const file = fixture.config([{ folder, mode: "plan" }]);
    const { out } = await runSvc(["controller", "--config", file, "--once"], { env: fixture.env });
    expect(out).not.toContain("##[");
    expect(JSON.stringify(eventsIn(out))).toContain("##[error]x");
  });

  it("reports wrong usage and an invalid configuration", async () => {
    const none = await runSvc(["controller"], { env: fixture.env });
    expect([none.code, none.out]).toEqual([64, ""]);
    const file = fixture.write("controller.yaml", "state: s\nsuorces: []\n");
    const wrong = await runSvc(["controller", "--config", file], { env: fixture.env });
    expect(wrong.code).toBe(64);
    expect(wrong.err).toContain('2:1: "suorces" is not a known field (Did you mean "sources"?');
  });
});

describe("examples/controller", slowTest, () => {
  it("passes its schema, and reconciles the example stack", async () => {
    for (const name of ["controller", "quickstart"]) {
      cpSync(join(root, "examples", name), join(fixture.home, name), { recursive: true });
    }
    const file = join(fixture.home, "controller/controller.yaml");
    expect(schemaValidator("controller.json")(parse(readFileSync(file, "utf8")))).toBe(true);
    const { code, out } = await runSvc(["controller", "--config", file, "--once"], {
      env: fixture.env,
    });
    expect(eventsIn(out)).toMatchObject([
      { event: "started" },
      { result: "applied", source: "harbour" },
      { event: "stopped" },
    ]);
    expect(code).toBe(0);
  });
});
