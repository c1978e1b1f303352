// Promotion by writing manifests in a real Git repository: what is committed, what is left as it was, and what is refused.
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { committed, eachRepository, patience, write, yes } from "./each.ts";
import { rollback } from "../../reconciler/promote/promote.ts";
import { approve } from "../../reconciler/promote/words.ts";
import { inWords } from "../support/stack.ts";
import { manifests, type TestRepository } from "./repository.ts";
import { good, newest, older, promotingChild, type Scene } from "./scene.ts";

let scene: Scene;
let repository: TestRepository;
eachRepository((opened, made) => {
  scene = opened;
  repository = made;
});

const promoted = (more: object = {}) => committed(scene, repository, more);

/** The manifests after some promotions, by the names of what was promoted. */
function pinning(...names: readonly string[]): string {
  return manifests
    .split("---\n")
    .map((one) =>
      names.some((name) => one.includes(`name: ${name} }`)) ? one.replace(older, newest) : one,
    )
    .join("---\n");
}

async function reasons(stage: string): Promise<readonly string[]> {
  const { stages } = await scene.status();
  return stages.find((one) => one.stage === stage)?.reasons.map(({ code }) => code) ?? [];
}

describe("three stages", patience, () => {
  it("are committed one after the other as each is applied, verified and approved", async () => {
    await scene.pipeline([{}, { atOnce: 1 }, {}]);
    repository.git("add", ".");
    repository.git("commit", "--quiet", "-m", "pipeline");
    chmodSync(join(scene.stack.folder, "documents.yaml"), 0o640);
    await scene.list(newest, "release");
    const { diff } = await promoted();
    expect(diff).toContain("+      version: 1.7.20   # promoted by svc");
    expect(repository.read()).toBe(pinning("dev"));
    expect(statSync(join(scene.stack.folder, "documents.yaml")).mode & 0o777).toBe(0o640);
    expect(await scene.versions()).toMatchObject({ dev: older });
    expect(await reasons("dev")).toEqual(["waits-for-apply"]);
    expect(repository.git("status", "--porcelain")).toBe("");
    const [subject, ...body] = repository.git("log", "-1", "--format=%B").split("\n");
    expect(subject).toBe(`Promote dev to ${newest}`);
    expect(body).toContain("- Deployment/dev");
    expect(body).toContain("Asked-by: ada");
    // Nothing is done twice while it is not applied.
    expect((await promoted()).diff).toBe("");

    await scene.stack.apply();
    await promoted({ way: { push: true, dry: false } });
    expect(repository.read()).toBe(pinning("dev", "staging-a"));
    expect(repository.origin("log", "--format=%s", "main").split("\n").slice(0, 2)).toEqual([
      `Promote staging to ${newest}`,
      `Promote dev to ${newest}`,
    ]);
    await scene.stack.apply();
    await promoted();
    await scene.stack.apply();
    await promoted();
    expect(await reasons("production")).toEqual(["needs-approval"]);
    good(await approve({ ...scene.options, stage: "production" }));
    await promoted();
    expect(repository.read()).toContain(`version: v${newest}   # promoted by svc`);
    await scene.stack.apply();
    await promoted();
    expect(new Set(Object.values(await scene.versions()))).toEqual(new Set([newest]));
    expect(inWords((await scene.stack.plan()).changes)).toEqual([]);
  });
});

describe("a version that fails", patience, () => {
  it("is written back, and held back", async () => {
    await scene.pipeline([{ onFailure: "rollback" }]);
    await promoted();
    await promoted();
    expect(repository.read()).toBe(pinning("dev"));
    await scene.stack.apply();
    scene.site.sickOnce.set("/dev", 500);
    const { failures } = await promoted();
    expect(failures).toHaveLength(1);
    expect(repository.read()).toBe(manifests);
    await scene.stack.apply();
    const { history } = await promoted();
    expect(history.map(({ to, result }) => `${to} ${result}`)).toEqual([
      `${older} done`,
      `${newest} failed`,
    ]);
    expect(await reasons("dev")).toEqual(["failed"]);
  });

  it("is written back when somebody asks for that", async () => {
    await scene.pipeline([{}]);
    await promoted();
    await scene.stack.apply();
    await promoted();
    good(
      await rollback({
        ...scene.options,
        env: repository.env,
        stage: "dev",
        way: write,
        approve: yes,
      }),
    );
    expect(repository.read()).toBe(manifests);
    expect(await reasons("dev")).toContain("waits-for-apply");
  });
});

describe("a branch that the remote does not have", patience, () => {
  it("is pushed to one of the same name", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    repository.git("switch", "--quiet", "--create", "feature");
    await promoted({ way: { push: true, dry: false } });
    expect(repository.origin("log", "-1", "--format=%s", "feature")).toBe(
      `Promote dev to ${newest}\n`,
    );
  });
});

describe("what is not written", patience, () => {
  it("is anything when only the diff is wanted", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    const head = repository.git("rev-parse", "HEAD");
    const { diff } = await promoted({ way: { push: false, dry: true } });
    expect(diff).toMatch(/^diff --git a\/documents\.yaml b\/documents\.yaml$/mu);
    expect([repository.read(), repository.git("rev-parse", "HEAD")]).toEqual([manifests, head]);
    expect((await scene.status()).stages[0]?.rollout).toBeUndefined();
  });

  it("is a manifest with changes that nobody has committed, or one that pins by a variable", async () => {
    await scene.pipeline([{}]);
    repository.write(manifests.replace("ask the platform team", "ask nobody"));
    const { failures } = await promoted();
    expect(failures[0]?.message).toBe(
      "documents.yaml has changes that are not committed, so it is not written",
    );
    const other = manifests.replace(`version: ${older} `, "version: ${pinned} ");
    repository.write(other);
    repository.git("commit", "--quiet", "-am", "variable");
    const second = await promoted({ variables: { pinned: older } });
    expect(second.failures[0]?.message).toContain("it comes from a variable");
    expect(repository.read()).toBe(other);
  });

  it("is nothing that a request has to wait for but its merge, and the record knows nothing of it", async () => {
    await scene.pipeline([{}, { promotion: "approval" }]);
    await scene.settle();
    await promoted();
    await scene.stack.apply();
    await promoted();
    expect(await reasons("staging")).toContain("needs-approval");
    const to = { to: "staging", version: newest };
    await expect(promoted(to)).rejects.toMatchObject({ code: "refused" });
    repository.git("switch", "--quiet", "--create", "asked");
    await promoted({ ...to, way: { ...write, request: true } });
    expect(repository.read()).toBe(pinning("dev", "staging-a", "staging-b"));
    repository.git("switch", "--quiet", "main");
    expect(repository.read()).toBe(pinning("dev"));
    expect(await reasons("staging")).toContain("needs-approval");
    repository.git("merge", "--quiet", "asked");
    await scene.stack.apply();
    await promoted();
    expect(await reasons("staging")).toEqual([]);
  });

  it("is a branch that has moved on behind it", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    const other = `${scene.stack.folder}-other`;
    repository.git("clone", "--quiet", repository.git("remote", "get-url", "origin").trim(), other);
    writeFileSync(join(other, "note.md"), "overtakes\n");
    repository.git("-C", other, "add", ".");
    repository.git("-C", other, "commit", "--quiet", "-m", "overtakes");
    repository.git("-C", other, "push", "--quiet");
    await expect(promoted({ way: { push: true, dry: false } })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(repository.origin("log", "-1", "--format=%s", "main")).toBe("overtakes\n");
    repository.git("pull", "--quiet", "--rebase");
    await promoted({ way: { push: true, dry: false } });
    expect(repository.origin("log", "-1", "--format=%s", "main")).toBe(
      `Promote dev to ${newest}\n`,
    );
    rmSync(other, { recursive: true, force: true });
  });
});

/** Kills a promotion, or the rollback of a stage, as it comes to a command of Git. */
async function killedAt(command: string, rolledBack?: string): Promise<void> {
  const bin = join(scene.stack.folder, ".svc", "bin");
  mkdirSync(bin);
  const real = repository.env["PATH"];
  const script = `#!/bin/sh\nif [ "$1" = ${command} ]; then kill -9 $PPID; exit 1; fi\nPATH='${real}' exec git "$@"\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  const env = { ...repository.env, PATH: `${bin}:${real}` };
  const child = promotingChild(scene, { way: write, env, rolledBack });
  await once(child, "close");
  expect(child.signalCode).toBe("SIGKILL");
}

/** What was committed, the newest first; nothing is half done. */
function commits(): readonly string[] {
  expect(repository.git("status", "--porcelain", "documents.yaml")).toBe("");
  expect(existsSync(join(scene.stack.folder, ".git", "index.lock"))).toBe(false);
  const all = repository.git("log", "--format=%s").split("\n");
  return all.filter((one) => one.startsWith("Promote"));
}

describe.each(["update-ref", "reset"])("a run that is killed at git %s", patience, (command) => {
  it("leaves no promotion half done: the next one finishes", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    await killedAt(command);
    await promoted();
    expect(repository.read()).toBe(pinning("dev"));
    expect(commits()).toEqual([`Promote dev to ${newest}`]);
  });

  it("leaves no rollback half done: the next run finishes it", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    await promoted();
    await scene.stack.apply();
    await promoted();
    await killedAt(command, "dev");
    await promoted();
    expect(repository.read()).toBe(manifests);
    expect(commits()).toEqual([`Promote dev to ${older}`, `Promote dev to ${newest}`]);
    await scene.stack.apply();
    const { history } = await promoted();
    expect(history[0]).toMatchObject({ to: older, cause: "rollback", result: "done" });
    expect(await scene.versions()).toMatchObject({ dev: older });
    expect(await reasons("dev")).toContain("held");
  });
});
