// Tests that a controller with an inventory in a file continues after its server gets another address.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSvc } from "../golden/run-cli.ts";
import { groupDocument, openControllerFixture } from "./fixture.ts";

it("continues at another address of the server, after the steps that the refusal names", async () => {
  const fixture = await openControllerFixture();
  try {
    const { proxy, service, env } = fixture;
    const stackFolder = fixture.stack("repository/stacks/northwind", [groupDocument("north")]);
    const repository = join(fixture.home, "repository");
    fixture.git(repository, "init", "--quiet", "--initial-branch=main");
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", "begin");
    const source = { git: { url: repository, branch: "main", path: "stacks/northwind" } };
    expect(await fixture.reconcileOnce([source])).toMatchObject([{ result: "applied" }]);
    env["SVC_API_URL"] = service.url;
    const [refused] = await fixture.reconcileOnce([source]);
    const folder = join(fixture.home, "state/sources/northwind/kept");
    const command = `svc inventory move --former-url ${proxy.url} ${folder}`;
    expect(refused).toMatchObject({ result: "failed", failure: { code: "refused" } });
    expect(refused?.failure?.remedy).toContain(`, to ${folder}, run \`${command}\`, and delete`);
    const copy = join(folder, "stack.yaml");
    copyFileSync(join(stackFolder, "stack.yaml"), copy);
    const moved = await runSvc([...command.split(" ").slice(1), "--yes"], { env });
    expect([moved.code, moved.err]).toEqual([0, ""]);
    rmSync(copy);
    expect(await fixture.reconcileOnce([source])).toMatchObject([{ result: "unchanged" }]);
  } finally {
    await fixture.close();
  }
});
