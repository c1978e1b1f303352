// Tests what the service writes to the Git remote of a data model: commits, and deletes of branches.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TestRemote } from "../../support/git-remotes.ts";
import { build, type ModelService, orders } from "../../contract/data-model-service.ts";
import { model, setUpGit } from "../../contract/git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const { status, connected, commitModel, createPushed } = setUpGit((...started) => {
  [service, remote] = started;
});

describe("a commit", () => {
  it("is pushed with its message and author, and a branch that moved is fast-forwarded", async () => {
    await connected();
    expect(await commitModel(orders(["id", "status"]), "Add status")).toMatchObject({
      status: 200,
    });
    expect(remote.files()).toEqual({ [model]: orders(["id", "status"]) });
    expect(remote.log()).toEqual(["Add status", "Begin"]);
    expect(remote.git("log", "-1", "--format=%an <%ae>", "main").trim()).toMatch(/^.+ <admin@/);
    expect(await status()).toMatchObject({ status: "synced" });
  });

  it("that others pushed meanwhile is merged with theirs: nothing is lost", async () => {
    await connected({ "model/cubes/b.yml": "cubes: []\n" });
    await service.enter();
    await service.put(orders(["id", "ours"]));
    remote.commit({ "model/cubes/b.yml": "cubes: [] # theirs\n" }, "Theirs");
    expect((await service.commit("Ours")).status).toBe(200);
    const both = { [model]: orders(["id", "ours"]), "model/cubes/b.yml": "cubes: [] # theirs\n" };
    expect(remote.files()).toEqual(both);
    expect(await service.texts("main")).toEqual(both);
    expect(remote.log().slice(1)).toEqual(["Theirs", "Begin"]);
  });

  it("of the same lines as others is a conflict: both stay, and a pull resolves it", async () => {
    await connected();
    await service.enter();
    await service.put(orders(["ours"]));
    remote.commit({ [model]: orders(["theirs"]) }, "Theirs");
    const answer = await service.commit("Ours");
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "merge_conflict", details: { files: [model] } },
    });
    expect(remote.files()).toEqual({ [model]: orders(["theirs"]) });
    expect(await service.texts("main")).toEqual({ [model]: orders(["ours"]) });
    expect(await status()).toMatchObject({ status: "conflict" });
    const unresolved = await service.send("POST", `${build}/pull`, { branchName: "main" });
    expect(unresolved).toMatchObject({
      status: 409,
      body: {
        code: "merge_conflict",
        message: expect.stringContaining(
          `the branch main and the Git remote changed the same lines of ${model}; pull the branch with resolveMergeConflict`,
        ),
      },
    });
    const resolved = { branchName: "main", resolveMergeConflict: "ours" };
    await service.done("POST", `${build}/pull`, resolved);
    expect(remote.files()).toEqual({ [model]: orders(["ours"]) });
    expect(remote.log()).toContain("Theirs");
    expect(await status()).toMatchObject({ status: "synced" });
  });

  it("to another branch succeeds while a branch is in conflict, and so do other changes", async () => {
    await connected();
    await createPushed("feature");
    await service.enter();
    await service.put(orders(["ours"]));
    remote.commit({ [model]: orders(["theirs"]) }, "Theirs");
    expect(await service.commit("Ours")).toMatchObject({ status: 409 });
    await service.enter("feature");
    expect((await service.put(orders(["id", "more"]))).status).toBe(200);
    expect((await service.commit("Add more")).status).toBe(200);
    expect(remote.log("feature")).toEqual(["Add more", "Begin"]);
    await service.done("POST", `${build}/branches`, { name: "later" });
    await service.enter();
    expect((await service.put(orders(["ours", "again"]))).status).toBe(200);
    const answer = await service.commit("Ours again");
    expect(answer).toMatchObject({ status: 409, body: { code: "merge_conflict" } });
  });

  it("of two concurrent users is pushed for both, in either order", async () => {
    await connected();
    const other = service.as(await service.userKey("Developer"));
    await Promise.all([service.enter(), other.enter()]);
    await Promise.all([
      service.put(orders(["a"]), "model/a.yml"),
      other.put(orders(["b"]), "model/b.yml"),
    ]);
    const answers = await Promise.all([service.commit("A"), other.commit("B")]);
    expect(answers.map(({ status: code }) => code)).toEqual([200, 200]);
    const files = { [model]: orders(), "model/a.yml": orders(["a"]), "model/b.yml": orders(["b"]) };
    expect(remote.files()).toEqual(files);
    expect(await service.texts("main")).toEqual(files);
  });

  it("to another branch creates it at the remote, on the commit that it was forked from", async () => {
    await connected();
    await createPushed("feature");
    expect(remote.log("feature")).toEqual(["Begin"]);
    await service.enter("feature");
    await service.put(orders(["id", "more"]));
    expect((await service.commit("Add more")).status).toBe(200);
    expect(remote.log("feature")).toEqual(["Add more", "Begin"]);
    expect(remote.log()).toEqual(["Begin"]);
    const merge = { branchName: "feature", message: "Release", removeBranchAfterMerge: false };
    await service.done("POST", `${build}/merge-to-default`, merge);
    expect(remote.files()).toEqual({ [model]: orders(["id", "more"]) });
    expect(await status()).toMatchObject({ status: "synced" });
  });

  it("to a temporary branch of the provider is not pushed", async () => {
    await connected();
    await service.done("POST", `${build}/branches`, { name: "svc-apply-1" });
    await service.enter("svc-apply-1");
    await service.put(orders(["id", "more"]));
    expect((await service.commit()).status).toBe(200);
    expect(remote.git("branch", "--list", "svc-apply-*")).toBe("");
    expect(await status()).toMatchObject({ branches: [{ name: "main", status: "synced" }] });
  });

  it("does not overwrite a branch of the remote that has the same name", async () => {
    await connected();
    remote.commit({ "other.txt": "x" }, "Other", "feature");
    await service.done("POST", `${build}/branches`, { name: "feature" });
    const failed = expect.objectContaining({
      name: "feature",
      status: "failed",
      errorText: expect.stringContaining("has a branch feature"),
    });
    const branches = async () => (await status())["branches"];
    await expect.poll(branches, { timeout: 60_000 }).toContainEqual(failed);
    expect(remote.log("feature")).toContain("Other");
  });

  it("does not restore commits that were removed at the remote", async () => {
    await connected();
    remote.commit({ "b.txt": "b" }, "Second");
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    remote.git("update-ref", "refs/heads/main", "main~1");
    expect((await commitModel(orders(["id", "x"]))).status).toBe(200);
    expect(remote.log()).not.toContain("Second");
  });

  it("waits for a remote that refuses it, and shows why", async () => {
    await connected();
    remote.git("config", "receive.denyCurrentBranch", "refuse");
    remote.git("config", "core.bare", "false");
    remote.git("config", "core.worktree", remote.path);
    expect((await commitModel(orders(["id", "x"]), "Refused")).status).toBe(200);
    expect(await status()).toMatchObject({ status: "failed" });
    remote.git("config", "receive.denyCurrentBranch", "ignore");
    // Commits do not shorten the pause before the next attempt; a pull does.
    await commitModel(orders(["id", "y"]), "Refused");
    expect(remote.log()).toEqual(["Begin"]);
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    await commitModel(orders(["id", "x", "y"]), "Again");
    expect(remote.files()).toMatchObject({ [model]: orders(["id", "x", "y"]) });
    expect(remote.log()).toEqual(["Again", "Refused", "Begin"]);
  });
});

describe("deleting a branch at the remote too", () => {
  const remove = (name: string) =>
    service.send("DELETE", `${build}/branches?branchName=${name}&removeOnUpstream=true`);

  it("client area Branch operations, upstream: removes it there", async () => {
    await connected();
    await createPushed("feature");
    expect(remote.git("branch", "--list", "feature")).not.toBe("");
    expect((await remove("feature")).status).toBe(200);
    expect(remote.git("branch", "--list", "feature")).toBe("");
  });

  it("succeeds again after a lost answer, but not while the remote has the branch", async () => {
    await connected();
    await createPushed("feature");
    expect((await remove("feature")).status).toBe(200);
    expect((await remove("feature")).status).toBe(200);
    remote.commit({ "x.txt": "x" }, "Theirs", "theirs");
    expect((await remove("theirs")).status).toBe(404);
    expect(remote.git("branch", "--list", "theirs")).not.toBe("");
  });

  it("keeps one with commits that were not pulled, and the deploy branch", async () => {
    await connected();
    await createPushed("feature");
    remote.commit({ "x.txt": "x" }, "Theirs", "feature");
    expect(await remove("feature")).toMatchObject({ status: 409 });
    expect(remote.log("feature")).toContain("Theirs");
    expect(await remove("main")).toMatchObject({ status: 400 });
    expect(remote.git("branch", "--list", "main")).not.toBe("");
  });
});

// The pull waits until the push has reached its time limit.
it("a pull during a push records it, and the push does not fail", async () => {
  await connected();
  const [arrived, on] = ["arrived", "on"].map((name) => join(remote.path, name));
  const script = join(remote.path, "hooks/post-receive");
  mkdirSync(dirname(script), { recursive: true });
  const text = `#!/bin/sh\ntouch ${arrived}\nwhile [ ! -e ${on} ]; do sleep 0.01; done\n`;
  writeFileSync(script, text, { mode: 0o755 });
  const pushed = commitModel(orders(["id", "pushed"]));
  await expect.poll(() => existsSync(arrived ?? ""), { timeout: 30_000 }).toBe(true);
  await service.done("POST", `${build}/pull`, { branchName: "main" });
  writeFileSync(on ?? "", "");
  expect(await pushed).toMatchObject({ status: 200 });
  expect(await status()).toMatchObject({ status: "synced" });
});
