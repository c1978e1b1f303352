// The published compliance suite for SCIM servers, scim2-tester, against the service: where `scim2` is installed (`pip install
// scim2-cli scim2-tester`), else a counted skip. It changes every attribute that /Schemas shows.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findEngine } from "../../scripts/build-engines.ts";
import { onPostgres } from "../support/test-database.ts";
import { startService, type TestService } from "../support/test-service.ts";

const run = promisify(execFile);
const scim2 = findEngine("scim2");
const why = scim2 === undefined ? " (scim2 is not on PATH)" : "";

// The checks of the suite do not depend on the store.
describe.skipIf(scim2 === undefined || onPostgres)(`the compliance suite of scim2${why}`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  });
  afterAll(async () => service.close());

  it("passes", { timeout: 120_000 }, async () => {
    const body = { name: "compliance", permissions: ["ScimManage"] };
    const { token } = (await service.send("POST", "/api/v1/api-keys", { body })).body as {
      token: string;
    };
    const env = {
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
      SCIM_CLI_HEADERS: `Authorization: Bearer ${token}`,
    };
    const args = ["--url", `${service.url}/api/scim/v2`, "test", "--verbose"];
    const { stdout } = await run(scim2 ?? "", args, { env, maxBuffer: 1 << 26 }).catch(
      (error: { readonly stdout: string }) => error,
    );
    // Each check is a line with its result, and indented lines about it.
    const checks = stdout.split(/^(?=[A-Z]{4,} )/mu).filter((one) => /^[A-Z]{4,} /u.test(one));
    const passed = checks.filter((one) => one.startsWith("SUCCESS "));
    const skipped = checks.filter((one) => one.startsWith("SKIPPED "));
    const objections = checks.filter((one) => !passed.includes(one) && !skipped.includes(one));
    expect(objections.map((one) => one.slice(0, 2000))).toEqual([]);
    expect(passed.length).toBeGreaterThan(100);
  });
});
