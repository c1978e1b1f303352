// The Git remote of a data model: connecting, pushing, pulling, conflicts, webhooks and deletion upstream, over real Git.
import { createHmac } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGithub } from "../../service/git/github.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { createRemote, remotesFolder, type TestRemote } from "../support/git-remotes.ts";
import { type GitServer, gitServer } from "../support/git-server.ts";
import {
  createGithubRepository,
  githubInstallation,
  githubTokenRequests,
  testGithubApp,
} from "../support/github-server.ts";
import { build, type ModelService, orders, sha1, startModelService } from "./data-model-service.ts";

const model = "model/cubes/orders.yml";
let service: ModelService;
let remote: TestRemote;

beforeEach(async () => {
  service = await startModelService();
  remote = createRemote();
});
afterEach(() => service.close());

const connect = (more: object = {}) =>
  service.send("POST", `${build}/git/connect`, { remoteUrl: remote.path, ...more });
const status = () => service.done("GET", `${build}/git`);

/** Connects to a remote with one model. */
async function connected(files: Readonly<Record<string, string>> = {}): Promise<void> {
  remote.commit({ [model]: orders(), ...files }, "Begin");
  expect(await connect()).toMatchObject({ status: 200 });
}

/** Changes the model of the deploy branch by a commit of a dev-mode branch. */
async function commitModel(content: string, message = "Change", path = model) {
  await service.enter();
  await service.put(content, path);
  return service.commit(message);
}

/** Creates a branch, which is pushed in the background, and waits until the remote has it. */
async function createPushed(name: string): Promise<void> {
  await service.done("POST", `${build}/branches`, { name });
  const isThere = () => remote.git("branch", "--list", name) !== "";
  await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({ status: "synced" });
}

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
  it("clones the repository and triggers the first build", async () => {
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

  it("leaves out symbolic links and keeps them at the remote", async () => {
    const copy = remote.path.replace(/\.git$/, "");
    symlinkSync("/etc/passwd", join(copy, "link.yml"));
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
    expect(unresolved).toMatchObject({ status: 409, body: { code: "merge_conflict" } });
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

  it("of two users at once is pushed for both, in either order", async () => {
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
      errorText: expect.stringContaining("has another branch feature"),
    });
    const branches = async () => (await status())["branches"];
    await expect.poll(branches, { timeout: 20_000 }).toContainEqual(failed);
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

describe("a pull", () => {
  it("fast-forwards the branch, and builds it", async () => {
    await connected();
    remote.commit({ [model]: orders(["id", "pulled"]), "new.md": "n\n" }, "Pulled");
    const answer = await service.done("POST", `${build}/pull`, { branchName: "main" });
    expect(answer).toEqual({ buildTriggered: true });
    expect(await service.texts("main")).toEqual({
      [model]: orders(["id", "pulled"]),
      "new.md": "n\n",
    });
    const again = await service.done("POST", `${build}/pull`, { branchName: "main" });
    expect(again).toEqual({ buildTriggered: false });
  });

  it("of the deploy branch needs the permission to change it", async () => {
    await connected();
    remote.commit({ [model]: orders(["id", "pulled"]) });
    const analyst = service.as(await service.userKey("AIBIDeveloper"));
    const answer = await analyst.send("POST", `${build}/pull`, { branchName: "main" });
    expect(answer).toMatchObject({ status: 403 });
    expect((await analyst.send("POST", `${build}/git/connect`, { remoteUrl: "/x" })).status).toBe(
      403,
    );
  });
});

describe("a webhook", () => {
  const send = (headers: Readonly<Record<string, string>>, body: object = {}) =>
    fetch(`${service.url}${build}/git/webhook`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  it("that is signed pulls the branches", async () => {
    remote.commit({ [model]: orders() });
    await connect({ webhookSecret: "s3cret" });
    remote.commit({ [model]: orders(["id", "pushed"]) });
    const event = { ref: "refs/heads/main", text: "ä".repeat(5000) };
    const digest = createHmac("sha256", "s3cret").update(JSON.stringify(event)).digest("hex");
    expect((await send({ "x-hub-signature-256": `sha256=${digest}` }, event)).status).toBe(202);
    await expect
      .poll(() => service.texts("main"), { timeout: 20_000 })
      .toEqual({ [model]: orders(["id", "pushed"]) });
  });

  it("that is not signed changes nothing", async () => {
    remote.commit({ [model]: orders() });
    const digest = createHmac("sha256", "s3cret").update("{}").digest("hex");
    const signed = { "x-hub-signature-256": `sha256=${digest}` };
    expect((await send(signed)).status).toBe(401);
    await connect({ webhookSecret: "s3cret" });
    expect((await send({})).status).toBe(401);
    expect((await send({ "x-gitlab-token": "other" })).status).toBe(401);
    expect((await send(signed, { changed: true })).status).toBe(401);
    const rows = await service.db.selectFrom("git_connections").select("pull_requested").execute();
    expect(rows).toEqual([{ pull_requested: 0 }]);
    // Without a secret, no webhook is accepted, also none with an empty one.
    await connect({ webhookSecret: "" });
    expect((await send({ "x-gitlab-token": "" })).status).toBe(401);
  });
});

describe("deleting a branch at the remote too", () => {
  const remove = (name: string) =>
    service.send("DELETE", `${build}/branches?branchName=${name}&removeOnUpstream=true`);

  it("removes it there", async () => {
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

describe("over HTTP", () => {
  let server: GitServer;
  beforeEach(async () => {
    server = await gitServer(remotesFolder, "t0ken-1");
    remote.commit({ [model]: orders() }, "Begin");
  });
  afterEach(() => server[Symbol.asyncDispose]());
  const url = () => `${server.url}/${remote.path.split("/").at(-1)}`;

  it("pushes and pulls with a token, which is stored encrypted and never shown", async () => {
    const answer = await connect({ remoteUrl: url(), token: "t0ken-1" });
    expect(answer).toMatchObject({ status: 200, body: { hasCredential: true } });
    await commitModel(orders(["id", "over-http"]), "Over HTTP");
    expect(remote.log()).toEqual(["Over HTTP", "Begin"]);
    const rows = await service.db.selectFrom("git_connections").selectAll().execute();
    expect(JSON.stringify([answer.body, await status(), rows])).not.toContain("t0ken-1");
    // An omitted token is kept while the host is the same.
    expect(await connect({ remoteUrl: url() })).toMatchObject({ body: { hasCredential: true } });
    // Another port can be another server.
    const other = await gitServer(remotesFolder, "t0ken-1");
    const otherUrl = `${other.url}/${remote.path.split("/").at(-1)}`;
    expect((await connect({ remoteUrl: otherUrl })).status).toBe(400);
    await other[Symbol.asyncDispose]();
    expect(await connect()).toMatchObject({ body: { hasCredential: false } });
  });

  /** Points the connection elsewhere when the server receives a request. */
  function reconnectOn(suffix: string): void {
    const changes = service.db.updateTable("git_connections").set({ remote_url: "/elsewhere" });
    server.server.prependListener("request", ({ url: path = "" }: { url?: string }) => {
      if (path.endsWith(suffix)) void changes.execute();
    });
  }

  it("keeps a connection that another request changed meanwhile", async () => {
    await connect({ remoteUrl: url(), token: "t0ken-1" });
    reconnectOn("service=git-upload-pack");
    const answer = await connect({ remoteUrl: url(), deployProjectRoot: "model" });
    expect([answer.status, answer.body["message"]]).toEqual([
      409,
      "another request changed the connection; try again",
    ]);
    expect(await status()).toMatchObject({ remoteUrl: "/elsewhere", deployProjectRoot: "" });
  });

  it("records nothing of a push that ends after the connection changed", async () => {
    await connect({ remoteUrl: url(), token: "t0ken-1" });
    const begin = remote.git("rev-parse", "main").trim();
    reconnectOn("/git-receive-pack");
    expect((await commitModel(orders(["id", "x"]))).status).toBe(200);
    expect(remote.log()).toEqual(["Change", "Begin"]);
    const [branch] = (await status())["branches"] as Record<string, unknown>[];
    expect(branch).toEqual({ name: "main", status: "pending", commit: begin });
  });

  it("with a wrong token changes nothing, and repeats no token", async () => {
    const before = await databaseDigest(service.db);
    const answer = await connect({ remoteUrl: url(), token: "wr0ng" });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain("wr0ng");
    expect(await databaseDigest(service.db)).toBe(before);
  });

  it("notices a push whose answer was lost", async () => {
    await connect({ remoteUrl: url(), token: "t0ken-1" });
    server.loseAnswers("/git-receive-pack");
    expect((await commitModel(orders(["one"]), "First")).status).toBe(200);
    expect(remote.log()).toEqual(["First", "Begin"]);
    server.loseAnswers(undefined);
    expect(await status()).toMatchObject({ status: "failed" });
    remote.commit({ "b.txt": "b" }, "Theirs");
    expect((await commitModel(orders(["two"]), "Second")).status).toBe(200);
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    expect(remote.log().toSorted()).toEqual(["Begin", "First", "Second", "Theirs"]);
    expect(remote.files()).toEqual({ [model]: orders(["two"]), "b.txt": "b" });
    expect(await status()).toMatchObject({ status: "synced" });
  });
});

describe("GitHub", () => {
  const { id: installationId } = githubInstallation;
  const connectTo = (body: object) => service.send("POST", `${build}/github/connect`, body);

  it("lists installations, repositories and branches", async () => {
    const repository = createGithubRepository("listed");
    repository.commit({ [model]: orders() });
    repository.commit({ [model]: orders() }, "Next", "next");
    expect(await service.done("GET", "/api/v1/github/status")).toEqual({
      connected: true,
      linkUrl: "https://github.example/apps/svc/installations/new",
      settingsUrl: "https://github.example/settings/installations/43",
    });
    const { items } = await service.done("GET", "/api/v1/github/installations");
    expect(items).toContainEqual({
      installationId: "42",
      id: "42",
      login: "acme",
      avatarUrl: "https://github.example/acme.png",
    });
    const listed = await service.done(
      "GET",
      `/api/v1/github/installations/${installationId}/repositories`,
    );
    expect(listed["items"]).toContainEqual({
      id: expect.any(Number),
      name: "listed",
      htmlUrl: "https://github.example/acme/listed",
    });
    const branches = await service.done(
      "GET",
      `/api/v1/github/repositories/acme/listed/branches?installationId=${installationId}`,
    );
    expect(branches["items"]).toEqual([
      { name: "main", isDefault: true },
      { name: "next", isDefault: false },
    ]);
  });

  it("connecting clones the repository, and pushes with a token of the installation", async () => {
    const repository = createGithubRepository("shop");
    repository.commit({ [model]: orders() }, "Begin");
    const answer = await connectTo({ installationId, name: "shop", branch: "main" });
    expect(answer).toMatchObject({ status: 200, body: { id: 1, name: "main" } });
    expect(await service.texts("main")).toEqual({ [model]: orders() });
    await commitModel(orders(["id", "pushed"]), "Pushed");
    expect(repository.log()).toEqual(["Pushed", "Begin"]);
    expect(await status()).toMatchObject({ installationId, hasCredential: true });
  });

  it("an account's permission is needed for another repository, and tokens are for one", async () => {
    createGithubRepository("first").commit({ [model]: orders() }, "Begin");
    createGithubRepository("second").commit({ [model]: orders() }, "Begin");
    const key = await service.key({ admin: true, deploymentIds: [1] });
    const scoped = (name: string) =>
      service.as(key).send("POST", `${build}/github/connect`, { installationId, name });
    expect((await scoped("first")).status).toBe(403);
    expect((await connectTo({ installationId, name: "first" })).status).toBe(200);
    expect((await scoped("first")).status).toBe(200);
    expect((await scoped("second")).status).toBe(403);
    expect((await scoped("absent")).status).toBe(403);
    const { remoteUrl } = await status();
    const repository = basename(String(remoteUrl), ".git");
    const restricted = { repositories: [repository], permissions: { contents: "write" } };
    expect(githubTokenRequests).toContainEqual(restricted);
  });

  it("creates a repository of an organization, once", async () => {
    await commitModel(orders());
    const created = { installationId, name: "created", isNewRepo: true };
    expect((await connectTo(created)).status).toBe(200);
    expect((await connectTo(created)).status).toBe(200);
    const ofUser = await connectTo({ ...created, installationId: 43, name: "other" });
    expect([ofUser.status, ofUser.body["message"]]).toEqual([
      409,
      expect.stringContaining("jo is not an organization"),
    ]);
  });

  it("refuses unknown repositories and installations, and those of other accounts", async () => {
    expect((await connectTo({ installationId, name: "absent" })).status).toBe(404);
    expect((await connectTo({ installationId: 7, name: "absent" })).status).toBe(404);
    const app = await testGithubApp();
    const none = createGithub(app, { allowed: [], now: () => new Date() });
    expect(await none.installations()).toEqual([]);
    await expect(none.token(installationId)).rejects.toMatchObject({ code: "not_found" });
    const one = createGithub(app, { allowed: [43], now: () => new Date() });
    expect((await one.installations()).map(({ id }) => id)).toEqual([43]);
    await expect(
      one.repository({ installationId, owner: "acme", name: "shop" }),
    ).rejects.toMatchObject({ code: "not_found" });
  });
});
