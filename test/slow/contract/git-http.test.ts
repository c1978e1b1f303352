// Tests Git remotes over HTTP: tokens, lost responses, and connections that change during a call.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databaseDigest } from "../../support/database-digest.ts";
import { remotesFolder, type TestRemote } from "../../support/git-remotes.ts";
import { type GitServer, gitServer } from "../../support/git-server.ts";
import { build, type ModelService, orders } from "../../contract/data-model-service.ts";
import { model, setUpGit } from "../../contract/git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const { connect, status, commitModel, createPushed } = setUpGit((...started) => {
  [service, remote] = started;
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
    // An omitted token is kept as long as the host is the same.
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

  it("lists the branches of the remote once for all that a webhook pulls", async () => {
    await connect({ remoteUrl: url(), token: "t0ken-1", webhookSecret: "s3cret" });
    for (const name of ["a", "b", "c"]) await createPushed(name);
    remote.commit({ [model]: orders(["id", "pulled"]) }, "Pulled");
    const fetches: string[] = [];
    server.server.on("request", ({ url: path = "" }: { url?: string }) => {
      if (path.endsWith("service=git-upload-pack")) fetches.push(path);
    });
    const headers = { "content-type": "application/json", "x-gitlab-token": "s3cret" };
    const hook = `${service.url}${build}/git/webhook`;
    expect((await fetch(hook, { method: "POST", headers, body: "{}" })).status).toBe(202);
    const requested = () =>
      service.db.selectFrom("git_connections").select("pull_requested").execute();
    await expect.poll(requested, { timeout: 60_000 }).toEqual([{ pull_requested: 0 }]);
    expect(await service.texts("main")).toEqual({ [model]: orders(["id", "pulled"]) });
    // One request lists the branches, and one fetches the commit.
    expect(fetches).toHaveLength(2);
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
