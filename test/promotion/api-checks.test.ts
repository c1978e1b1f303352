// Checks that need no grant: the build on the version, the validation of the data model, and the health of the deployment.
import { expect, it } from "vitest";
import { newestVersion, olderVersion, type PromotionFixture } from "./fixture.ts";
import { setUpFixture, slowTest } from "./test-hooks.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

const verifies = [{ api: "build" }, { api: "validate" }, { http: { url: "{url}/readyz" } }];
const dev = { verifies, promotion: "automatic" };

it("promotes a version that is served, without a grant for checks", slowTest, async () => {
  await fixture.writePipeline([dev]);
  const { grants } = fixture.options;
  const without = { grants: { ...grants, checks: { origins: [], commands: {} } } };
  const { failures, history } = await fixture.promote(without);
  expect(failures).toEqual([]);
  expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
  expect(history[0]?.evidence).toMatchObject([
    { check: "build of Deployment/dev", passed: true, message: `built on ${newestVersion}` },
    { check: "validate of Deployment/dev", passed: true, message: "valid" },
    { check: expect.stringMatching(/^GET http.*\/deployments\/dev\/readyz$/), passed: true },
  ]);
});

it("does not verify a version on which the model does not build", slowTest, async () => {
  await fixture.writePipeline([{ ...dev, onFailure: "rollback" }]);
  const { service } = fixture;
  const { body } = await service.send("GET", "/api/v1/deployments");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "dev")?.id;
  await fixture.verifyOnly();
  const base = `/build/api/v1/deployments/${id}`;
  const branch = { branchName: "main" };
  await service.send("POST", `${base}/dev-mode`, { body: branch });
  const files = [{ path: "model/cubes/a.yml", content: "cubes:\n  - name: a\n" }];
  expect((await service.send("PUT", `${base}/data-model/files`, { body: { files } })).status).toBe(
    200,
  );
  await service.send("POST", `${base}/commit`, {
    body: { message: "Break it", exitDevMode: true },
  });
  const { failures } = await fixture.promote();
  expect(failures[0]?.message).toMatch(
    /^1\.7\.20 did not pass in dev: build of Deployment\/dev failed: model\/cubes\/a\.yml:2:\d+: .*; validate of Deployment\/dev invalid: /,
  );
  // The version before was verified when the model still built.
  expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
});
