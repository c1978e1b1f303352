// Tests checks that need no grant: the build of the version, the validation of the data model, and the health of the
// deployment.
import { expect, it } from "vitest";
import {
  defaultDeployments,
  newestVersion,
  olderVersion,
  openPromotionFixture,
  type PromotionFixture,
} from "../../promotion/fixture.ts";
import { setUpFixture, slowTest } from "../../promotion/test-hooks.ts";

let fixture: PromotionFixture;
// Separate services, because a service caches answers of queries by IDs, which another scene would reuse.
setUpFixture(
  (opened) => {
    fixture = opened;
  },
  () => openPromotionFixture(defaultDeployments, {}),
);

const checks = [{ api: "build" }, { api: "validate" }, { http: { url: "{url}/readyz" } }];
const dev = { checks, promotion: "automatic" };

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
  await fixture.verifyOnly();
  await writeModel();
  const { failures } = await fixture.promote();
  expect(failures[0]?.message).toMatch(
    /^1\.7\.20 did not pass in dev: build of Deployment\/dev failed: model\/cubes\/a\.yml:2:\d+: .*; validate of Deployment\/dev invalid: /,
  );
  // The previous version was verified while the model still built.
  expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
});

const load = { measures: ["a.count"] };
const atLeast = (min: number) => ({ query: { load, expect: { values: { "a.count": { min } } } } });

it("verifies by a query on production", slowTest, async () => {
  await fixture.writePipeline([{ ...dev, checks: [atLeast(2)] }]);
  await writeModel("SELECT unnest([1, 2]) AS id");
  const { failures, history } = await fixture.promote();
  expect(failures).toEqual([]);
  expect(history[0]?.evidence).toMatchObject([
    { check: "query of Deployment/dev", passed: true, message: "answered 1 row as expected" },
  ]);
});

it("does not verify a version that answers otherwise, or refuses the query", slowTest, async () => {
  const refused = { load: { measures: ["b.count"] }, expect: { rows: { min: 0 } } };
  await fixture.writePipeline([{ ...dev, checks: [atLeast(2), { query: refused }] }]);
  await writeModel("SELECT 1 AS id");
  const { failures } = await fixture.promote();
  expect(failures[0]?.message).toMatch(
    /in dev: query of Deployment\/dev row 1: a\.count is 1, expected at least 2; query of Deployment\/dev failed: .*'b' not found/u,
  );
});

/** Commits a cube to the deploy branch of the stage's deployment; an invalid one without SQL. */
async function writeModel(sql?: string): Promise<void> {
  const rest =
    sql === undefined ? "" : `    sql: "${sql}"\n    measures: [{ name: count, type: count }]\n`;
  const content = `cubes:\n  - name: a\n${rest}`;
  const { service } = fixture;
  const { body } = await service.send("GET", "/api/v1/deployments");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "dev")?.id;
  const base = `/build/api/v1/deployments/${id}`;
  await service.send("POST", `${base}/dev-mode`, { body: { branchName: "main" } });
  const files = [{ path: "model/cubes/a.yml", content }];
  const written = await service.send("PUT", `${base}/data-model/files`, { body: { files } });
  expect(written.status).toBe(200);
  await service.send("POST", `${base}/commit`, { body: { message: "Write", exitDevMode: true } });
}
