// Tests what the service reads from the Git remote of a data model: pulls, and the webhooks that start them.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TestRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders } from "./data-model-service.ts";
import { model, setUpGit } from "./git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const git = setUpGit((...started) => {
  [service, remote] = started;
});
const { connect, connected } = git;

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

describe("a pull of a branch that only the remote has", () => {
  const pull = (branchName: string) => service.send("POST", `${build}/pull`, { branchName });
  const path = "model/cubes/theirs.yml";

  it("creates it with what both had in common, so that a merge keeps newer changes of the deploy branch", async () => {
    await connected();
    remote.commit({ [path]: orders(["theirs"]) }, "Theirs", "feature/x");
    remote.commit({ [model]: orders(["id", "newer"]) }, "Newer", "main");
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    expect(await pull("feature/x")).toMatchObject({ status: 200, body: { buildTriggered: false } });
    expect(await service.texts("feature/x")).toEqual({
      [model]: orders(),
      [path]: orders(["theirs"]),
    });
    const { items } = await service.done("GET", `${build}/branches`);
    expect(items).toContainEqual(
      expect.objectContaining({ name: "feature/x", parentBranch: "main" }),
    );
    const body = { branchName: "feature/x", message: "Merge", removeBranchAfterMerge: false };
    await service.done("POST", `${build}/merge-to-default`, body);
    expect(remote.files()).toEqual({
      [model]: orders(["id", "newer"]),
      [path]: orders(["theirs"]),
    });
    // From then on, it is an ordinary branch.
    remote.commit({ [path]: orders(["more"]) }, "More", "feature/x");
    expect(await pull("feature/x")).toMatchObject({ status: 200 });
    expect(await service.texts("feature/x")).toMatchObject({ [path]: orders(["more"]) });
    expect((await git.status())["status"]).toBe("synced");
  });

  it("creates it with the newest common commit, however old its date is", async () => {
    await connected();
    const older = remote.git("rev-parse", "main").trim();
    const newer = remote.commit({ [model]: orders(["id", "newer"]) }, "Newer");
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    // The branch merges a line of the older commit and a line of the newer commit, whose clock was wrong.
    const commit = (tree: string, date: string, parents: readonly string[]) =>
      remote
        .gitAt(
          date,
          "commit-tree",
          `${tree}^{tree}`,
          ...parents.flatMap((id) => ["-p", id]),
          "-m",
          "M",
        )
        .trim();
    remote.git("branch", "base", newer);
    const theirs = remote.commit({ [model]: orders(["id", "theirs"]) }, "Theirs", "base");
    const wrong = commit(theirs, "2001-01-01T00:00:00Z", [newer]);
    const line = commit(older, "2040-01-01T00:00:00Z", [older]);
    const merged = commit(theirs, "2040-01-02T00:00:00Z", [line, wrong]);
    remote.git("update-ref", "refs/heads/feature", merged);
    expect(await pull("feature")).toMatchObject({ status: 200 });
    const body = { branchName: "feature", message: "Merge", removeBranchAfterMerge: false };
    await service.done("POST", `${build}/merge-to-default`, body);
    expect(remote.files()).toEqual({ [model]: orders(["id", "theirs"]) });
  });

  it("is refused where the files of the common commit are no longer kept", async () => {
    await connected();
    remote.commit({ [path]: orders(["theirs"]) }, "Theirs", "feature");
    remote.commit({ [model]: orders(["id", "newer"]) }, "Newer");
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    const { id } = await service.db
      .selectFrom("model_commits")
      .select("id")
      .where("remote_commit", "=", remote.git("merge-base", "main", "feature").trim())
      .executeTakeFirstOrThrow();
    await service.db
      .updateTable("model_commits")
      .set({ tree_id: null })
      .where("id", "=", id)
      .execute();
    expect(await pull("feature")).toMatchObject({ status: 409 });
  });

  it("is refused for names that a branch cannot have, and branches that neither has", async () => {
    await connected();
    remote.git("branch", "dev-1-theirs", "main");
    for (const name of ["dev-1-theirs", "svc-apply-1", "-x", "a..b"]) {
      expect([name, (await pull(name)).status]).toEqual([name, 400]);
    }
    expect(await pull("nowhere")).toMatchObject({
      status: 404,
      body: { message: 'neither deployment 1 nor its Git remote has a branch "nowhere"' },
    });
    await service.done("DELETE", `${build}/git`);
    expect(await pull("nowhere")).toMatchObject({
      status: 404,
      body: { message: 'deployment 1 has no branch "nowhere"' },
    });
  });

  it("is refused without a common commit, until the remote merges the deploy branch into it", async () => {
    await connected();
    const alone = remote.git("commit-tree", "main^{tree}", "-m", "Alone").trim();
    remote.git("update-ref", "refs/heads/alone", alone);
    const refused = await pull("alone");
    expect([refused.status, refused.body["message"]]).toEqual([
      409,
      expect.stringContaining("merge main into it there, then pull again"),
    ]);
    expect(await service.send("GET", `${build}/branches`)).toMatchObject({
      body: { items: [{ name: "main" }] },
    });
    const parents = ["-p", alone, "-p", "main"];
    const merged = remote.git("commit-tree", "main^{tree}", ...parents, "-m", "Merge").trim();
    remote.git("update-ref", "refs/heads/alone", merged);
    expect(await pull("alone")).toMatchObject({ status: 200 });
    expect(await service.texts("alone")).toEqual({ [model]: orders() });
  });

  it("creates it once for two requests", async () => {
    await connected();
    remote.commit({ [path]: orders(["theirs"]) }, "Theirs", "feature");
    const ended = await Promise.all([pull("feature"), pull("feature")]);
    const statuses = ended.map(({ status }) => status).toSorted((a, b) => a - b);
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses);
    expect(await service.texts("feature")).toMatchObject({ [path]: orders(["theirs"]) });
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
      .poll(() => service.texts("main"), { timeout: 60_000 })
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
    // Without a secret, no webhook is accepted, not even with an empty secret.
    await connect({ webhookSecret: "" });
    expect((await send({ "x-gitlab-token": "" })).status).toBe(401);
  });
});
