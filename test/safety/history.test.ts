// Tests the history of runs in an inventory: actor, time, reason, commit and the state before, without secrets.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { validator } from "../../core/schema/validate.ts";
import { commitAt } from "../../reconciler/operator/commit.ts";
import { isUncommitted } from "../../reconciler/operator/uncommitted.ts";
import { history, type History, findRun } from "../../reconciler/verbs/history.ts";
import { adopt } from "../../reconciler/adopt.ts";
import type { RunRecord } from "../../reconciler/model/index.ts";
import { commandOutputs } from "../../reconciler/report/command-output-schema.ts";
import { historyJson } from "../../reconciler/report/history-json.ts";
import { historyText } from "../../reconciler/report/history-text.ts";
import { trimRuns } from "../../reconciler/inventory/journal.ts";
import { setUpFixture } from "./fixture.ts";

const secret = "hunter2-in-a-run";
const group = (description: string) => ({
  kind: "UserGroup",
  name: "sellers",
  spec: { name: "sellers", description },
});
const variable = (value: string) => ({
  kind: "EnvironmentVariable",
  name: "password",
  spec: { deployment: { external: "main" }, name: "DB_PASS", value },
});

describe("the history of a stack", () => {
  const scene = setUpFixture({ name: "shop" });
  const runs = async (): Promise<History> => {
    const done = await history(scene.stack.options);
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    return done;
  };

  it("says of each run who made it, when, why, and what it did", async () => {
    expect((await runs()).runs).toEqual([]);
    await scene.stack.write([group("who sell"), variable(secret)]);
    const first = { by: "jo@desk", message: "Begin", commit: "a".repeat(40) };
    await scene.stack.apply({ author: first, now: () => new Date("2026-01-31T09:30:00Z") });
    await scene.stack.write([group("who sell more"), variable(`${secret} 2`)]);
    await scene.stack.apply({ author: { by: "eve@desk" } });
    await scene.stack.apply({ author: { by: "eve@desk", message: "nothing to do" } });
    await scene.stack.write([group("who sell more")]);
    await scene.stack.apply();
    const reported = await runs();
    expect(reported.runs).toMatchObject([
      { verb: "apply", by: expect.stringContaining("@"), counts: { delete: 1 } },
      { by: "eve@desk", counts: { update: 2 } },
      { ...first, counts: { create: 2 }, startedAt: "2026-01-31T09:30:00.000Z" },
    ]);
    expect(reported.runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    const [removed, changed] = reported.runs;
    expect(changed?.changes?.find(({ kind }) => kind === "UserGroup")).toMatchObject({
      result: "done",
      before: { description: "who sell" },
    });
    expect(changed?.changes?.find(({ kind }) => kind !== "UserGroup")).toMatchObject({
      before: {},
      hidden: ["value"],
    });
    expect(removed?.changes).toMatchObject([
      { before: { name: "DB_PASS", deployment: "main" }, hidden: ["value"] },
    ]);
    const file = readFileSync(join(scene.stack.folder, ".svc/shop.inventory.json"), "utf8");
    expect(file).not.toContain(secret);
    expect(historyText(reported, true)).toContain(
      'jo@desk  apply: 2 created  aaaaaaaaaaaa  "Begin"',
    );
    const at = { name: "shop", displayPath: "stacks/shop" };
    expect(findRun(reported.runs, reported.runs[0]?.id.slice(0, -1) ?? "", at)).toBe(
      reported.runs[0],
    );
    expect(() => findRun(reported.runs, "none", at)).toThrow(
      expect.objectContaining({
        message: "no run none in the inventory of stack shop",
        remedy: "`svc history stacks/shop` lists the runs.",
      }),
    );
    const [begun] = reported.runs;
    expect(() => findRun(begun === undefined ? [] : [begun], "202", at)).toThrow(
      "202 is too short to name a run: use at least 4 characters",
    );
    const twins = reported.runs
      .slice(0, 2)
      .map((run, index) => ({ ...run, id: `20260101-${index}` }));
    expect(() => findRun(twins, "2026", at)).toThrow(
      "2 runs begin with 2026: 20260101-1, 20260101-0",
    );
  });

  it("says who adopted what, and nothing of an adopt without effect", async () => {
    const { stack, service } = scene;
    await service.send("POST", "/api/v1/user-groups", { body: { name: "sellers" } });
    await stack.write([group("who sell"), variable(secret)]);
    const author = { by: "jo@desk", commit: "a".repeat(40) };
    const now = () => new Date("2026-01-31T09:30:00Z");
    expect(await adopt({ ...stack.options, author, now })).toMatchObject({
      ok: true,
      adopted: ["UserGroup/sellers"],
    });
    await adopt({ ...stack.options, author: { by: "eve@desk" } });
    const reported = await runs();
    const at = "2026-01-31T09:30:00.000Z";
    expect(reported.runs).toEqual([
      {
        id: expect.any(String),
        verb: "adopt",
        ...author,
        startedAt: at,
        endedAt: at,
        counts: { adopt: 1 },
        changes: [
          expect.objectContaining({
            action: "adopt",
            address: "UserGroup/sellers",
            id: expect.any(String),
            result: "done",
          }),
        ],
      },
    ]);
    expect(historyText(reported, true)).toContain("jo@desk  adopt: 1 adopted  aaaaaaaaaaaa");
    expect(historyText(reported, true)).toContain("    adopt UserGroup/sellers");
  });

  it("says which entry moved to another address", async () => {
    await scene.stack.write([group("who sell")]);
    await scene.stack.apply();
    const lifecycle = { movedFrom: "UserGroup/sellers" };
    await scene.stack.write([{ ...group("who sell"), name: "vendors", lifecycle }]);
    await scene.stack.apply();
    const reported = await runs();
    expect(validator(commandOutputs.history)(historyJson(reported))).toEqual([]);
    const text = historyText(reported, true);
    expect(text).toContain(" UserGroup/vendors (entry moved from UserGroup/sellers)\n");
  });

  it("shows a run that failed in part, and one that was killed", async () => {
    await scene.stack.write([group("who sell")]);
    await scene.stack.apply({ author: { by: "jo" } });
    const path = join(scene.stack.folder, ".svc/shop.inventory.json");
    const [{ serial, lineage, salt }, begun] = [
      JSON.parse(readFileSync(path, "utf8")) as { serial: number; lineage: string; salt: string },
      {
        id: "20260131T093000-abcdef",
        verb: "apply",
        by: "jo",
        startedAt: "2026-01-31T09:30:00.000Z",
      },
    ];
    const changes = [
      {
        action: "update",
        address: "UserGroup/sellers",
        kind: "UserGroup",
        name: "sellers",
        key: "x",
      },
    ];
    const head = { journal: 4, stack: "shop", lineage, serial, salt };
    const record = { phase: "run", run: { ...begun, counts: { update: 1, none: 2 }, changes } };
    writeFileSync(`${path}.journal`, `${JSON.stringify(head)}\n${JSON.stringify(record)}\n`);
    expect(historyText(await runs(), false)).toContain("1 to update, 2 to record, not finished");
    await scene.stack.write([group("who sell more")]);
    await scene.stack.apply({ author: { by: "jo" } });
    const past = await runs();
    expect(past.runs.map(({ endedAt }) => endedAt !== undefined)).toEqual([true, false, true]);
    const [last] = past.runs;
    expect(historyText(past, false)).toContain(`2 to record, finished by ${last?.id}`);
    expect(historyText(past, false)).not.toContain("not finished");
  });
});

describe("the runs that are kept", () => {
  const run = (id: string, before = ""): RunRecord => ({
    id,
    verb: "apply",
    by: "jo",
    startedAt: "2026-01-31T09:30:00.000Z",
    counts: {},
    changes: [
      { action: "update", address: "a", kind: "A", name: "a", key: "a", before: { before } },
    ],
  });

  it("are the newest ones, of which the older ones lose their changes", () => {
    const long = "x".repeat(limits.runChangesCharacters);
    let runs: readonly RunRecord[] = [];
    for (let at = 0; at < limits.runsKept + 5; at++) runs = trimRuns(runs, run(`${at}`));
    expect(runs).toHaveLength(limits.runsKept);
    expect(runs.at(-1)?.id).toBe(`${limits.runsKept + 4}`);
    const large = trimRuns(trimRuns([run("small")], run("one", long)), run("two", long));
    expect(large.map(({ id, changes }) => [id, changes !== undefined])).toEqual([
      ["small", false],
      ["one", false],
      ["two", true],
    ]);
  });
});

describe("a run whose manifests are not committed", () => {
  const scene = setUpFixture({ name: "shop" });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], {
      cwd: scene.stack.folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: scene.stack.folder, GIT_CONFIG_NOSYSTEM: "1" },
    }).trim();
  const last = async () => {
    const done = await history(scene.stack.options);
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    const [run] = done.runs;
    return { run, text: historyText({ ...done, runs: done.runs.slice(0, 1) }, false) };
  };

  it("is marked as dirty, and one of the commit is not", async () => {
    await scene.stack.write([group("who sell")]);
    git("init", "-q");
    writeFileSync(join(scene.stack.folder, ".gitignore"), ".svc/\n");
    git("add", "-A");
    git("commit", "-q", "-m", "one");
    const commit = git("rev-parse", "HEAD");
    await scene.stack.apply();
    expect(await last()).toMatchObject({
      run: { commit },
      text: expect.not.stringContaining("dirty"),
    });
    expect((await last()).run).toMatchObject({ dirty: false });
    await scene.stack.write([group("who sell more")]);
    await scene.stack.apply();
    expect(await last()).toMatchObject({
      run: { commit, dirty: true },
      text: expect.stringContaining(`${commit.slice(0, 12)}-dirty`),
    });
    // Staged changes are not committed either.
    git("add", "-A");
    await scene.stack.write([group("who sell more"), variable(secret)]);
    await scene.stack.apply();
    expect((await last()).run).toMatchObject({ dirty: true });
    git("add", "-A");
    git("commit", "-q", "-m", "two");
    await scene.stack.write([group("who sell more"), variable(secret)]);
    const two = git("rev-parse", "HEAD");
    const { folder } = scene.stack;
    const file = join(folder, "documents.yaml");
    const look = async (sources: readonly string[]) =>
      await isUncommitted(two, { folder, sources, env: process.env });
    expect([await look([file]), await look([folder]), await look(["-"]), await look([])]).toEqual([
      false,
      false,
      true,
      undefined,
    ]);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    expect(await look([file])).toBe(false);
    writeFileSync(join(folder, "new.yaml"), "");
    expect([
      await look([file]),
      await look([folder]),
      await look([join(folder, "new.yaml")]),
    ]).toEqual([false, true, true]);
    rmSync(join(folder, "new.yaml"));
    mkdirSync(join(folder, "base"));
    writeFileSync(join(folder, "base/shared.yaml"), "");
    const shared = { folder: join(folder, "base"), sources: [file], env: process.env };
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
    expect(await isUncommitted(two, shared)).toBe(false);
    rmSync(join(folder, "base"), { recursive: true });
    writeFileSync(join(folder, "gone.yaml"), "");
    git("add", "-A");
    git("commit", "-q", "-m", "three");
    rmSync(join(folder, "gone.yaml"));
    const three = git("rev-parse", "HEAD");
    expect(await isUncommitted(three, { folder, sources: [file], env: process.env })).toBe(true);
    expect(await isUncommitted(two, { folder, sources: [file], env: { PATH: "/nowhere" } })).toBe(
      undefined,
    );
  });

  it("is one with deleted files of any kind, and unknown where Git stores another form", async () => {
    const { folder } = scene.stack;
    await scene.stack.write([group("who sell")]);
    for (const [name, text] of [
      ["seeds/stores.csv", "a"],
      ["seeds/more.csv", "a"],
      ["base/one.yaml", ""],
      ["base/two.yaml", ""],
      ["stack/main.yaml", ""],
      ["keys/shop.sops.yaml", "a"],
      ["lfs/large.yaml", "pointer"],
      [".gitattributes", "lfs/* filter=lfs\n"],
    ] as const) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    git("init", "-q");
    git("add", "-A");
    git("commit", "-q", "-m", "one");
    const commit = git("rev-parse", "HEAD");
    const look = async (...sources: readonly string[]) =>
      await isUncommitted(commit, {
        folder: join(folder, "stack"),
        sources: sources.map((one) => join(folder, one)),
        env: process.env,
      });
    expect(await look("seeds", "base/one.yaml", "stack/main.yaml")).toBe(false);
    writeFileSync(join(folder, "lfs/large.yaml"), "content");
    expect(await look("lfs/large.yaml")).toBeUndefined();
    const withValue = (name: string) =>
      isUncommitted(commit, {
        folder: join(folder, "stack"),
        sources: [join(folder, "stack/main.yaml")],
        valueFiles: [join(folder, name)],
        env: process.env,
      });
    // A secret of the machine is not part of the commit.
    writeFileSync(join(folder, "keys/local"), "a");
    expect(await withValue("keys/local")).toBe(false);
    expect(await withValue("../elsewhere")).toBe(false);
    expect(await withValue("keys/shop.sops.yaml")).toBe(false);
    writeFileSync(join(folder, "keys/shop.sops.yaml"), "b");
    expect(await withValue("keys/shop.sops.yaml")).toBe(true);
    rmSync(join(folder, "base/two.yaml"));
    expect(await look("base/one.yaml")).toBe(true);
    expect(await look("seeds")).toBe(false);
    rmSync(join(folder, "seeds/more.csv"));
    expect(await look("seeds")).toBe(true);
  });

  it("asks Git only in a run that writes", async () => {
    const { folder } = scene.stack;
    const calls = join(folder, ".calls");
    const programs = join(folder, ".programs");
    mkdirSync(programs);
    writeFileSync(join(programs, "git"), `#!/bin/sh\necho "$1" >> "${calls}"\nexit 1\n`, {
      mode: 0o755,
    });
    await scene.stack.write([group("who sell")]);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "one");
    const env = { ...scene.stack.options.env, PATH: `${programs}:${process.env["PATH"]}` };
    await scene.stack.apply({ env });
    expect(readFileSync(calls, "utf8")).not.toBe("");
    expect((await last()).run).not.toHaveProperty("dirty");
    rmSync(calls);
    await scene.stack.apply({ env });
    expect(existsSync(calls)).toBe(false);
  });
});

describe("the commit of a folder", () => {
  it("is read from its repository, a branch, a packed one, a worktree or none at all", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-commit-"));
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.example", ...args], {
        cwd: folder,
        stdio: ["ignore", "pipe", "ignore"],
        env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      })
        .toString()
        .trim();
    try {
      expect(commitAt(folder)).toBeUndefined();
      git("init", "-q");
      expect(commitAt(folder)).toBeUndefined();
      git("commit", "-q", "--allow-empty", "-m", "one");
      const one = git("rev-parse", "HEAD");
      mkdirSync(join(folder, "deep"));
      expect(commitAt(join(folder, "deep"))).toBe(one);
      git("pack-refs", "--all");
      expect(commitAt(folder)).toBe(one);
      git("worktree", "add", "-q", "tree");
      expect(commitAt(join(folder, "tree"))).toBe(one);
      git("checkout", "-q", "--detach");
      expect(commitAt(folder)).toBe(one);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
