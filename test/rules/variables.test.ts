// The rules of environment variables: masked by name, set by name, the placeholder refused, and sealed in the store.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

const path = "/api/v1/deployments/1/env-vars";
let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const put = (variables: Readonly<Record<string, unknown>>) =>
  service.send("PUT", path, {
    body: { env_variables: Object.entries(variables).map(([name, value]) => ({ name, value })) },
  });

function valuesIn(body: unknown): Readonly<Record<string, string>> {
  const { items } = body as { items: readonly { name: string; value: string }[] };
  return Object.fromEntries(items.map(({ name, value }) => [name, value]));
}

const values = async () => valuesIn((await service.send("GET", path)).body);

describe("variables", () => {
  it("client area Other, variables: are set by name, others stay, and the answer has all", async () => {
    await put({ A: "1", B: "2" });
    expect(valuesIn((await put({ B: "3", C: "" })).body)).toEqual({ A: "1", B: "3", C: "" });
    expect(await values()).toEqual({ A: "1", B: "3", C: "" });
    expect((await service.send("DELETE", `${path}/A`)).status).toBe(204);
    expect((await service.send("DELETE", `${path}/A`)).status).toBe(204);
    expect(await values()).toEqual({ B: "3", C: "" });
  });

  it("are masked where their name says that they are secret", async () => {
    const secret = ["DB_PASS", "my_secret", "ApiToken", "KEY", "monkey", "CREDENTIALS_FILE"];
    const open = ["REGION", "PAS_S", "TOKE_N"];
    await put(Object.fromEntries([...secret, ...open].map((name) => [name, "value"])));
    expect(await values()).toEqual({
      ...Object.fromEntries(secret.map((name) => [name, "[ENCRYPTED]"])),
      ...Object.fromEntries(open.map((name) => [name, "value"])),
    });
  });

  it("refuse the placeholder, and the whole request with it", async () => {
    expect((await put({ A: "1", DB_PASS: "[ENCRYPTED]" })).status).toBe(400);
    expect((await put({ REGION: "[ENCRYPTED]" })).status).toBe(400);
    expect(await values()).toEqual({});
  });

  it("refuse new names of another form, but not those that are stored", async () => {
    for (const name of ["1A", "A-B", "A B", "Ä", "A.B"]) {
      expect([name, (await put({ [name]: "1" })).status]).toEqual([name, 400]);
    }
    await put({ LEGACY: "1" });
    await service.db.updateTable("deployment_variables").set({ name: "legacy-name" }).execute();
    expect((await put({ "legacy-name": "2" })).status).toBe(200);
    expect(await values()).toEqual({ "legacy-name": "2" });
  });

  it("refuse a name twice, and more than a deployment has room for", async () => {
    const twice = ["1", "2"].map((value) => ({ name: "A", value }));
    const answer = await service.send("PUT", path, { body: { env_variables: twice } });
    expect(answer.status).toBe(400);
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "x"]));
    expect((await put(many("A", 1000))).status).toBe(200);
    expect((await put(many("B", 1))).status).toBe(400);
    expect((await put(many("A", 1000))).status).toBe(200);
  });

  it("belong to one deployment, whose key reaches them", async () => {
    expect((await service.send("GET", "/api/v1/deployments/9/env-vars")).status).toBe(404);
    expect(
      (
        await service.send("PUT", "/api/v1/deployments/9/env-vars", {
          body: { env_variables: [{ name: "A", value: "1" }] },
        })
      ).status,
    ).toBe(404);
    const key = await service.key({ admin: false });
    expect((await service.send("GET", path, { key })).status).toBe(403);
  });

  it("are encrypted in the store, each for its own place", async () => {
    await put({ DB_PASS: "hunter2-hunter2", REGION: "EMEA-EMEA" });
    const rows = await service.db.selectFrom("deployment_variables").selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|EMEA/);
  });
});
