// Connecting a deployment to a Git remote: which remotes and files are accepted, and what is replaced.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { databaseDigest } from "../support/database-digest.ts";
import { lfsPointer, remotesFolder, type TestRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders, sha1 } from "./data-model-service.ts";
import { model, setUpGit } from "./git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const { connect, status, connected, commitModel, createPushed } = setUpGit((...started) => {
  [service, remote] = started;
});

const refused: readonly (readonly [string, string])[] = [
  ["--upload-pack=touch /tmp/x", "white space"],
  ["--upload-pack=x", "must be https"],
  ["ext::sh", "must be https"],
  ["ssh://-oProxyCommand=x/y", "must be https"],
  ["git@-host:x", "hyphen"],
  ["https://user:hunter2@example.com/x", "user name or password"],
  ["https://127.0.0.2/x", "private address"],
  ["https://[::1]/x", "private address"],
  ["https://2130706434/x", "private address"],
  ["https://localhost/x", "private address"],
  ["https://169.254.169.254/latest", "private address"],
  ["http://example.com/x", "plain HTTP"],
  ["git://example.com/x", "must be https"],
  ["/etc", "operator does not allow"],
  ["file:///etc", "operator does not allow"],
  [`${remotesFolder}/../..`, "operator does not allow"],
];

describe("connecting", () => {
  it("client area Git provider, connect: clones the repository and triggers the first build", async () => {
    await connected({ "README.md": "Shop\n" });
    expect(await service.texts("main")).toEqual({ [model]: orders(), "README.md": "Shop\n" });
    expect(await status()).toMatchObject({
      remoteUrl: remote.path,
      branch: "main",
      status: "synced",
      hasCredential: false,
      branches: [
        { name: "main", status: "synced", commit: remote.git("rev-parse", "main").trim() },
      ],
    });
    const built = await service.done("GET", "/api/v1/deployments/1/build-status");
    expect(built).toMatchObject({ branchName: "main" });
    expect(["building", "built"]).toContain(built["status"]);
  });

  it("chooses the default branch of the remote, or the named one", async () => {
    remote.commit({ [model]: orders() }, "Begin", "trunk");
    remote.commit({ [model]: orders(["id", "next"]) }, "Begin", "next");
    remote.git("symbolic-ref", "HEAD", "refs/heads/trunk");
    expect((await connect()).body).toMatchObject({ branch: "trunk" });
    expect((await connect({ branch: "next" })).body).toMatchObject({ branch: "next" });
    expect(await service.texts("next")).toEqual({ [model]: orders(["id", "next"]) });
    const missing = await connect({ branch: "absent" });
    expect([missing.status, missing.body["message"]]).toEqual([
      400,
      'the remote has no branch "absent"; it has next, trunk',
    ]);
  });

  it("an empty repository gets the files of the deploy branch", async () => {
    await commitModel(orders(), "First model");
    expect((await connect()).body).toMatchObject({ status: "synced" });
    expect(remote.files()).toMatchObject({ [model]: orders() });
    expect(remote.log()[0]).toBe("First model");
  });

  it("replaces no files of the deploy branch without replaceFiles", async () => {
    await commitModel(orders(["local"]));
    remote.commit({ [model]: orders() });
    const before = await databaseDigest(service.db);
    const answer = await connect();
    expect(answer).toMatchObject({ status: 409, body: { details: { files: [model] } } });
    expect(await service.texts("main")).toMatchObject({ [model]: orders(["local"]) });
    expect(await connect({ replaceFiles: true })).toMatchObject({ status: 200 });
    expect(await service.texts("main")).toEqual({ [model]: orders() });
    expect(before).not.toBe(await databaseDigest(service.db));
  });

  it("replaces no unpushed files of another branch that becomes the deploy branch", async () => {
    await connected();
    remote.commit({ [model]: orders(["theirs"]) }, "Theirs", "release");
    await service.done("POST", `${build}/branches`, { name: "release" });
    await service.enter("release");
    await service.put(orders(["local"]));
    await service.commit();
    const answer = await connect({ branch: "release" });
    expect(answer).toMatchObject({ status: 409, body: { details: { files: [model] } } });
    expect(await service.texts("release")).toEqual({ [model]: orders(["local"]) });
    expect(await connect({ branch: "release", replaceFiles: true })).toMatchObject({ status: 200 });
    expect(await service.texts("release")).toEqual({ [model]: orders(["theirs"]) });
  });

  it("reads only the folder of the data model, and keeps the rest of the repository", async () => {
    mkdirSync(join(remotesFolder, "x"), { recursive: true });
    remote.commit({ "analytics/model/a.yml": orders(), "src/main.ts": "1\n" });
    expect(await connect({ deployProjectRoot: "/analytics/" })).toMatchObject({
      body: { deployProjectRoot: "analytics" },
    });
    expect(await service.texts("main")).toEqual({ "model/a.yml": orders() });
    await commitModel(orders(["id", "b"]), "Add b", "model/b.yml");
    expect(remote.files()).toEqual({
      "analytics/model/a.yml": orders(),
      "analytics/model/b.yml": orders(["id", "b"]),
      "src/main.ts": "1\n",
    });
    const missing = await connect({ deployProjectRoot: "nowhere" });
    expect(missing.body["message"]).toBe('the branch of the remote has no folder "nowhere"');
  });

  it("moves the deploy branch to another folder of the repository, and other branches of the remote stay as they are", async () => {
    remote.commit({ "analytics/model/a.yml": orders(), "other/x.yml": "1\n" });
    await connect({ deployProjectRoot: "analytics" });
    await createPushed("release");
    const moved = { "analytics/model/a.yml": null, "warehouse/model/a.yml": orders(["id", "b"]) };
    remote.commit({ ...moved, "warehouse/model/c.yml": "cubes: []\n" }, "Move");
    expect(await connect({ deployProjectRoot: "warehouse" })).toMatchObject({
      status: 200,
      body: { deployProjectRoot: "warehouse" },
    });
    const files = { "model/a.yml": orders(["id", "b"]), "model/c.yml": "cubes: []\n" };
    expect(await service.texts("main")).toEqual(files);
    await commitModel(orders(["id", "d"]), "Add d", "model/a.yml");
    const branches = [
      { name: "main", status: "synced" },
      {
        name: "release",
        status: "failed",
        errorText: expect.stringContaining("or folder was connected"),
      },
    ];
    await expect.poll(status, { timeout: 60_000 }).toMatchObject({ branches });
    expect(remote.files()).toEqual({
      "other/x.yml": "1\n",
      "warehouse/model/a.yml": orders(["id", "d"]),
      "warehouse/model/c.yml": "cubes: []\n",
    });
    expect(remote.files("release")).toEqual({
      "analytics/model/a.yml": orders(),
      "other/x.yml": "1\n",
    });
  });

  it("refuses a symbolic link in the place of a file that a build reads, and names it", async () => {
    for (const path of ["model/shared", "seeds/orders.csv", "cube.js"]) {
      remote.commit({ [path]: { linkTo: "../shared" } });
      const answer = await connect();
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`${path} of the remote is a symbolic link`) },
      });
      remote.commit({ [path]: null });
    }
  });

  it("refuses submodules and Git LFS pointers, and names them", async () => {
    const submodule = "1".repeat(40);
    for (const [path, content, what] of [
      ["model/shared", { submodule }, "model/shared is a submodule"],
      ["packages/other", { submodule }, "packages/other is a submodule"],
      ["seeds/orders.csv", lfsPointer, "seeds/orders.csv is a Git LFS pointer"],
      ["logo.png", lfsPointer, "logo.png is a Git LFS pointer"],
    ] as const) {
      remote.commit({ [model]: orders(), [path]: content });
      expect(await connect()).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(what) },
      });
      remote.commit({ [path]: null });
    }
    remote.commit({ ".hidden/x": { submodule } });
    await connected();
  });

  it("leaves out symbolic links and keeps them at the remote", async () => {
    remote.commit({ "link.yml": { linkTo: "/etc/passwd" } });
    await connected();
    expect(await service.hashes("main")).toEqual([model]);
    await commitModel(orders(["id", "more"]));
    expect(remote.git("ls-tree", "main", "link.yml")).toMatch(/^120000 /);
  });

  it("leaves out files that belong to no data model, keeps them at the remote, and refuses to write them", async () => {
    const others = {
      ".github/workflows/ci.yml": "on: push\n",
      "node_modules/x/x.yml": "x\n",
      "model/dashboard-app/app.ts": "1\n",
      ".env": "A=1\n",
    };
    await connected({ ...others, ".gitignore": "tmp\n" });
    expect(await service.hashes("main")).toEqual([".gitignore", model]);
    const id = await service.start();
    expect(await service.uploadFile(id, "model/b.txt", "b")).toBe(204);
    expect(await service.uploadFile(id, ".github/workflows/ci.yml", "b")).toBe(400);
    const listed = await service.finish(id, { "model/b.txt": "b", ".env": "b" });
    expect(listed.body["message"]).toMatch(/^\.env does not belong to the data model/);
    await service.done("POST", `${build}/data-model/upload/finish`, {
      transaction: { id },
      files: { "model/b.txt": { hash: sha1("b") } },
      autoRemoveFiles: true,
    });
    await expect.poll(() => remote.files()).toEqual({ ...others, "model/b.txt": "b" });
    await service.enter();
    expect((await service.put("x", ".github/workflows/ci.yml")).status).toBe(400);
    remote.commit({ ".env": "A=2\n" }, "Theirs");
    await commitModel(orders(), "Ours");
    expect(remote.files()).toMatchObject({ ...others, ".env": "A=2\n", [model]: orders() });
  });

  it("refuses remotes that are options, other transports or private, and changes nothing", async () => {
    const before = await databaseDigest(service.db);
    for (const [remoteUrl, reason] of refused) {
      const answer = await connect({ remoteUrl });
      const text = JSON.stringify(answer.body);
      expect([remoteUrl, answer.status, text]).toEqual([
        remoteUrl,
        400,
        expect.stringContaining(reason),
      ]);
      expect(text).not.toContain("hunter2");
    }
    expect(await databaseDigest(service.db)).toBe(before);
  });

  it("a symbolic link does not lead out of the allowed folders", async () => {
    const link = join(remotesFolder, `link-${Date.now()}`);
    symlinkSync("/", link);
    expect((await connect({ remoteUrl: link })).status).toBe(400);
  });

  it("refuses branches that could be options, ranges or patterns", async () => {
    remote.commit({ [model]: orders() });
    for (const branch of ["-x", "a..b", "a b", "refs:x", "dev-1", "a.lock", "x/.y", "+main"]) {
      expect([branch, (await connect({ branch })).status]).toEqual([branch, 400]);
    }
  });

  it("refuses a repository with files that a data model cannot have", async () => {
    remote.commit({ [model]: orders(), "large.bin": "x".repeat(1024 * 1024 + 1) });
    const before = await databaseDigest(service.db);
    const large = await connect();
    expect([large.status, large.body["message"]]).toEqual([
      413,
      expect.stringContaining("large.bin of the remote has 1048577 bytes"),
    ]);
    expect(await databaseDigest(service.db)).toBe(before);
    remote.commit({ "large.bin": null, "A.yml": "", "a.yml": "" });
    expect((await connect()).body["message"]).toContain("differ only in case");
  });

  it("ends with disconnecting, which keeps the files", async () => {
    await connected();
    await service.done("DELETE", `${build}/git`);
    expect((await service.send("GET", `${build}/git`)).status).toBe(404);
    expect(await service.texts("main")).toEqual({ [model]: orders() });
    await commitModel(orders(["later"]));
    expect(remote.log()).toEqual(["Begin"]);
  });

  it("protects the settings that it names", async () => {
    await connected();
    const settings = { deployProjectRoot: "x" };
    const answer = await service.send("PUT", "/api/v1/deployments/1", settings);
    expect([answer.status, answer.body["message"]]).toEqual([
      409,
      expect.stringContaining("belongs to the Git connection"),
    ]);
    const same = { deployBranchName: "main", name: "main" };
    expect((await service.send("PUT", "/api/v1/deployments/1", same)).status).toBe(200);
  });
});
