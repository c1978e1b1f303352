// Tests files, validation and builds of a deployment's data model, and the cleanup of unused files.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { sweepDataModels } from "../../service/areas/data-model/sweep.ts";
import {
  build,
  files,
  type ModelService,
  orders,
  startModelService,
} from "./data-model-service.ts";

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
});
afterEach(async () => service.close());

describe("files", () => {
  it("are written only on personal dev-mode branches", async () => {
    const refused = await service.put(orders());
    expect([refused.status, refused.body["message"]]).toEqual([
      400,
      expect.stringContaining("enter dev mode"),
    ]);
    await service.done("POST", `${build}/branches`, { name: "shared", activate: true });
    for (const target of [
      {},
      { branchName: "" },
      { branchName: "shared" },
      { branchName: "main" },
    ]) {
      const { status, body } = await service.put(orders(), "model/a.yml", target);
      expect([status, body["message"]]).toEqual([
        400,
        expect.stringContaining("branch is not a dev-mode branch"),
      ]);
    }
    const dev = await service.enter();
    expect(dev).toMatch(/^dev-/);
    expect((await service.put(orders())).status).toBe(200);
    expect(await service.hashes()).toEqual(["model/README.md", "model/cubes/orders.yml"]);
    expect(await service.hashes("main")).toEqual(["model/README.md"]);
  });

  it("are listed as a tree, deleted and renamed, with folders", async () => {
    await service.enter();
    await service.put(orders());
    await service.put("x", "/model/views/a.txt");
    const { items } = await service.done("GET", `${files}?withContent=true`);
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
    await service.done("POST", `${files}/rename`, {
      files: [{ path: "model/views", newPath: "model/old" }],
    });
    expect(await service.hashes()).toContain("model/old/a.txt");
    const taken = { files: [{ path: "model/old/a.txt", newPath: "model/README.md" }] };
    expect((await service.send("POST", `${files}/rename`, taken)).status).toBe(409);
    await service.done("DELETE", files, { files: [{ path: "/model/old" }, { path: "none" }] });
    expect(await service.hashes()).toEqual(["model/README.md", "model/cubes/orders.yml"]);
  });

  it("are listed in pages of the top level, each with its own contents", async () => {
    await service.enter();
    for (const path of ["a/b.txt", "a.txt", "z/y.txt", "a/c/d.txt", "Z.txt"])
      await service.put(path, path);
    const all = `${files}?withContent=true`;
    const { items } = await service.done("GET", all);
    const paths = (items as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(["/Z.txt", "/a.txt", "/a", "/model", "/z"]);
    const found: unknown[] = [];
    let after = "";
    for (let page = 0; page < 3; page++) {
      const answer = await service.done("GET", `${all}&first=2${after}`);
      const { pageInfo } = answer as { pageInfo: { endCursor: string; hasNextPage: boolean } };
      found.push(...(answer["items"] as unknown[]));
      expect(pageInfo.hasNextPage).toBe(page < 2);
      after = `&after=${pageInfo.endCursor}`;
    }
    expect(found).toEqual(items);
    expect(await service.done("GET", `${files}?showLastCLIUpload=true`)).toMatchObject({
      items: [],
    });
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
    await service.enter();
    expect((await service.put("x", path)).status).toBe(400);
  });

  it("that differ only in case, or are a folder of another, are refused", async () => {
    await service.enter();
    await service.put("x", "model/A.yml");
    expect((await service.put("x", "model/a.yml")).body["message"]).toContain(
      "differ only in case",
    );
    expect((await service.put("x", "model/A.yml/b")).body["message"]).toContain("is a file");
  });
});

describe("builds and validation", () => {
  it("report every error with file, line and column, and build a corrected model", async () => {
    const dev = await service.enter();
    await service.put(orders(["id"]).replace("sql_table", "sql_tabel"));
    const report = await service.done("GET", `${build}/data-model/validate?devMode=true`);
    expect(report).toMatchObject({
      branchName: dev,
      mode: "dev_mode",
      valid: false,
      errors: [{ fileName: "model/cubes/orders.yml", line: 3, column: 5 }],
    });
    expect(await service.buildEnded()).toMatchObject({
      mode: "dev_mode",
      status: "failed",
      errorText: expect.stringContaining("model/cubes/orders.yml:3:5"),
    });
    const ids = Array.from({ length: 21 }, (_, at) => `i ${at}`);
    await service.put(orders(ids));
    const { errorText } = await service.buildEnded();
    expect(String(errorText).split("\n").at(-1)).toBe("and 1 more error");
    await service.put(orders());
    expect(await service.buildEnded()).toMatchObject({ status: "built" });
    await service.commit();
    expect(await service.buildEnded("main")).toMatchObject({
      mode: "production",
      status: "built",
    });
    expect(await service.done("GET", `${build}/data-model/validate`)).toMatchObject({
      branchName: "main",
      mode: "production",
      valid: true,
      errors: [],
      cubesCount: 1,
    });
  });

  it("validate files of a request with those of the deploy branch, and store nothing", async () => {
    const check = (body: object, key = service.adminKey) =>
      service.as(key).send("POST", "/build/api/v1/data-model/validate", { files: [], ...body });
    const view = "views:\n  - name: sales\n    cubes: [{ join_path: orders, includes: [id] }]\n";
    const sent = [{ path: "/model/views/sales.yml", content: view }];
    const missing = {
      message: expect.stringContaining("orders"),
      fileName: "model/views/sales.yml",
    };
    expect(await check({ files: sent })).toMatchObject({
      status: 200,
      body: { valid: false, errors: [{ ...missing, line: 3 }], errorCount: 1 },
    });
    await service.enter();
    await service.put(orders());
    await service.commit();
    const rows = () => service.db.selectFrom("model_contents").select("id").execute();
    const before = await rows();
    const valid = { status: 200, body: { valid: true, errors: [], cubesCount: 2 } };
    expect(await check({ deploymentId: 1, files: sent })).toMatchObject(valid);
    const path = "model/cubes/orders.yml";
    const encoded = Buffer.from(orders(["id", "state"])).toString("base64");
    const changed = [...sent, { path, content: encoded, encoding: "base64" }];
    expect(await check({ deploymentId: 1, files: changed })).toMatchObject(valid);
    expect(await check({ deploymentId: 1, files: sent, removedPaths: [path] })).toMatchObject({
      body: { valid: false, errors: [missing] },
    });
    expect(await rows()).toEqual(before);
    for (const wrong of ["../a.yml", "model/CUBES/orders.yml"]) {
      const body = {
        deploymentId: 1,
        files: [
          { path, content: "" },
          { path: wrong, content: "" },
        ],
      };
      expect((await check(body)).status).toBe(400);
    }
    const large = "a".repeat(limits.modelFileBytes + 1);
    expect((await check({ files: [{ path, content: large }] })).status).toBe(413);
    const deployment = { name: "other", region: "aws-us-east-1" };
    const { id } = await service.done("POST", "/build/api/v1/deployments", deployment);
    const other = await service.key({ deploymentIds: [Number(id)] });
    expect((await check({ deploymentId: 1 }, other)).status).toBe(403);
    expect((await check({ deploymentId: 99 })).status).toBe(404);
  });

  it("read seed files as tables, and name the file and line of what is wrong", async () => {
    await service.enter();
    const put = (contents: Readonly<Record<string, string>>) => {
      const sent = Object.entries(contents).map(([path, content]) => ({ path, content }));
      return service.done("PUT", files, { files: sent });
    };
    await put({ "model/cubes/orders.yml": orders(), "seeds/orders.csv": "id,name\n1,a\n" });
    expect(await service.buildEnded()).toMatchObject({ status: "built" });
    const rows = Array.from({ length: 30_000 }, (_, id) => `${id},n`).join("\n");
    await put({
      "seeds/ORDERS.parquet": "none",
      "seeds/parts.csv": "",
      "seeds/users.csv": `id,name\n${rows}\n1,a,b\n`,
    });
    const { status, errorText } = await service.buildEnded();
    const text = String(errorText);
    expect([status, text.split("\n").map((line) => line.slice(0, 100))]).toEqual([
      "failed",
      [
        expect.stringContaining(
          "seeds/ORDERS.parquet:1:1: the seed file of the table ORDERS cannot be read: ",
        ),
        "seeds/orders.csv:1:1: it is the same table as seeds/ORDERS.parquet; rename one of the files",
        "seeds/parts.csv:1:1: the seed file of the table parts cannot be read: it is empty; give it a header",
        expect.stringContaining(
          "seeds/users.csv:30002:1: the seed file of the table users cannot be read: ",
        ),
      ],
    ]);
    // Files of a request are checked with the seeds of the deployment.
    const sent = { deploymentId: 1, files: [{ path: "seeds/more.csv", content: "a,b\n1\n" }] };
    expect(await service.done("POST", "/build/api/v1/data-model/validate", sent)).toMatchObject({
      valid: false,
      errors: [{ fileName: "seeds/more.csv", line: 2 }],
      errorCount: 1,
    });
    const quoted = { files: [{ path: "seeds/more.csv", content: 'a,b\n"1"x,2\n' }] };
    expect(await service.done("POST", "/build/api/v1/data-model/validate", quoted)).toMatchObject({
      errors: [{ fileName: "seeds/more.csv", line: 2, column: 4 }],
    });
  });

  it("answer for unknown and unserved branches", async () => {
    await service.done("POST", `${build}/branches`, { name: "shared" });
    expect(await service.buildEnded("none")).toMatchObject({
      status: "building",
      errorText: "Bad branch",
    });
    expect(await service.buildEnded("shared")).toMatchObject({
      status: "building",
      errorText: "Branch is not active",
    });
    expect(
      (await service.send("GET", `${build}/data-model/validate?branchName=main&devMode=true`))
        .status,
    ).toBe(400);
  });

  it("are superseded by newer ones", async () => {
    await service.enter();
    for (const name of ["a", "b", "c"]) await service.put(orders([name]));
    expect(await service.buildEnded()).toMatchObject({ status: "built" });
    const rows = await service.db.selectFrom("builds").select(["status", "branch_id"]).execute();
    expect(rows.filter((row) => row.status === "building" || row.status === "queued")).toEqual([]);
  });

  it("follow the deploy branch", async () => {
    await service.enter();
    await service.put(orders());
    await service.done("PUT", "/api/v1/deployments/1", { deployBranchName: "next" });
    expect(await service.buildEnded("next")).toMatchObject({
      mode: "production",
      status: "built",
    });
    expect((await service.send("DELETE", `${build}/branches?branchName=main`)).status).toBe(200);
  });
});

describe("the sweep", () => {
  const count = async (table: "model_trees" | "model_contents" | "uploads" | "model_commits") =>
    (await service.db.selectFrom(table).selectAll().execute()).length;

  it("deletes files that no branch and no merge needs, and nothing else", async () => {
    await service.done("POST", `${build}/branches`, { name: "old" });
    const late = await service.enter();
    await service.put("late", "model/late.txt");
    await service.done("DELETE", `${build}/dev-mode`);
    for (let number = 0; number < 70; number++) {
      const id = await service.start();
      await service.uploadFile(id, "model/a.txt", `${number}`);
      await service.finish(id, { "model/a.txt": `${number}` }, { autoRemoveFiles: false });
    }
    await service.uploadFile(await service.start(), "model/b.txt", "unfinished");
    await sweepDataModels(service.db, new Date(Date.now() + 2 * 86_400_000));
    expect(await count("uploads")).toBe(0);
    // The trees of the branches, of the kept builds, and of the base of the merges.
    expect(await count("model_trees")).toBeLessThan(30);
    expect(await count("model_contents")).toBeLessThan(30);
    const merged = { branchName: late, message: "Late" };
    expect(await service.done("POST", `${build}/merge-to-default`, merged)).toMatchObject({
      merged: true,
    });
    expect(await service.hashes("main")).toEqual([
      "model/README.md",
      "model/a.txt",
      "model/late.txt",
    ]);
    expect(await service.done("POST", `${build}/pull`, { branchName: "old" })).toEqual({
      buildTriggered: false,
    });
    expect(await service.hashes("old")).toEqual([
      "model/README.md",
      "model/a.txt",
      "model/late.txt",
    ]);
  });

  it("deletes the branches of killed applies once they are old, unless someone uses them", async () => {
    const names = ["svc-apply-1", "svc-apply-2", "svc-apply-3", "release"];
    for (const name of names) await service.done("POST", `${build}/branches`, { name });
    await service.enter("svc-apply-2");
    const staging = { enabled: true, branchName: "svc-apply-3" };
    await service.done("PUT", `${build}/branches/staging-environment`, staging);
    const left = async (time: number) => {
      await sweepDataModels(service.db, new Date(time));
      const { items } = await service.done("GET", `${build}/branches`);
      return (items as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => names.includes(name))
        .toSorted();
    };
    expect(await left(Date.now() + limits.temporaryBranchMs - 60_000)).toEqual(names.toSorted());
    expect(await left(Date.now() + limits.temporaryBranchMs + 60_000)).toEqual([
      "release",
      "svc-apply-2",
      "svc-apply-3",
    ]);
  });

  it("ends the dev-mode sessions of deleted credentials alone", async () => {
    await service.done("POST", `${build}/dev-mode`, { branchName: "main" });
    const session = await service.db
      .selectFrom("dev_sessions")
      .selectAll()
      .executeTakeFirstOrThrow();
    const credentials = ["key:1000000", "session:1000000"];
    const ended = credentials.map((credential) => ({ ...session, credential }));
    await service.db.insertInto("dev_sessions").values(ended).execute();
    await sweepDataModels(service.db, new Date());
    const left = await service.db.selectFrom("dev_sessions").selectAll().execute();
    expect(left).toEqual([session]);
  });

  it("continues when the history of one deployment cannot be read", async () => {
    const created = await service.send("POST", "/build/api/v1/deployments", {
      name: "other",
      region: "aws-us-east-1",
    });
    expect(created.status).toBe(200);
    const head = await service.db
      .selectFrom("branches")
      .select(["tree_id", "head_id"])
      .where("deployment_id", "=", 1)
      .executeTakeFirstOrThrow();
    const commits = Array.from({ length: 70 }, () => ({
      deployment_id: 1,
      tree_id: head.tree_id,
      first_parent_id: head.head_id,
      message: "x",
      created_at: new Date().toISOString(),
    }));
    await service.db.insertInto("model_commits").values(commits).execute();
    await service.done("POST", `${build}/branches`, { name: "broken" });
    // A head that is not a commit.
    const broken = service.db.updateTable("branches").where("name", "=", "broken");
    await broken.set({ head_id: 1_000_000 }).execute();
    await service.start();
    const later = new Date(Date.now() + 2 * 86_400_000);
    await expect(sweepDataModels(service.db, later)).rejects.toThrow("1 deployment");
    expect(await count("uploads")).toBe(0);
  });
});
