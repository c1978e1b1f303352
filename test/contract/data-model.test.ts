// Files, branches, dev mode, uploads, validation and builds of a deployment's data model.
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepDataModels } from "../../service/areas/data-model/sweep.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const build = "/build/api/v1/deployments/1";
const files = `${build}/data-model/files`;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const send = (method: string, path: string, body?: object, key?: string) =>
  service.send(method, path, {
    ...(body && { body }),
    ...(key !== undefined && { key }),
  }) as Promise<Answer>;

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: object): Promise<Answer["body"]> {
  const answer = await send(method, path, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

const enter = async (branchName = "main") =>
  String((await done("POST", `${build}/dev-mode`, { branchName }))["branchName"]);
const put = (content: string, path = "model/cubes/orders.yml", target: object = {}) =>
  send("PUT", files, { files: [{ path, content }], ...target });
const hashes = async (branch = "") =>
  Object.keys(
    await done("GET", `${build}/data-model/file-hashes${branch && `?branchName=${branch}`}`),
  );
const commit = (message = "Change") => send("POST", `${build}/commit`, { message });
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

const orders = (dimensions: readonly string[] = ["id"]) =>
  [
    "cubes:",
    "  - name: orders",
    "    sql_table: orders",
    "    dimensions:",
    ...dimensions.map((name) => `      - { name: ${name}, sql: ${name}, type: string }`),
    "",
  ].join("\n");

describe("files", () => {
  it("are written only on personal dev-mode branches", async () => {
    const refused = await put(orders());
    expect([refused.status, refused.body["message"]]).toEqual([
      400,
      expect.stringContaining("enter dev mode"),
    ]);
    await done("POST", `${build}/branches`, { name: "shared", activate: true });
    for (const target of [
      {},
      { branchName: "" },
      { branchName: "shared" },
      { branchName: "main" },
    ]) {
      const answer = await put(orders(), "model/a.yml", target);
      expect([answer.status, answer.body["message"]]).toEqual([
        400,
        expect.stringContaining("branch is not a dev-mode branch"),
      ]);
    }
    const dev = await enter();
    expect(dev).toMatch(/^dev-/);
    expect((await put(orders())).status).toBe(200);
    expect(await hashes()).toEqual(["model/README.md", "model/cubes/orders.yml"]);
    expect(await hashes("main")).toEqual(["model/README.md"]);
  });

  it("are listed as a tree, deleted and renamed, with folders", async () => {
    await enter();
    await put(orders());
    await put("x", "/model/views/a.txt");
    const { items } = await done("GET", `${files}?withContent=true`);
    expect(items).toEqual([
      {
        path: "/model",
        type: "directory",
        children: [
          {
            path: "/model/README.md",
            type: "file",
            encoding: "utf8",
            content: expect.stringContaining("# Data model"),
          },
          {
            path: "/model/cubes",
            type: "directory",
            children: [expect.objectContaining({ content: orders() })],
          },
          {
            path: "/model/views",
            type: "directory",
            children: [expect.objectContaining({ content: "x" })],
          },
        ],
      },
    ]);
    await done("POST", `${files}/rename`, {
      files: [{ path: "model/views", newPath: "model/old" }],
    });
    expect(await hashes()).toContain("model/old/a.txt");
    const taken = { files: [{ path: "model/old/a.txt", newPath: "model/README.md" }] };
    expect((await send("POST", `${files}/rename`, taken)).status).toBe(409);
    await done("DELETE", files, { files: [{ path: "/model/old" }, { path: "none" }] });
    expect(await hashes()).toEqual(["model/README.md", "model/cubes/orders.yml"]);
  });

  it.each([
    "../a",
    "a/../b",
    "a//b",
    "a\\b",
    ".git/config",
    "a/.GIT/b",
    "c:d",
    "a.",
    "a\nb",
    "é/".repeat(300),
  ])("with the path %j are refused", async (path) => {
    await enter();
    expect((await put("x", path)).status).toBe(400);
  });

  it("that differ only in case, or are a folder of another, are refused", async () => {
    await enter();
    await put("x", "model/A.yml");
    expect((await put("x", "model/a.yml")).body["message"]).toContain("differ only in case");
    expect((await put("x", "model/A.yml/b")).body["message"]).toContain("is a file");
  });
});

describe("branches", () => {
  it("are forked at each entry, committed to their parent, and merged into the deploy branch", async () => {
    await done("POST", `${build}/branches`, { name: "feature" });
    const first = await enter("feature");
    const second = await enter("feature");
    expect(first).not.toBe(second);
    await put(orders());
    expect((await commit("Add orders")).status).toBe(200);
    expect(await hashes("feature")).toContain("model/cubes/orders.yml");
    expect(await hashes("main")).not.toContain("model/cubes/orders.yml");
    const merged = await done("POST", `${build}/merge-to-default`, {
      branchName: "feature",
      message: "Release",
    });
    expect(merged).toEqual({ merged: true, branchDeleted: true });
    expect(await hashes("main")).toContain("model/cubes/orders.yml");
    const { items } = await done("GET", `${build}/branches`);
    // The children of the deleted branch belong to its parent.
    expect(items).toMatchObject([
      { name: second, parentBranch: "main", lastCommit: { message: "Add orders", userId: 1 } },
      { name: first, parentBranch: "main" },
      { name: "main", lastCommit: { message: "Add orders" } },
    ]);
  });

  it("merge changes of different lines, and report files with changes of the same lines", async () => {
    await enter();
    await put(orders(["a", "b", "c", "d", "e"]));
    await commit();
    const mine = await enter();
    const theirs = await enter();
    await put(orders(["a", "b", "c", "d", "changed"]));
    await commit();
    await put(orders(["other", "b", "c", "d", "e"]), undefined, { branchName: mine });
    expect((await send("POST", `${build}/commit`, { branchName: mine })).status).toBe(200);
    const { items } = await done("GET", `${files}?withContent=true&branchName=main`);
    expect(JSON.stringify(items)).toContain("name: other");
    expect(JSON.stringify(items)).toContain("name: changed");

    await put(orders(["mine", "b", "c", "d", "e"]), undefined, { branchName: theirs });
    const conflict = await send("POST", `${build}/commit`, { branchName: theirs });
    expect(conflict).toMatchObject({
      status: 409,
      body: { code: "merge_conflict", details: { files: ["model/cubes/orders.yml"] } },
    });
    // Neither branch changed.
    expect(
      JSON.stringify((await done("GET", `${files}?withContent=true&branchName=main`))["items"]),
    ).toContain("other");
  });

  it("never undo changes that the branch has not seen, whatever the order of forks, pulls and merges", async () => {
    await done("POST", `${build}/branches`, { name: "shared" });
    const dev = await enter("shared");
    // The deploy branch moves on, and the shared branch pulls it, but the fork does not.
    await enter("main");
    await put("new", "model/new.txt");
    await commit();
    await done("POST", `${build}/pull`, { branchName: "shared" });
    await put("mine", "model/mine.txt", { branchName: dev });
    await done("POST", `${build}/merge-to-default`, { branchName: dev, message: "Direct" });
    expect(await hashes("main")).toEqual(["model/README.md", "model/mine.txt", "model/new.txt"]);
  });

  it("are deleted with their sessions, except the deploy branch", async () => {
    expect((await send("DELETE", `${build}/branches?branchName=main`)).status).toBe(400);
    expect((await send("DELETE", `${build}/branches?branchName=none`)).status).toBe(404);
    expect((await send("DELETE", `${build}/branches?branchName=`)).status).toBe(400);
    const dev = await enter();
    await done("DELETE", `${build}/branches?branchName=${dev}`);
    expect((await put("x")).status).toBe(400);
  });

  it("belong to a session of one credential", async () => {
    await enter();
    await put("x", "model/x.txt");
    const other = await service.key({});
    const { body } = await send("GET", `${build}/data-model/file-hashes`, undefined, other);
    expect(Object.keys(body)).toEqual(["model/README.md"]);
    await done("DELETE", `${build}/dev-mode`);
    expect(await hashes()).toEqual(["model/README.md"]);
  });
});

/** Uploads a file as `multipart/form-data`. */
async function uploadFile(id: string, fileName: string, content: string): Promise<number> {
  const form = new FormData();
  form.set("transaction", JSON.stringify({ id }));
  form.set("fileName", fileName);
  form.set("file", new Blob([content]), "file");
  const response = await fetch(`${service.url}${build}/data-model/upload/file`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.adminKey}` },
    body: form,
  });
  return response.status;
}

const start = async () => {
  const { transaction } = await done("POST", `${build}/data-model/upload/start`);
  return (transaction as { id: string }).id;
};
const finish = (id: string, contents: Readonly<Record<string, string>>, more: object = {}) =>
  send("POST", `${build}/data-model/upload/finish`, {
    transaction: { id },
    files: Object.fromEntries(
      Object.entries(contents).map(([path, text]) => [path, { hash: sha1(text) }]),
    ),
    ...more,
  });

describe("uploads", () => {
  it("replace the files of the branch in one step, and keep missing ones on request", async () => {
    const id = await start();
    expect(await uploadFile(id, "model/a.txt", "a")).toBe(204);
    expect(await hashes()).toEqual(["model/README.md"]);
    expect((await finish(id, { "model/a.txt": "a" }, { autoRemoveFiles: false })).status).toBe(200);
    expect(await hashes()).toEqual(["model/README.md", "model/a.txt"]);
    // A file that is on the branch already needs no upload.
    const next = await start();
    await uploadFile(next, "model/b.txt", "b");
    await finish(next, { "model/a.txt": "a", "model/b.txt": "b" });
    expect(await hashes()).toEqual(["model/a.txt", "model/b.txt"]);
  });

  it("name files that were not sent, and end only once", async () => {
    const id = await start();
    const missing = await finish(id, { "model/a.txt": "a" });
    expect(missing).toMatchObject({ status: 400, body: { details: { files: ["model/a.txt"] } } });
    await uploadFile(id, "model/a.txt", "other");
    expect((await finish(id, { "model/a.txt": "a" })).status).toBe(400);
    await uploadFile(id, "model/a.txt", "a");
    expect((await finish(id, { "model/a.txt": "a" })).status).toBe(200);
    expect((await finish(id, { "model/a.txt": "a" })).status).toBe(404);
    expect(await uploadFile(id, "model/b.txt", "b")).toBe(404);
  });

  it("of two at once, one succeeds and the other gets a conflict", async () => {
    const ids = [await start(), await start()];
    await Promise.all(ids.map((id, index) => uploadFile(id, "model/a.txt", `${index}`)));
    const ended = await Promise.all(
      ids.map((id, index) => finish(id, { "model/a.txt": `${index}` })),
    );
    expect(ended.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = ended.findIndex((one) => one.status === 200);
    const { "model/a.txt": kept } = await done("GET", `${build}/data-model/file-hashes`);
    expect(kept).toEqual({ hash: sha1(`${winner}`) });
  });

  it("to a read-only deploy branch are refused", async () => {
    await done("PUT", "/api/v1/deployments/1", { deployBranchReadOnly: true });
    expect((await send("POST", `${build}/data-model/upload/start`)).status).toBe(409);
  });
});

/** Waits for a build to end. */
async function status(query = ""): Promise<Answer["body"]> {
  for (let left = 200; ; left--) {
    const body = await done("GET", `/api/v1/deployments/1/build-status${query}`);
    if (body["status"] !== "building" || body["buildJobId"] === undefined || left === 0)
      return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("builds and validation", () => {
  it("report every error with file, line and column, and build a corrected model", async () => {
    const dev = await enter();
    await put(orders(["id"]).replace("sql_table", "sql_tabel"));
    const report = await done("GET", `${build}/data-model/validate?devMode=true`);
    expect(report).toMatchObject({
      branchName: dev,
      mode: "dev_mode",
      valid: false,
      errors: [{ fileName: "model/cubes/orders.yml", line: 3, column: 5 }],
    });
    expect(await status()).toMatchObject({
      mode: "dev_mode",
      status: "failed",
      errorText: expect.stringContaining("model/cubes/orders.yml:3:5"),
    });
    await put(orders());
    expect(await status()).toMatchObject({ status: "built" });
    await commit();
    expect(await status("?branchName=main")).toMatchObject({ mode: "production", status: "built" });
    expect(await done("GET", `${build}/data-model/validate`)).toMatchObject({
      branchName: "main",
      mode: "production",
      valid: true,
      errors: [],
      cubesCount: 1,
    });
  });

  it("answer for unknown and unserved branches", async () => {
    await done("POST", `${build}/branches`, { name: "shared" });
    expect(await status("?branchName=none")).toMatchObject({
      status: "building",
      errorText: "Bad branch",
    });
    expect(await status("?branchName=shared")).toMatchObject({
      status: "building",
      errorText: "Branch is not active",
    });
    expect(
      (await send("GET", `${build}/data-model/validate?branchName=main&devMode=true`)).status,
    ).toBe(400);
  });

  it("are superseded by newer ones", async () => {
    await enter();
    for (const name of ["a", "b", "c"]) await put(orders([name]));
    expect(await status()).toMatchObject({ status: "built" });
    const rows = await service.db.selectFrom("builds").select(["status", "branch_id"]).execute();
    expect(rows.filter((row) => row.status === "building" || row.status === "queued")).toEqual([]);
  });

  it("follow the deploy branch", async () => {
    await enter();
    await put(orders());
    await done("PUT", "/api/v1/deployments/1", { deployBranchName: "next" });
    expect(await status("?branchName=next")).toMatchObject({ mode: "production", status: "built" });
    expect((await send("DELETE", `${build}/branches?branchName=main`)).status).toBe(200);
  });
});

describe("the sweep", () => {
  const count = async (table: "model_trees" | "model_contents" | "uploads" | "model_commits") =>
    (await service.db.selectFrom(table).selectAll().execute()).length;

  it("deletes files that no branch and no merge needs, and nothing else", async () => {
    await done("POST", `${build}/branches`, { name: "old" });
    const late = await enter();
    await put("late", "model/late.txt");
    await done("DELETE", `${build}/dev-mode`);
    for (let number = 0; number < 70; number++) {
      const id = await start();
      await uploadFile(id, "model/a.txt", `${number}`);
      await finish(id, { "model/a.txt": `${number}` }, { autoRemoveFiles: false });
    }
    await uploadFile(await start(), "model/b.txt", "unfinished");
    await sweepDataModels(service.db, new Date(Date.now() + 2 * 86_400_000));
    expect(await count("uploads")).toBe(0);
    // Those of the branches, the builds that are kept, and the base of the merges.
    expect(await count("model_trees")).toBeLessThan(30);
    expect(await count("model_contents")).toBeLessThan(30);
    const merged = { branchName: late, message: "Late" };
    expect(await done("POST", `${build}/merge-to-default`, merged)).toMatchObject({ merged: true });
    expect(await hashes("main")).toEqual(["model/README.md", "model/a.txt", "model/late.txt"]);
    expect(await done("POST", `${build}/pull`, { branchName: "old" })).toEqual({
      buildTriggered: false,
    });
    expect(await hashes("old")).toEqual(["model/README.md", "model/a.txt", "model/late.txt"]);
  });
});
