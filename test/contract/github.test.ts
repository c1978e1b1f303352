// Repositories of the server's GitHub App: lists, connections, permissions and tokens.
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { createGithub } from "../../service/git/github.ts";
import {
  createGithubRepository,
  githubInstallation,
  githubTokenRequests,
  testGithubApp,
} from "../support/github-server.ts";
import { respondJson, startStubServer } from "../support/stub-server.ts";
import { build, type ModelService, orders, startModelService } from "./data-model-service.ts";
import { model, setUpGit } from "./git-fixture.ts";

let service: ModelService;
const { status, commitModel } = setUpGit((started) => {
  service = started;
});

describe("GitHub", () => {
  const { id: installationId } = githubInstallation;
  const connectTo = (body: object) => service.send("POST", `${build}/github/connect`, body);

  it("client area Git provider, status: an App is there, with its addresses", async () => {
    expect(await service.done("GET", "/api/v1/github/status")).toEqual({
      connected: true,
      linkUrl: "https://github.example/apps/svc/installations/new",
      settingsUrl: "https://github.example/settings/installations/43",
    });
  });

  it("client area Git provider, lists: installations, repositories and branches", async () => {
    const repository = createGithubRepository("listed");
    repository.commit({ [model]: orders() });
    repository.commit({ [model]: orders() }, "Next", "next");
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

  it.each<readonly [string, Parameters<typeof respondJson>[2], unknown, object]>([
    ["an App that GitHub no longer knows", { status: 401 }, {}, { code: "conflict" }],
    ["an answer of another form", {}, { token: 1 }, { code: "conflict" }],
    ["GitHub that limits its callers", { status: 429 }, {}, { code: "unavailable" }],
    ["GitHub that fails", { status: 502 }, {}, { code: "unavailable" }],
  ])("asks for another request only if that can help: %s", async (_, how, body, failure) => {
    const { url } = await startStubServer((_request, response) => respondJson(response, body, how));
    const app = { ...(await testGithubApp()), apiUrl: url };
    const github = createGithub(app, { allowed: undefined, now: () => new Date() });
    await expect(github.token(installationId)).rejects.toMatchObject(failure);
  });
});

it("a server that no longer has the App refuses to pull with 409, and says whom to ask", async () => {
  const repository = createGithubRepository("left");
  repository.commit({ [model]: orders() }, "Begin");
  const own = await startModelService({ githubApp: undefined });
  try {
    await own.done("POST", `${build}/git/connect`, { remoteUrl: repository.path });
    await own.db.updateTable("git_connections").set({ installation_id: 42 }).execute();
    expect(await own.send("POST", `${build}/pull`, { branchName: "main" })).toMatchObject({
      status: 409,
      body: { code: "conflict", message: expect.stringContaining("--github-app-id") },
    });
  } finally {
    await own.close();
  }
});
