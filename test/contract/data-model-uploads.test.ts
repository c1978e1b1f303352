// Uploads to a data model: start, file and finish.
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { build, type ModelService, sha1, startModelService } from "./data-model-service.ts";

let service: ModelService;

beforeEach(async () => {
  service = await startModelService();
});
afterEach(async () => service.close());

const sizeOf = (id: string) =>
  service.db
    .selectFrom("uploads")
    .select(["file_count", "file_bytes"])
    .where("id", "=", id)
    .executeTakeFirst();

describe("uploads", () => {
  it("replace the files of the branch in one step, and keep missing ones on request", async () => {
    const id = await service.start();
    expect(await service.uploadFile(id, "model/a.txt", "a")).toBe(204);
    expect(await service.hashes()).toEqual(["model/README.md"]);
    expect(
      (await service.finish(id, { "model/a.txt": "a" }, { autoRemoveFiles: false })).status,
    ).toBe(200);
    expect(await service.hashes()).toEqual(["model/README.md", "model/a.txt"]);
    // A file that is already on the branch needs no upload.
    const next = await service.start();
    await service.uploadFile(next, "model/b.txt", "b");
    await service.finish(next, { "model/a.txt": "a", "model/b.txt": "b" });
    expect(await service.hashes()).toEqual(["model/a.txt", "model/b.txt"]);
  });

  it("end on the branch that the query or the body repeats, and refuse another one", async () => {
    const finish = (id: string, query: string, branchName?: string) =>
      service.send("POST", `${build}/data-model/upload/finish${query}`, {
        transaction: { id },
        files: { "model/a.txt": { hash: sha1("a") } },
        ...(branchName !== undefined && { branchName }),
      });
    const begin = async () => {
      const id = await service.start();
      await service.uploadFile(id, "model/a.txt", "a");
      return id;
    };
    const id = await begin();
    expect((await finish(id, "?branchName=other")).status).toBe(400);
    expect((await finish(id, "?branchName=main", "other")).status).toBe(400);
    expect((await finish(id, "?branchName=main")).status).toBe(200);
    expect((await finish(await begin(), "?branchName=main", "main")).status).toBe(200);
    expect((await finish(await begin(), "", "main")).status).toBe(200);
    const start = `${build}/data-model/upload/start?branchName=main`;
    expect((await service.send("POST", start, { branchName: "other" })).status).toBe(400);
  });

  it("refuse a file without a valid hash", async () => {
    const id = await service.start();
    for (const file of [null, {}, { hash: "a" }]) {
      const answer = await service.finish(id, {}, { files: { "model/a.txt": file } });
      expect(answer.status).toBe(400);
    }
  });

  it("name files that were not sent, and end only once", async () => {
    const id = await service.start();
    const missing = await service.finish(id, { "model/a.txt": "a" });
    expect(missing).toMatchObject({ status: 400, body: { details: { files: ["model/a.txt"] } } });
    await service.uploadFile(id, "model/a.txt", "other");
    expect((await service.finish(id, { "model/a.txt": "a" })).status).toBe(400);
    await service.uploadFile(id, "model/a.txt", "a");
    expect((await service.finish(id, { "model/a.txt": "a" })).status).toBe(200);
    expect((await service.finish(id, { "model/a.txt": "a" })).status).toBe(404);
    expect(await service.uploadFile(id, "model/b.txt", "b")).toBe(404);
  });

  it("of two concurrent ones, one succeeds and the other gets a conflict", async () => {
    const other = service.as(await service.key({}));
    const ids = [await service.start(), await other.start()];
    await Promise.all(ids.map((id, index) => service.uploadFile(id, "model/a.txt", `${index}`)));
    const ended = await Promise.all(
      ids.map((id, index) => service.finish(id, { "model/a.txt": `${index}` })),
    );
    expect(ended.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = ended.findIndex(({ status }) => status === 200);
    const { "model/a.txt": kept } = await service.done("GET", `${build}/data-model/file-hashes`);
    expect(kept).toEqual({ hash: sha1(`${winner}`) });
  });

  it("facts 4 and 6: take live, useDeployProjectRoot and showLastCLIUpload", async () => {
    const model = `${build}/data-model`;
    const id = await service.start();
    await service.uploadFile(id, "model/a.txt", "a");
    const branchName = await service.enter();
    const onDev = await service.start();
    await service.uploadFile(onDev, "model/b.txt", "b");
    expect((await service.finish(onDev, { "model/b.txt": "b" })).status).toBe(200);
    const hashes = async (query = "") =>
      Object.keys(await service.done("GET", `${model}/file-hashes${query}`));
    expect(await hashes()).toEqual(["model/b.txt"]);
    expect(await hashes("?live=true&useDeployProjectRoot=true")).toEqual(["model/README.md"]);
    const both = `${model}/file-hashes?live=true&branchName=${branchName}`;
    expect((await service.send("GET", both)).status).toBe(400);
    const started = await service.done("POST", `${model}/upload/start?live=true`, {});
    const { id: live } = started["transaction"] as { id: string };
    await service.uploadFile(live, "model/c.txt", "c");
    expect((await service.finish(live, { "model/c.txt": "c" })).status).toBe(200);
    expect(await hashes("?branchName=main")).toEqual(["model/c.txt"]);
    // Later changes are not part of the upload.
    await service.put("x", "model/later.yml");
    const listed = async (query: string) => {
      const { items } = await service.done("GET", `${model}/files?${query}`);
      const [folder] = items as readonly { children: readonly { path: string }[] }[];
      return folder?.children.map(({ path }) => path);
    };
    expect(await listed("")).toEqual(["/model/b.txt", "/model/later.yml"]);
    expect(await listed("showLastCLIUpload=true")).toEqual(["/model/b.txt"]);
    await service.done("POST", `${build}/branches`, { name: "other", from: "main" });
    expect(await listed("showLastCLIUpload=true&branchName=other")).toBeUndefined();
  });

  it("to a read-only deploy branch are refused", async () => {
    await service.done("PUT", "/api/v1/deployments/1", { deployBranchReadOnly: true });
    expect((await service.send("POST", `${build}/data-model/upload/start`)).status).toBe(409);
  });

  it("of one credential to one branch replace each other, so that failed ones lock no one out", async () => {
    const first = await service.start();
    for (let number = 0; number < 25; number++) await service.start();
    expect((await service.finish(first, {})).status).toBe(404);
    expect(await service.db.selectFrom("uploads").select("id").execute()).toHaveLength(1);
  });

  it("have a bound on the bytes of a file, on all bytes and on the number of files", async () => {
    const large = "x".repeat(limits.modelFileBytes + 1);
    expect((await service.put(large)).status).toBe(400);
    const id = await service.start();
    expect(await service.uploadFile(id, "model/large.txt", large)).toBe(413);
    expect(await service.uploadFile(id, "model/first.txt", "a")).toBe(204);
    expect(await sizeOf(id)).toEqual({ file_count: 1, file_bytes: 1 });
    // Simulates many files, which would take minutes to send.
    const resize = (size: { file_count: number; file_bytes: number }) =>
      service.db.updateTable("uploads").set(size).where("id", "=", id).execute();
    await resize({ file_count: 1, file_bytes: limits.modelBytes });
    expect(await service.uploadFile(id, "model/second.txt", "b")).toBe(429);
    // A file that replaces one of the same size adds no bytes.
    expect(await service.uploadFile(id, "model/first.txt", "b")).toBe(204);
    await resize({ file_count: limits.modelFiles, file_bytes: 1 });
    expect(await service.uploadFile(id, "model/second.txt", "b")).toBe(429);
    expect(await service.uploadFile(id, "model/first.txt", "a".repeat(10))).toBe(204);
    expect(await sizeOf(id)).toEqual({ file_count: limits.modelFiles, file_bytes: 10 });
    expect(await service.uploadFile(id, "model/first.txt", "a")).toBe(204);
    // The refused files are not part of the upload, which can end.
    expect((await service.finish(id, { "model/first.txt": "a" })).status).toBe(200);
  });

  it("count a file once that several requests send at the same time", async () => {
    const id = await service.start();
    const sent = Array.from({ length: 16 }, (_, at) =>
      service.uploadFile(id, "model/a.txt", "x".repeat(at + 1)),
    );
    expect(await Promise.all(sent)).toEqual(sent.map(() => 204));
    const kept = await service.db
      .selectFrom("upload_files")
      .innerJoin("model_contents", "model_contents.id", "upload_files.content_id")
      .select(["path", "bytes as file_bytes"])
      .where("upload_id", "=", id)
      .execute();
    expect(kept).toHaveLength(1);
    expect(await sizeOf(id)).toEqual({ file_count: 1, file_bytes: kept[0]?.file_bytes });
  });

  it("end when the branch changed since their start", async () => {
    const other = service.as(await service.key({}));
    const late = await other.start();
    const id = await service.start();
    await service.uploadFile(id, "model/a.txt", "a");
    await service.finish(id, { "model/a.txt": "a" });
    expect((await other.finish(late, {})).status).toBe(409);
    const next = await service.start();
    const rows = await service.db.selectFrom("uploads").select("id").execute();
    expect(rows).toEqual([{ id: next }]);
  });

  it("go to the first branch that is named, and finish on that branch only", async () => {
    await service.done("POST", `${build}/branches`, { name: "shared" });
    const path = `${build}/data-model/upload/start?branchName=`;
    const started = await service.done("POST", path, { branchName: "shared" });
    const { id } = started["transaction"] as { id: string };
    await service.uploadFile(id, "model/a.txt", "a");
    const refused = await service.finish(id, { "model/a.txt": "a" }, { branchName: "main" });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body["message"]).toContain("shared");
    const named = { branchName: "shared" };
    expect((await service.finish(id, { "model/a.txt": "a" }, named)).status).toBe(200);
    expect(await service.hashes("main")).toEqual(["model/README.md"]);
    expect(await service.hashes("shared")).toEqual(["model/a.txt"]);
  });
});

describe("many files of an upload", () => {
  const sendFiles = (
    id: string,
    contents: readonly (readonly [path: string, content: string | Buffer])[],
  ) =>
    service.send("POST", `${build}/data-model/upload/files`, {
      transaction: { id },
      files: contents.map(([fileName, content]) => ({
        fileName,
        file: Buffer.from(content).toString("base64"),
      })),
    });
  const most = limits.modelFilesPerRequest;
  const many = (count: number, text = "same") =>
    Array.from({ length: count }, (_, at) => [`model/f${at}.txt`, text] as const);

  it("arrive with one call, replace earlier ones, and can be sent again", async () => {
    const id = await service.start();
    await service.uploadFile(id, "model/a.txt", "before");
    const sent = [
      ["model/a.txt", "a"],
      ["/model/b.txt", "first"],
      ["model/b.txt", "b"],
      ["model/c.bin", Buffer.from([0, 255])],
    ] as const;
    for (let times = 0; times < 2; times++) {
      expect((await sendFiles(id, sent)).status).toBe(204);
      expect(await sizeOf(id)).toEqual({ file_count: 3, file_bytes: 4 });
    }
    const hash = createHash("sha1")
      .update(Buffer.from([0, 255]))
      .digest("hex");
    const files = {
      "model/a.txt": { hash: sha1("a") },
      "model/b.txt": { hash: sha1("b") },
      "model/c.bin": { hash },
    };
    expect((await service.finish(id, {}, { files })).status).toBe(200);
    expect(await service.hashes()).toEqual(["model/a.txt", "model/b.txt", "model/c.bin"]);
  });

  it("fail the build, which names a file that would change the rows in other tools", async () => {
    const id = await service.start();
    const code = "module.exports = { queryRewrite: (query) => query };";
    await sendFiles(id, [
      ["cube.js", code],
      ["README.md", "Read me"],
    ]);
    const contents = { "cube.js": code, "README.md": "Read me" };
    expect((await service.finish(id, contents)).status).toBe(200);
    expect(await service.buildEnded()).toMatchObject({
      status: "failed",
      errorText: expect.stringMatching(
        /^cube\.js:1:1: the functions of cube\.js are not run\. Declare an access_policy/,
      ),
    });
  });

  it("build from JavaScript, whose errors name their places", async () => {
    const buildOf = async (script: string) => {
      const id = await service.start();
      const contents = { "model/orders.js": script };
      await sendFiles(id, [["model/orders.js", script]]);
      expect((await service.finish(id, contents)).status).toBe(200);
      return service.buildEnded();
    };
    expect(await buildOf("cube('orders', { sql_table: 'orders' });")).toMatchObject({
      status: "built",
    });
    expect(await buildOf("cube('orders', {\n  sql: `SELECT ${table}`,\n});")).toMatchObject({
      status: "failed",
      errorText: expect.stringMatching(/^model\/orders\.js:2:8: \{table\} is neither a member/),
    });
  });

  it("are bounded by their number, and stored once for equal contents", async () => {
    const id = await service.start();
    expect((await sendFiles(id, many(most + 1))).status).toBe(400);
    expect((await sendFiles(id, [])).status).toBe(400);
    expect((await sendFiles(id, many(most))).status).toBe(204);
    expect(await sizeOf(id)).toEqual({ file_count: most, file_bytes: 4 * most });
    const contents = service.db.selectFrom("model_contents").select("id");
    expect(await contents.where("sha1", "=", sha1("same")).execute()).toHaveLength(1);
  });

  it("arrive all or not at all", async () => {
    const id = await service.start();
    await service.uploadFile(id, "model/f0.txt", "kept");
    const size = { file_count: 1, file_bytes: 4 };
    const large = Buffer.alloc(limits.modelFileBytes + 1, "x");
    for (const [path, content, status] of [
      ["model/../up.txt", "a", 400],
      ["model/large.txt", large, 413],
    ] as const) {
      const refused = await sendFiles(id, [...many(3, "new"), [path, content]]);
      expect(refused).toMatchObject({ status, body: { message: expect.stringContaining(path) } });
      expect(await sizeOf(id)).toEqual(size);
    }
    const full = { file_count: limits.modelFiles - 2, file_bytes: 4 };
    await service.db.updateTable("uploads").set(full).where("id", "=", id).execute();
    // One of them replaces a file.
    expect((await sendFiles(id, many(4, "new"))).status).toBe(429);
    expect(await sizeOf(id)).toEqual(full);
    expect((await service.finish(id, { "model/f0.txt": "kept" })).status).toBe(200);
    const answer = await sendFiles(id, many(1));
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("of two actors do not mix", async () => {
    const other = service.as(await service.key({}));
    const [mine, theirs] = [await service.start(), await other.start()];
    const overlapping = [many(most, "one"), many(most, "two").toReversed()] as const;
    const sent = await Promise.all([
      sendFiles(mine, overlapping[0]),
      sendFiles(theirs, overlapping[1]),
    ]);
    expect(sent.map(({ status }) => status)).toEqual([204, 204]);
    const one = Object.fromEntries(many(most, "one"));
    expect((await other.finish(theirs, one)).status).toBe(400);
    expect((await service.finish(mine, one)).status).toBe(200);
    const two = Object.fromEntries(many(most, "two"));
    expect((await other.finish(theirs, two)).status).toBe(409);
  });
});

describe("a file of an upload", () => {
  const address = `${build}/data-model/upload/file`;

  /** Sends a multipart body and returns the status and message. */
  async function sendForm(form: FormData): Promise<readonly [number, string]> {
    const response = await fetch(`${service.url}${address}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.adminKey}` },
      body: form,
    });
    return [response.status, await response.text()];
  }

  function formOf(id: string, file: string | Blob): FormData {
    const form = new FormData();
    form.set("transaction", JSON.stringify({ id }));
    form.set("fileName", "model/a.txt");
    form.set("file", file);
    return form;
  }

  it("has the bytes of its part, whether or not the part has a file name", async () => {
    for (const file of ["YWJj", new Blob(["YWJj"])]) {
      const id = await service.start();
      expect(await sendForm(formOf(id, file))).toEqual([204, ""]);
      expect((await service.finish(id, { "model/a.txt": "YWJj" })).status).toBe(200);
    }
  });

  it("is refused as a text member, in too many parts, and as invalid base64", async () => {
    const id = await service.start();
    const named = formOf(id, "a");
    named.set("fileName", new Blob(["model/a.txt"]), "name");
    expect(await sendForm(named)).toEqual([400, expect.stringContaining("is a file")]);
    const many = formOf(id, "a");
    for (let part = 0; part < 1000; part++) many.append(`part${part}`, "");
    expect(await sendForm(many)).toEqual([400, expect.stringContaining("more than 3 parts")]);
    for (const file of ["a", "YWJj\n", "!!!!", "YQ"]) {
      const body = { transaction: { id }, fileName: "model/a.txt", file };
      const refused = await service.send("POST", address, body);
      expect([refused.status, refused.body["message"]]).toEqual([
        400,
        expect.stringContaining("base64"),
      ]);
    }
  });
});
