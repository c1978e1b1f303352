// Branches of a data model: dev mode, commits, merges, conflicts, sessions and permissions.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  build,
  files,
  type ModelCalls,
  type ModelService,
  orders,
  startModelService,
} from "./data-model-service.ts";

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
});
afterEach(async () => service.close());

describe("branches", () => {
  it("are forked at each entry, committed to their parent, and merged into the deploy branch", async () => {
    await service.done("POST", `${build}/branches`, { name: "feature" });
    const first = await service.enter("feature");
    const second = await service.enter("feature");
    expect(first).not.toBe(second);
    await service.put(orders());
    expect((await service.commit("Add orders")).status).toBe(200);
    expect(await service.hashes("feature")).toContain("model/cubes/orders.yml");
    expect(await service.hashes("main")).not.toContain("model/cubes/orders.yml");
    const merged = await service.done("POST", `${build}/merge-to-default`, {
      branchName: "feature",
      message: "Release",
    });
    expect(merged).toEqual({ merged: true, branchDeleted: true });
    expect(await service.hashes("main")).toContain("model/cubes/orders.yml");
    const { items } = await service.done("GET", `${build}/branches`);
    // The children of the deleted branch belong to its parent.
    expect(items).toMatchObject([
      { name: second, parentBranch: "main", lastCommit: { message: "Add orders", userId: 1 } },
      { name: first, parentBranch: "main" },
      { name: "main", lastCommit: { message: "Add orders" } },
    ]);
  });

  it("facts 8: squashCommits merges as one commit, without the history of the branch", async () => {
    await service.done("POST", `${build}/branches`, { name: "topic" });
    const dev = await service.enter("topic");
    for (const text of ["one", "two"]) {
      await service.put(text, `model/${text}.txt`);
      await service.commit(`Add ${text}`);
    }
    const commits = () =>
      service.db.selectFrom("model_commits").selectAll().orderBy("id", "desc").execute();
    const before = await commits();
    const merge = { branchName: "topic", message: "Both", squashCommits: true };
    expect(await service.done("POST", `${build}/merge`, merge)).toMatchObject({ merged: true });
    const [last, ...older] = await commits();
    expect(older).toHaveLength(before.length);
    const main = await service.db
      .selectFrom("branches")
      .selectAll()
      .where("name", "=", "main")
      .executeTakeFirstOrThrow();
    expect(last).toMatchObject({ id: main.head_id, message: "Both", second_parent_id: null });
    expect(await service.hashes("main")).toEqual(
      expect.arrayContaining(["model/one.txt", "model/two.txt"]),
    );
    // The branch has no changes that its parent lacks, and stays usable.
    expect(await service.done("POST", `${build}/merge`, merge)).toMatchObject({ merged: false });
    await service.put("three", "model/three.txt", { branchName: dev });
    await service.commit("Add three");
    expect(await service.done("POST", `${build}/merge`, merge)).toMatchObject({ merged: true });
  });

  it("merge changes of different lines, and report files with changes of the same lines", async () => {
    await service.enter();
    await service.put(orders(["a", "b", "c", "d", "e"]));
    await service.commit();
    const mine = await service.enter();
    const theirs = await service.enter();
    await service.put(orders(["a", "b", "c", "d", "changed"]));
    await service.commit();
    await service.put(orders(["other", "b", "c", "d", "e"]), undefined, { branchName: mine });
    expect((await service.send("POST", `${build}/commit`, { branchName: mine })).status).toBe(200);
    const { items } = await service.done("GET", `${files}?withContent=true&branchName=main`);
    expect(JSON.stringify(items)).toContain("name: other");
    expect(JSON.stringify(items)).toContain("name: changed");

    await service.put(orders(["mine", "b", "c", "d", "e"]), undefined, { branchName: theirs });
    const conflict = await service.send("POST", `${build}/commit`, { branchName: theirs });
    expect(conflict).toMatchObject({
      status: 409,
      body: { code: "merge_conflict", details: { files: ["model/cubes/orders.yml"] } },
    });
    // Neither branch changed.
    expect(
      JSON.stringify(
        (await service.done("GET", `${files}?withContent=true&branchName=main`))["items"],
      ),
    ).toContain("other");
  });

  it("never undo changes that the branch has not seen, whatever the order of forks, pulls and merges", async () => {
    await service.done("POST", `${build}/branches`, { name: "shared" });
    const dev = await service.enter("shared");
    // The deploy branch moves on, and the shared branch pulls it, but the fork does not.
    await service.enter("main");
    await service.put("new", "model/new.txt");
    await service.commit();
    await service.done("POST", `${build}/pull`, { branchName: "shared" });
    await service.put("mine", "model/mine.txt", { branchName: dev });
    await service.done("POST", `${build}/merge-to-default`, { branchName: dev, message: "Direct" });
    expect(await service.hashes("main")).toEqual([
      "model/README.md",
      "model/mine.txt",
      "model/new.txt",
    ]);
  });

  it("are deleted with their sessions, except the deploy branch", async () => {
    expect((await service.send("DELETE", `${build}/branches?branchName=main`)).status).toBe(400);
    expect((await service.send("DELETE", `${build}/branches?branchName=none`)).status).toBe(404);
    expect((await service.send("DELETE", `${build}/branches?branchName=`)).status).toBe(400);
    const dev = await service.enter();
    await service.done("DELETE", `${build}/branches?branchName=${dev}`);
    expect((await service.put("x")).status).toBe(400);
  });

  it("belong to a session of one credential", async () => {
    await service.enter();
    await service.put("x", "model/x.txt");
    const other = service.as(await service.key({}));
    expect(await other.hashes()).toEqual(["model/README.md"]);
    await service.done("DELETE", `${build}/dev-mode`);
    expect(await service.hashes()).toEqual(["model/README.md"]);
  });
});

describe("uncommitted changes", () => {
  it("of a dev branch that is a parent survive the commit of its child", async () => {
    const parent = await service.enter();
    await service.put("one", "model/a.txt");
    const child = await service.enter(parent);
    await service.put("child", "model/child.txt", { branchName: child });
    await service.put("two", "model/b.txt", { branchName: parent });
    await service.done("POST", `${build}/commit`, { branchName: child });
    expect(await service.hashes(parent)).toEqual([
      "model/README.md",
      "model/a.txt",
      "model/b.txt",
      "model/child.txt",
    ]);
  });

  it("of a dev branch belong to both, once it is forked", async () => {
    const parent = await service.enter();
    await service.put("a\nb\nc", "model/a.txt");
    const child = await service.enter(parent);
    await service.put("a\nb\nchild", "model/a.txt", { branchName: child });
    await service.put("parent\nb\nc", "model/a.txt", { branchName: parent });
    await service.done("POST", `${build}/branches`, { name: "copy", from: child });
    await service.done("POST", `${build}/commit`, { branchName: child });
    expect((await service.texts(parent))["model/a.txt"]).toBe("parent\nb\nchild");
    await service.done("POST", `${build}/merge-to-default`, { branchName: "copy", message: "Go" });
    expect((await service.texts("main"))["model/a.txt"]).toBe("a\nb\nchild");
    // The deploy branch and the parent share the copied commit.
    await service.done("POST", `${build}/commit`, { branchName: parent });
    expect((await service.texts("main"))["model/a.txt"]).toBe("parent\nb\nchild");
  });
});

describe("the branch of another user", () => {
  it("changes only for callers with SchemaUpdate, whatever the operation", async () => {
    const dev = await service.enter();
    await service.put("x", "model/x.txt");
    const user = service.as(await service.userKey("AIBIDeveloper"));
    await user.done("POST", `${build}/branches`, { name: "shared" });
    const own = await user.enter("shared");
    await user.put("y", "model/y.txt");
    const calls: readonly (readonly [string, string, object?])[] = [
      ["PUT", files, { files: [{ path: "a", content: "" }], branchName: dev }],
      ["DELETE", files, { files: [{ path: "a" }], branchName: dev }],
      ["POST", `${build}/data-model/upload/start?branchName=${dev}`],
      ["POST", `${build}/data-model/upload/start?branchName=main`],
      ["DELETE", `${build}/branches?branchName=${dev}`],
      ["POST", `${build}/branches`, { name: "copy", from: dev }],
      ["POST", `${build}/dev-mode`, { branchName: dev }],
      ["POST", `${build}/pull`, { branchName: dev }],
      ["POST", `${build}/merge`, { branchName: dev }],
      ["POST", `${build}/merge`, { branchName: "shared" }],
      ["POST", `${build}/commit`, { branchName: dev }],
      ["POST", `${build}/merge-to-default`, { branchName: own, message: "Go" }],
    ];
    const before = [await service.texts(dev), await service.texts("main")];
    for (const [method, path, body] of calls) {
      const { status, body: answer } = await user.send(method, path, body);
      expect([path, status, answer["message"]]).toEqual([
        path,
        403,
        expect.stringContaining("SchemaUpdate"),
      ]);
    }
    expect([await service.texts(dev), await service.texts("main")]).toEqual(before);
    // The caller may change its own branches and shared ones.
    await user.done("POST", `${build}/commit`, { branchName: own });
    await user.done("DELETE", `${build}/branches?branchName=${own}`);
    expect(await service.hashes("shared")).toContain("model/y.txt");
    await service.done("POST", `${build}/commit`, { branchName: dev });
    await service.done("DELETE", `${build}/branches?branchName=${dev}`);
  });
});

describe("sessions and parents", () => {
  it("of other credentials stay where they are when a merge switches to the parent", async () => {
    const dev = await service.enter();
    await service.put("x", "model/x.txt");
    await service.done("POST", `${build}/branches`, {
      name: "next",
      from: dev,
      enterDevMode: true,
    });
    const key = await service.key({});
    await service.as(key).enter("next");
    const { id } = await service.db
      .selectFrom("branches")
      .select("id")
      .where("name", "=", "next")
      .executeTakeFirstOrThrow();
    await service.db.updateTable("dev_sessions").set({ branch_id: id }).execute();
    const merge = { branchName: "next", switchToParentBranch: true };
    await service.done("POST", `${build}/merge`, merge);
    const of = async (calls: ModelCalls) =>
      (await calls.done("GET", "/api/v1/deployments/1/build-status"))["branchName"];
    expect([await of(service), await of(service.as(key))]).toEqual([dev, "next"]);
  });

  it("of a deleted branch without a parent become the deploy branch", async () => {
    await service.done("POST", `${build}/branches`, { name: "next" });
    const dev = await service.enter();
    await service.put("x", "model/x.txt");
    await service.done("PUT", "/api/v1/deployments/1", { deployBranchName: "next" });
    await service.done("DELETE", `${build}/branches?branchName=main`);
    const { items } = await service.done("GET", `${build}/branches`);
    expect(items).toMatchObject([{ name: dev, parentBranch: "next" }, { name: "next" }]);
    expect((items as readonly object[])[1]).not.toHaveProperty("parentBranch");
    await service.done("POST", `${build}/commit`, { branchName: dev });
    expect(await service.hashes("next")).toContain("model/x.txt");
  });
});

describe("a conflict", () => {
  const path = "model/a.txt";

  /** Creates a dev branch with a conflict in one file and another change, and returns it. */
  async function conflicting(): Promise<string> {
    await service.enter();
    await service.put("base", path);
    await service.commit();
    const dev = await service.enter();
    await service.enter();
    await service.put("parent", path);
    await service.put("new", "model/parent.txt");
    await service.commit();
    await service.put("mine", path, { branchName: dev });
    return dev;
  }

  it.each([
    ["pull", "ours", "mine"],
    ["pull", "theirs", "parent"],
    ["commit", "ours", "mine"],
    ["commit", "theirs", "parent"],
  ])("of a %s is resolved with %s, and the branch is committed", async (call, side, kept) => {
    const branchName = await conflicting();
    const refused = await service.send("POST", `${build}/${call}`, { branchName });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "merge_conflict", details: { files: [path] } },
    });
    expect(JSON.stringify(refused.body)).toContain("resolveMergeConflict");
    await service.done("POST", `${build}/${call}`, { branchName, resolveMergeConflict: side });
    if (call === "pull") {
      expect((await service.texts(branchName))[path]).toBe(kept);
      await service.done("POST", `${build}/commit`, { branchName });
    }
    expect(await service.texts("main")).toMatchObject({ [path]: kept, "model/parent.txt": "new" });
  });

  it("where one side deleted the file is resolved too", async () => {
    const dev = await conflicting();
    await service.done("DELETE", files, { files: [{ path }], branchName: dev });
    const pull = { branchName: dev, resolveMergeConflict: "ours" };
    await service.done("POST", `${build}/pull`, pull);
    expect(await service.hashes(dev)).not.toContain(path);
  });
});
