// Tests the specification's rules on files, branches, builds, staging environments and syncs, one test each.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  build,
  files,
  type ModelService,
  orders,
  sha1,
  startModelService,
} from "../contract/data-model-service.ts";
import { runSvc } from "../golden/run-cli.ts";
import { createRemote } from "../support/git-remotes.ts";
import { manifest } from "../support/transform-project.ts";

const deployment = "/api/v1/deployments/1";
const syncs = `${deployment}/transform-sync`;
const environments = `${deployment}/environments`;
const notDevMode = {
  message: expect.stringContaining("branch is not a dev-mode branch") as string,
};

let service: ModelService;
beforeAll(async () => {
  service = await startModelService();
  const remote = createRemote();
  remote.commit({ "target/manifest.json": JSON.stringify(manifest) });
  const integration = { repoUrl: remote.path, branch: "main" };
  await service.done("PUT", `${deployment}/transform-integration`, integration);
});
afterAll(() => service.close());

/** Leaves dev mode, so that no test depends on the session of another. */
const exit = () => service.send("DELETE", `${build}/dev-mode`);
const branches = async () => (await service.done("GET", `${build}/branches`))["items"] as Branch[];
const validate = (query = "") => service.done("GET", `${build}/data-model/validate${query}`);

interface Branch {
  readonly name: string;
  readonly lastHash?: string;
}

/** Returns the status of a sync when it has ended. */
async function endedSync(id: unknown): Promise<string> {
  const read = async () => String((await service.done("GET", `${syncs}/${String(id)}`))["status"]);
  await expect.poll(read, { timeout: 60_000, interval: 20 }).toMatch(/^(?:COMPLETED|FAILED)$/);
  return read();
}

it("errors file on a non-dev-mode branch", async () => {
  const { status, body } = await service.put(orders(), "model/a.yml", { branchName: "main" });
  expect([status, body]).toEqual([400, expect.objectContaining(notDevMode)]);
});

it("client area Data-model files, writes: only on a personal dev-mode branch", async () => {
  const branchName = "main";
  const [path, newPath] = ["model/README.md", "model/OTHER.md"];
  for (const [method, at, body] of [
    ["PUT", files, { files: [{ path, content: "x" }], branchName }],
    ["DELETE", files, { files: [{ path }], branchName }],
    ["POST", `${files}/rename`, { files: [{ path, newPath }], branchName }],
  ] as const) {
    expect((await service.send(method, at, body)).body).toMatchObject(notDevMode);
  }
});

it("client area Data-model files, created branch: the session points at it without forking", async () => {
  const body = { name: "pointed", activate: true };
  await service.done("POST", `${build}/branches`, body);
  expect((await service.put(orders())).body).toMatchObject(notDevMode);
  expect((await branches()).filter(({ name }) => name.startsWith("dev-"))).toEqual([]);
  await exit();
});

it("client area Dev mode, entry: each forks another personal branch, whose name is returned", async () => {
  const [first, second] = [await service.enter(), await service.enter()];
  expect([first, second]).toEqual([expect.stringMatching(/^dev-/), expect.stringMatching(/^dev-/)]);
  expect(first).not.toBe(second);
  await exit();
});

it("client area Dev mode, omitted branch: commands that omit the branch target it, and it is required to enter", async () => {
  await service.enter();
  expect((await service.put(orders())).status).toBe(200);
  expect(await service.hashes()).toContain("model/cubes/orders.yml");
  expect((await service.send("POST", `${build}/dev-mode`, { branchName: "" })).status).toBe(400);
  await exit();
  expect(await service.hashes()).not.toContain("model/cubes/orders.yml");
});

it("client area Dev mode, session: belongs to one credential", async () => {
  await service.enter();
  const other = service.as(await service.key({}));
  expect((await other.put(orders())).status).toBe(400);
  await exit();
});

it("client area Branch operations, put and commit: an empty branch field means the session's branch", async () => {
  await service.enter();
  const put = await service.put(orders(["id", "at"]), "model/cubes/at.yml", { branchName: "" });
  expect(put.status).toBe(200);
  const committed = await service.send("POST", `${build}/commit`, {
    message: "At",
    branchName: "",
  });
  expect(committed.status).toBe(200);
  expect(await service.hashes("main")).toContain("model/cubes/at.yml");
  await exit();
});

it("client area Data-model files, operations: files are put, listed, got, renamed and deleted, with their hashes", async () => {
  const branchName = await service.enter();
  const [path, newPath] = ["model/cubes/first.yml", "model/cubes/second.yml"];
  expect((await service.put("cubes: []", path)).status).toBe(200);
  expect(await service.texts(branchName)).toMatchObject({ [path]: "cubes: []" });
  const renamed = await service.send("POST", `${files}/rename`, { files: [{ path, newPath }] });
  expect(renamed.status).toBe(200);
  const hashes = await service.done("GET", `${build}/data-model/file-hashes`);
  expect(hashes).toMatchObject({ [newPath]: { hash: sha1("cubes: []") } });
  expect(hashes).not.toHaveProperty([path]);
  expect((await service.send("DELETE", files, { files: [{ path: newPath }] })).status).toBe(200);
  expect(await service.hashes()).not.toContain(newPath);
  await exit();
});

it("client area Dev mode, exit: releases the session, and the branch stays", async () => {
  const branchName = await service.enter();
  await exit();
  expect((await service.put(orders())).body["message"]).toContain("enter dev mode first");
  expect((await branches()).map(({ name }) => name)).toContain(branchName);
});

it("client area Branch operations, create-branch: creates a shared branch with the files of the deploy branch", async () => {
  expect(await service.done("POST", `${build}/branches`, { name: "created" })).toMatchObject({
    active: false,
    parentBranch: "main",
  });
  expect(await service.hashes("created")).toEqual(await service.hashes("main"));
});

it("client area Branch operations, branches: lists each with its parent and its hash", async () => {
  await service.done("POST", `${build}/branches`, { name: "listed" });
  const main = (await branches()).find(({ name }) => name === "main");
  expect(await branches()).toContainEqual(
    expect.objectContaining({
      name: "listed",
      parentBranch: "main",
      lastHash: main?.lastHash,
      isStagingEnvironmentEnabled: false,
    }),
  );
});

it("client area Branch operations, commit: pushes the edits to the shared branch that was forked", async () => {
  await service.done("POST", `${build}/branches`, { name: "edited" });
  await service.enter("edited");
  await service.put("cubes: []", "model/cubes/edit.yml");
  expect(await service.hashes("edited")).not.toContain("model/cubes/edit.yml");
  expect((await service.commit()).status).toBe(200);
  expect(await service.hashes("edited")).toContain("model/cubes/edit.yml");
  expect(await service.hashes("main")).not.toContain("model/cubes/edit.yml");
  await exit();
});

it("client area Branch operations, pull: takes the changes of the parent branch", async () => {
  await service.done("POST", `${build}/branches`, { name: "behind" });
  await service.enter();
  await service.put("cubes: []", "model/cubes/newer.yml");
  await service.commit();
  await exit();
  await service.done("POST", `${build}/pull`, { branchName: "behind" });
  expect(await service.hashes("behind")).toContain("model/cubes/newer.yml");
});

it("client area Branch operations, merge: merges a branch into its parent, and keeps it", async () => {
  await service.done("POST", `${build}/branches`, { name: "parent" });
  await service.done("POST", `${build}/branches`, { name: "child", from: "parent" });
  await service.enter("child");
  await service.put("cubes: []", "model/cubes/merged.yml");
  await service.commit();
  await exit();
  const merged = await service.done("POST", `${build}/merge`, { branchName: "child" });
  expect(merged).toEqual({ merged: true, branchDeleted: false });
  expect(await service.hashes("parent")).toContain("model/cubes/merged.yml");
  expect(await service.hashes("main")).not.toContain("model/cubes/merged.yml");
});

it("client area Branch operations, delete-branch: refuses an empty name", async () => {
  expect((await service.send("DELETE", `${build}/branches?branchName=`)).status).toBe(400);
});

it("client area Branch operations, merge-to-default: rebuilds production and deletes the branch, unless it is kept", async () => {
  for (const keepBranch of [false, true]) {
    const name = `merged-${String(keepBranch)}`;
    await service.done("POST", `${build}/branches`, { name });
    await service.enter(name);
    await service.put("cubes: []", `model/cubes/${name}.yml`);
    await service.commit();
    await exit();
    const body = { branchName: name, message: "Merge", removeBranchAfterMerge: !keepBranch };
    await service.done("POST", `${build}/merge-to-default`, body);
    expect(await service.hashes("main")).toContain(`model/cubes/${name}.yml`);
    expect((await branches()).some((one) => one.name === name)).toBe(keepBranch);
    expect(await service.buildEnded()).toMatchObject({ mode: "production", status: "built" });
  }
});

it("client area Validate, targets: the deploy branch, a named branch, or the uncommitted working copy", async () => {
  await service.enter();
  await service.put("cubes: [{ name: 1 }]", "model/cubes/broken.yml");
  expect(await validate("?devMode=true")).toMatchObject({ valid: false });
  expect(await validate("?devMode=true&branchName=")).toMatchObject({ valid: false });
  await exit();
  await service.done("POST", `${build}/branches`, { name: "checked" });
  for (const query of ["", "?branchName=checked"])
    expect(await validate(query)).toMatchObject({ valid: true, errors: [] });
});

it("client area Validate, report: valid, errors with the file of each, and cubesCount", async () => {
  await service.enter();
  await service.put("cubes: [{ name: 1 }]", "model/cubes/broken.yml");
  expect(await validate("?devMode=true")).toMatchObject({
    valid: false,
    errors: expect.arrayContaining([
      expect.objectContaining({ fileName: "model/cubes/broken.yml" }),
    ]) as object[],
    cubesCount: expect.any(Number) as number,
  });
  await exit();
});

it("client area Deploy: sends what changed, removes what is gone unless it is kept, and builds once", async () => {
  await service.done("POST", `${build}/branches`, { name: "deployed", activate: true });
  const [kept, added] = [{ "model/a.txt": "a" }, { "model/b.txt": "b" }];
  for (const [contents, sent, more, expected] of [
    [kept, kept, {}, ["model/a.txt"]],
    [added, added, { autoRemoveFiles: false }, ["model/a.txt", "model/b.txt"]],
    [added, {}, { autoRemoveFiles: true }, ["model/b.txt"]],
  ] as const) {
    const id = await service.start();
    for (const [path, text] of Object.entries(sent)) await service.uploadFile(id, path, text);
    const ended = await service.finish(id, contents, { autoRemoveFiles: true, ...more });
    expect(ended.status, JSON.stringify(ended.body)).toBe(200);
    expect(await service.hashes("deployed")).toEqual(expected);
  }
  await exit();
});

it("client area Deploy, target: the given branch, else the dev-mode branch, else the deploy branch", async () => {
  await service.done("POST", `${build}/branches`, { name: "target" });
  const path = "model/target.txt";
  const upload = async (text: string, query = "") => {
    const started = await service.done("POST", `${build}/data-model/upload/start${query}`);
    const { id } = started["transaction"] as { id: string };
    await service.uploadFile(id, path, text);
    const ended = await service.finish(id, { [path]: text }, { autoRemoveFiles: false });
    expect(ended.status, JSON.stringify(ended.body)).toBe(200);
  };
  const dev = await service.enter();
  await upload("named", "?branchName=target");
  await upload("session");
  await exit();
  await upload("default");
  const texts = [];
  for (const name of ["target", dev, "main"]) texts.push((await service.texts(name))[path]);
  expect(texts).toEqual(["named", "session", "default"]);
});

it("client area Deployments, build-status: accepts a branch; an empty one only without waiting", async () => {
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const status = (...more: readonly string[]) =>
    runSvc(["deployments", "build-status", "main", ...more, "--json"], { env });
  for (const name of ["main", ""]) {
    const { code, out } = await status("--branch", name);
    expect([code, JSON.parse(out)]).toMatchObject([0, { branchName: "main" }]);
  }
  const refused = await status("--branch", "", "--wait");
  expect([refused.code, refused.err]).toEqual([
    64,
    expect.stringContaining("the branch to wait for must not be empty"),
  ]);
});

it("states row Branch kind: shared, personal with the prefix dev-, and dev_mode in a build status", async () => {
  const dev = await service.enter();
  expect(dev).toMatch(/^dev-/);
  expect(await service.buildEnded(dev)).toMatchObject({ branchName: dev, mode: "dev_mode" });
  await exit();
  expect(await service.buildEnded("main")).toMatchObject({ mode: "production" });
});

/** Filters the history of syncs by valid values, and by invalid ones, which are refused. */
async function filterSyncs(name: string, values: readonly string[], others: readonly string[]) {
  for (const value of values) await service.done("GET", `${syncs}?${name}=${value}`);
  for (const value of others)
    expect((await service.send("GET", `${syncs}?${name}=${value}`)).status).toBe(400);
}

it("states row Sync run status: one of five filters the history, in capital letters", async () => {
  const values = ["RUNNING", "COMPLETED", "FAILED", "CANCELLED", "UNKNOWN"];
  await filterSyncs("status", values, ["completed", "DONE"]);
});

it("states row Sync run trigger: one of five filters the history, in small letters", async () => {
  await filterSyncs("trigger", ["manual", "api", "webhook", "agent", "unknown"], ["API", "push"]);
});

it("authentication 8: syncs need SchemaUpdate; their history and logs only SchemaRead", async () => {
  const { syncJobId } = await service.done("POST", syncs, {});
  expect(await endedSync(syncJobId)).toBe("COMPLETED");
  const reader = service.as(await service.userKey("AIBIDeveloper"));
  for (const path of [syncs, `${syncs}/${String(syncJobId)}/logs`]) {
    expect((await reader.send("GET", path)).status).toBe(200);
  }
  expect((await reader.send("POST", syncs, {})).status).toBe(403);
  expect((await reader.send("DELETE", `${syncs}/${String(syncJobId)}`)).status).toBe(403);
});

it("client area Staging environments: keep a shared branch active, and revert that", async () => {
  await service.done("POST", `${build}/branches`, { name: "staged" });
  for (const enabled of [true, false]) {
    const body = { enabled, branchName: "staged" };
    await service.done("PUT", `${build}/branches/staging-environment`, body);
    const { items } = await service.done("GET", `${environments}?type=staging`);
    expect(items).toHaveLength(enabled ? 1 : 0);
  }
});

it("states rule 3: a shared branch has no active runtime until its staging environment is enabled", async () => {
  await service.done("POST", `${build}/branches`, { name: "idle" });
  expect(await service.buildEnded("idle")).toMatchObject({ errorText: "Branch is not active" });
  const body = { enabled: true, branchName: "idle" };
  await service.done("PUT", `${build}/branches/staging-environment`, body);
  expect(await service.buildEnded("idle")).toMatchObject({ mode: "dev_mode" });
});

it("states rule 2: each sync creates a new shared branch with the generated files", async () => {
  const names: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { syncJobId, branchName } = await service.done("POST", syncs, {});
    expect(await endedSync(syncJobId)).toBe("COMPLETED");
    names.push(String(branchName));
    expect(await service.hashes(String(branchName))).toContain("model/cubes/transform/orders.yml");
  }
  expect(new Set(names).size).toBe(2);
});

it("client area Sync, ref: an empty one is rejected", async () => {
  expect((await service.send("POST", syncs, { ref: "" })).status).toBe(400);
});

it("endpoint row GET scim Users: a list by count and start index", async () => {
  await service.db.updateTable("account").set({ scim_enabled: 1 }).execute();
  const query = "?count=1&startIndex=1";
  const { body } = await service.send("GET", `/api/scim/v2/Users${query}`);
  expect(body).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
});

it("authentication 3: SCIM takes the Bearer and the Api-Key scheme", async () => {
  await service.db.updateTable("account").set({ scim_enabled: 1 }).execute();
  for (const [scheme, status] of [
    ["Bearer", 200],
    ["Api-Key", 200],
    ["Basic", 401],
  ] as const) {
    const headers = { authorization: `${scheme} ${service.adminKey}` };
    const response = await fetch(`${service.url}/api/scim/v2/Users`, { headers });
    expect(response.status, scheme).toBe(status);
  }
});
