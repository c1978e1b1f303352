// Tests plans that would end the credential that svc uses, or take rights from it, on the real service.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/undo.ts";
import { changeSummaries, type Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ policy: { prune: true } });

const kept: Doc = { kind: "UserGroup", name: "north", spec: { name: "north" } };
const adopted = { adopt: () => true };

interface Me {
  readonly email: string;
  readonly username: string;
  readonly credential: { readonly name: string };
}

/** Returns the documents of the administrator's key and of its user, as an export writes them. */
async function operator(): Promise<{ readonly key: Doc; readonly user: Doc }> {
  const { body } = await fixture.service.send("GET", "/api/v1/users/me");
  const { email, username, credential } = body as Me;
  return {
    key: { kind: "ApiKey", name: "operator", spec: { name: credential.name } },
    user: { kind: "User", name: "admin", spec: { email, username } },
  };
}

/** Returns a connection with another administrator's key. */
async function second() {
  const credential = new Secret(await fixture.service.key({ admin: true }));
  return { ...fixture.stack.options.connection, credential };
}

/** Expects these errors of the plan, and that an apply writes nothing. */
async function expectRefused(...errors: readonly JsonObject[]): Promise<void> {
  const { diagnostics } = await fixture.stack.plan();
  expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject(errors);
  fixture.proxy.arm();
  await expect(fixture.stack.apply({ allowDeletes: 9 })).rejects.toMatchObject({ code: "refused" });
  expect(fixture.proxy.writes()).toEqual([]);
}

const code = "own-credential";

describe("a plan with the credential that it runs with", () => {
  it("is refused if it deletes the key, and runs with another one", async () => {
    const { key } = await operator();
    await fixture.stack.write([kept, key]);
    await fixture.stack.apply(adopted);
    await fixture.stack.write([kept]);
    await expectRefused({
      code,
      address: "ApiKey/operator",
      summary: "the plan deletes the API key that svc uses",
      remedy: expect.stringContaining("Run svc with another credential") as string,
    });
    const connection = await second();
    expect((await fixture.stack.plan({ connection })).diagnostics).toEqual([]);
    await fixture.stack.apply({ connection, allowDeletes: 9 });
    expect((await fixture.service.send("GET", "/api/v1/users/me")).status).toBe(401);
  });

  it("is refused if it deletes or demotes its user", async () => {
    const { user } = await operator();
    await fixture.stack.write([kept, { ...user, spec: { ...user.spec, isAdmin: false } }]);
    const { diagnostics } = await fixture.stack.plan(adopted);
    expect(diagnostics).toMatchObject([
      {
        code,
        address: "User/admin",
        summary: "the plan takes rights from the user of the credential that svc uses: isAdmin",
      },
    ]);
    await fixture.stack.write([kept, user]);
    await fixture.stack.apply(adopted);
    await fixture.stack.write([kept]);
    await expectRefused({ code, address: "User/admin" });
  });

  it("is refused if it narrows the key, not if it renames it", async () => {
    const { key } = await operator();
    await fixture.stack.write([kept, { ...key, spec: { ...key.spec, permissions: ["ReadAll"] } }]);
    const { diagnostics } = await fixture.stack.plan(adopted);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([
      { code, address: "ApiKey/operator" },
    ]);
    await fixture.stack.write([kept, key]);
    await fixture.stack.apply(adopted);
    await fixture.stack.write([kept, { ...key, spec: { name: "renamed" } }]);
    const plan = await fixture.stack.plan();
    expect([changeSummaries(plan.changes), plan.diagnostics]).toEqual([
      [expect.stringContaining("update ApiKey/operator")],
      [],
    ]);
  });

  it("is refused as the undo of the run that created the key", async () => {
    await fixture.stack.write([kept, { kind: "ApiKey", name: "ci", spec: { name: "ci" } }]);
    await fixture.stack.apply();
    const token = await readFile(join(fixture.stack.folder, "secrets", "ci"), "utf8");
    const { options } = fixture.stack;
    const connection = { ...options.connection, credential: new Secret(token.trim()) };
    const reported = await history(options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    const undone = undo({ ...options, connection, run, approve: async () => true });
    await expect(undone).rejects.toMatchObject({ code: "refused" });
  });
});
