// Tests Git remotes over SSH: keys and host keys are files that only the server can read, and settings of its user are not
// used. A stand-in for ssh checks its arguments and runs Git locally, without an SSH server.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRemote } from "../support/git-remotes.ts";
import { build, type ModelService, orders, startModelService } from "./data-model-service.ts";

const path = process.env["PATH"];
let folder: string;
let service: ModelService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-ssh-"));
  service = await startModelService();
  const ssh = join(folder, "ssh");
  // The last argument is the command; the one before it is the host.
  writeFileSync(
    ssh,
    `#!/bin/sh
printf '%s\\n' "$@" > "${folder}/args"
env > "${folder}/env"
for last; do :; done
for one; do case "$one" in
  IdentityFile=*) file=$(echo "$one" | sed 's/IdentityFile="\\(.*\\)"/\\1/'); stat -c %a "$file" > "${folder}/mode"; cat "$file" > "${folder}/key" ;;
  UserKnownHostsFile=*) cat "$(echo "$one" | sed 's/UserKnownHostsFile="\\(.*\\)"/\\1/')" > "${folder}/hosts" ;;
esac; done
exec sh -c "$last"
`,
  );
  chmodSync(ssh, 0o755);
  process.env["PATH"] = `${folder}:${path}`;
});
afterEach(async () => {
  process.env["PATH"] = path;
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

it("pushes and pulls with the key, and accepts only the given host keys", async () => {
  const remote = createRemote();
  remote.commit({ "model/orders.yml": orders() }, "Begin");
  const remoteUrl = `ssh://git@127.0.0.1:2222${remote.path}`;
  const connect = (more: object) =>
    service.send("POST", `${build}/git/connect`, { remoteUrl, ...more });
  const privateKey =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
  const knownHosts = "[127.0.0.1]:2222 ssh-ed25519 AAAA";
  expect(await connect({ privateKey })).toMatchObject({ status: 400 });
  expect(await connect({ knownHosts })).toMatchObject({ status: 400 });
  expect(await connect({ knownHosts, privateKey, token: "x" })).toMatchObject({ status: 400 });
  const connected = await connect({ privateKey, knownHosts });
  expect(connected).toMatchObject({ status: 200, body: { knownHosts, hasCredential: true } });
  expect(JSON.stringify(connected.body)).not.toContain("c2VjcmV0");
  await service.enter();
  await service.put(orders(["id", "pushed"]), "model/orders.yml");
  expect((await service.commit("Pushed")).status).toBe(200);
  expect(remote.log()).toEqual(["Pushed", "Begin"]);
  expect([read("key"), read("mode").trim(), read("hosts")]).toEqual([
    `${privateKey}\n`,
    "600",
    `${knownHosts}\n`,
  ]);
  const args = read("args");
  expect(args).toContain("StrictHostKeyChecking=yes");
  expect(args).toContain("IdentityAgent=none");
  expect(args).toContain("/dev/null");
  expect(`${args}${read("env")}`).not.toContain("c2VjcmV0");
  expect(read("env")).not.toMatch(/^SSH_AUTH_SOCK=/m);
});
