// Tests that production can be pinned to a commit of the Git remote.
import { expect, it } from "vitest";
import type { TestRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders } from "./data-model-service.ts";
import { model, setUpGit } from "./git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const { connect, connected, status, commitModel, createPushed } = setUpGit((...started) => {
  [service, remote] = started;
});

const first = orders(["id", "first"]);
const second = orders(["id", "second"]);

/** Connects to a remote with three commits, and returns them, the oldest first. */
async function connectedToThree(): Promise<readonly [string, string, string]> {
  await connected();
  const begin = remote.git("rev-parse", "main").trim();
  return [
    begin,
    remote.commit({ [model]: first }, "First"),
    remote.commit({ [model]: second }, "Second"),
  ];
}

it("lists the states of the branch, the newest first, without commits that only a merged branch had", async () => {
  const [begin, one, two] = await connectedToThree();
  const side = remote.commit({ "side.md": "s\n" }, "Side", "side");
  const merge = remote
    .git("commit-tree", `${side}^{tree}`, "-p", two, "-p", side, "-m", "Merge\n\nBody")
    .trim();
  remote.git("update-ref", "refs/heads/main", merge);
  const { items, ...page } = await service.done("GET", `${build}/git/commits?first=2`);
  expect(items).toEqual([
    {
      commit: merge,
      branch: "main",
      isNewest: true,
      subject: "Merge",
      committedAt: expect.any(String),
    },
    {
      commit: two,
      branch: "main",
      isNewest: false,
      subject: "Second",
      committedAt: expect.any(String),
    },
  ]);
  const { endCursor } = page["pageInfo"] as { endCursor: string };
  const rest = await service.done("GET", `${build}/git/commits?first=9&after=${endCursor}`);
  expect(rest["items"]).toMatchObject([{ commit: one }, { commit: begin }]);
});

it("stays at the commit, back and forth, until it follows the branch again", async () => {
  const [begin, one] = await connectedToThree();
  for (const [commit, text] of [
    [one, first],
    [begin, orders()],
    [one, first],
  ] as const) {
    expect(await connect({ commit })).toMatchObject({
      status: 200,
      body: { commit, status: "synced" },
    });
    expect(await service.texts("main")).toEqual({ [model]: text });
    expect((await status())["branches"]).toMatchObject([
      { name: "main", commit, status: "synced" },
    ]);
  }
  // A request about something else keeps the pin.
  expect(await connect({ webhookSecret: "rotated" })).toMatchObject({ body: { commit: one } });
  expect(await service.texts("main")).toEqual({ [model]: first });
  expect(await connect({ commit: null })).toMatchObject({ status: 200 });
  expect(await status()).not.toHaveProperty("commit");
  expect(await service.texts("main")).toEqual({ [model]: second });
  remote.git("branch", "release", one);
  await connect({ commit: one });
  expect((await connect({ branch: "release" })).body).not.toHaveProperty("commit");
});

it("takes and lists a commit that is far behind the branch", async () => {
  const [begin, one] = await connectedToThree();
  await connect({ commit: one });
  let head = remote.git("rev-parse", "main").trim();
  for (let count = 0; count < 205; count++)
    head = remote.git("commit-tree", "main^{tree}", "-p", head, "-m", `Later ${count}`).trim();
  remote.git("update-ref", "refs/heads/main", head);
  expect(await connect({ commit: head })).toMatchObject({ status: 200 });
  const { items } = await service.done("GET", `${build}/git/commits?first=300`);
  const listed = (items as readonly { readonly commit: string }[]).map(({ commit }) => commit);
  expect(listed).toHaveLength(202);
  expect([listed[0], ...listed.slice(200)]).toEqual([head, one, begin]);
  expect(await connect({ commit: one })).toMatchObject({ status: 200, body: { commit: one } });
  expect(await connect({ commit: null })).toMatchObject({ status: 200 });
  expect(await connect({ commit: begin })).toMatchObject({ status: 200, body: { commit: begin } });
});

it("builds every pin, also one with the same files", async () => {
  await connected();
  const same = remote.commit({ "other.txt": "x\n" }, "Same model");
  const builds = () => service.db.selectFrom("builds").selectAll().execute();
  const before = (await builds()).length;
  await connect({ commit: same });
  await connect({ commit: remote.git("rev-parse", "main~1").trim() });
  expect((await builds()).length).toBe(before + 2);
});

it("takes neither pushes of the remote nor changes here, and pushes nothing", async () => {
  const [, one] = await connectedToThree();
  await createPushed("feature");
  await connect({ commit: one, webhookSecret: "s3cret" });
  remote.commit({ "notes.md": "n\n" }, "Pushed", "feature");
  const webhook = {
    method: "POST",
    headers: { "content-type": "application/json", "x-gitlab-token": "s3cret" },
    body: "{}",
  };
  const accepted = await fetch(`${service.url}${build}/git/webhook`, webhook);
  expect(accepted.status).toBe(202);
  await expect
    .poll(() => service.texts("feature"), { timeout: 60_000 })
    .toMatchObject({ "notes.md": "n\n" });
  const pinned = {
    status: 409,
    body: { message: expect.stringContaining(`pinned to the commit ${one}`) },
  };
  expect(await service.send("POST", `${build}/pull`, { branchName: "main" })).toMatchObject(pinned);
  await commitModel(orders(["id", "local"]));
  expect(
    await service.send("POST", `${build}/merge-to-default`, { message: "Merge" }),
  ).toMatchObject(pinned);
  expect(await service.send("POST", `${build}/data-model/upload/start?live=true`)).toMatchObject(
    pinned,
  );
  expect(await service.texts("main")).toEqual({ [model]: first });
  expect(remote.log()).toEqual(["Second", "First", "Begin"]);
});

it("has what is uploaded while the deployment deploys with the CLI, and the remote's commits after that", async () => {
  const deployment = "/api/v1/deployments/1";
  await connected();
  await service.done("PUT", deployment, { deployMode: "cli" });
  await createPushed("feature");
  const pushed = remote.commit({ "pushed.md": "p\n" }, "Pushed");
  remote.commit({ "notes.md": "n\n" }, "Notes", "feature");
  const synchronize = async () => {
    await service.db.updateTable("git_connections").set({ pull_requested: 1 }).execute();
    await service.accounts[0]?.syncGitRemotes();
  };
  await synchronize();
  expect(await service.texts("feature")).toMatchObject({ "notes.md": "n\n" });
  expect(await service.texts("main")).toEqual({ [model]: orders() });
  await commitModel(orders(["id", "local"]));
  await service.done("POST", `${build}/merge-to-default`, { message: "Merge" });
  await synchronize();
  expect(remote.git("rev-parse", "main").trim()).toBe(pushed);
  expect(await service.texts("main")).toEqual({ [model]: orders(["id", "local"]) });
  await service.done("PUT", deployment, { deployMode: "git" });
  await service.accounts[0]?.syncGitRemotes();
  expect(await service.texts("main")).toMatchObject({ "pushed.md": "p\n" });
});

it("refuses a commit that the branch does not have or no longer has, and keeps the one that it has", async () => {
  const [, one] = await connectedToThree();
  await connect({ commit: one });
  const elsewhere = remote.commit({ [model]: orders(["x"]) }, "Elsewhere", "feature");
  remote.git("update-ref", "refs/heads/main", elsewhere);
  const rewritten = remote.commit({ [model]: orders(["forced"]) }, "Forced", "orphan");
  remote.git(
    "update-ref",
    "refs/heads/main",
    remote.git("commit-tree", `${rewritten}^{tree}`, "-m", "Rewritten").trim(),
  );
  for (const commit of [elsewhere, "1".repeat(40)]) {
    const answer = await connect({ commit });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      message: expect.stringContaining(`${commit} is none of the newest 10000 commits`),
    });
  }
  expect(await status()).toMatchObject({ commit: one, status: "synced" });
  // The pin itself stays, also while credentials change.
  expect(await connect({ commit: one, webhookSecret: "new" })).toMatchObject({ status: 200 });
  expect(await service.texts("main")).toEqual({ [model]: first });
});
