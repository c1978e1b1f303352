// Tests Git remotes over a real SSH server: keys and host keys are files that only the service can read, and settings of its user
// are not used.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemote } from "../support/git-remotes.ts";
import { hasSshServer, type SshServer, startSshServer, whyNoSsh } from "../support/ssh-server.ts";
import { build, type ModelService, orders, startModelService } from "./data-model-service.ts";

describe.skipIf(!hasSshServer)(`a remote over SSH${whyNoSsh}`, () => {
  let server: SshServer;
  let service: ModelService;

  beforeEach(async () => {
    server = await startSshServer();
    service = await startModelService();
  });
  afterEach(async () => {
    await service.close();
    await server[Symbol.asyncDispose]();
  });

  it("is pushed to and pulled from with the key, and only with the given host keys", async () => {
    const remote = createRemote();
    remote.commit({ "model/orders.yml": orders() }, "Begin");
    const connect = (more: object) =>
      service.send("POST", `${build}/git/connect`, { remoteUrl: server.url(remote.path), ...more });
    const privateKey = readFileSync(server.key, "utf8");
    const { knownHosts } = server;
    expect(await connect({ privateKey })).toMatchObject({ status: 400 });
    expect(await connect({ knownHosts })).toMatchObject({ status: 400 });
    expect(await connect({ knownHosts, privateKey, token: "x" })).toMatchObject({ status: 400 });
    for (const [wrong, reason] of [
      [{ privateKey: readFileSync(server.otherKey, "utf8"), knownHosts }, "Permission denied"],
      [{ privateKey, knownHosts: server.changedHosts }, "has changed"],
    ] as const) {
      const refused = await connect(wrong);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(refused.body)).toContain(reason);
    }
    const connected = await connect({ privateKey, knownHosts });
    expect(connected).toMatchObject({ status: 200, body: { knownHosts, hasCredential: true } });
    expect(JSON.stringify(connected.body)).not.toContain(privateKey.split("\n")[1]);
    await service.enter();
    await service.put(orders(["id", "pushed"]), "model/orders.yml");
    expect((await service.commit("Pushed")).status).toBe(200);
    expect(remote.log()).toEqual(["Pushed", "Begin"]);
    remote.commit({ "model/orders.yml": orders(["id", "pulled"]) }, "Pulled");
    await service.done("POST", `${build}/pull`, { branchName: "main" });
    expect((await service.texts("main"))["model/orders.yml"]).toContain("pulled");
  });
});
