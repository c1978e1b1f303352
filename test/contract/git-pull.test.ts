// What the service takes from the Git remote of a data model: pulls, and the webhooks that start them.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TestRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders } from "./data-model-service.ts";
import { model, setUpGit } from "./git-fixture.ts";

let service: ModelService;
let remote: TestRemote;
const { connect, connected } = setUpGit((...made) => {
  [service, remote] = made;
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
