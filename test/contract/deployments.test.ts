// Tests deployments: unique names, known regions, defaults, and what a scoped key may see.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CompiledQuery } from "kysely";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/deployments";
const make = (body: object) => service.send("POST", "/build/api/v1/deployments", { body });

describe("deployments", () => {
  it("need a name and a region; the rest has defaults, and null is leaving out", async () => {
    const region = "aws-us-east-1";
    const plain = await make({ name: "Sales & More", region });
    expect([plain.status, plain.body]).toEqual([
      200,
      {
        id: 2,
        name: "Sales & More",
        creationStep: "project",
        deploymentUrl: `${service.url}/deployments/sales-more-d2`,
      },
    ]);
    const nulls = { creationStep: null, cloudProvider: null, isManaged: null, deployMode: null };
    expect((await make({ name: "b", region, ...nulls })).status).toBe(200);
    expect((await make({ name: "c" })).status).toBe(400);
    expect((await make({ region })).status).toBe(400);
  });

  it("have URLs that answer for their health", async () => {
    const { deploymentUrl } = (await make({ name: "Café", region: "aws-us-east-1" })).body as {
      deploymentUrl: string;
    };
    const health = async (check: string) =>
      service.send("GET", new URL(`${deploymentUrl}/${check}`).pathname, { key: null });
    expect(await health("livez")).toMatchObject({ status: 200, body: { health: "HEALTH" } });
    expect(await health("readyz")).toMatchObject({ status: 200, body: { health: "HEALTH" } });
    await service.send("DELETE", `${path}/2`);
    expect(await health("livez")).toMatchObject({ status: 404 });
  });

  it("are not ready while the store cannot be written", async () => {
    await service.db.executeQuery(CompiledQuery.raw("drop table account"));
    const answer = await service.send("GET", "/deployments/main/readyz", { key: null });
    expect(answer).toMatchObject({ status: 500, body: { health: "DOWN" } });
  });

  it("have names that are unique, and regions that exist", async () => {
    expect((await make({ name: "main", region: "aws-us-east-1" })).status).toBe(409);
    const unknown = await make({ name: "x", region: "moon-1" });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("aws-us-east-1")]);
  });

  it("are read one by one, newest first, and by creation step", async () => {
    await make({ name: "b", region: "aws-us-east-1", creationStep: "ready" });
    await make({ name: "c", region: "aws-us-east-1", creationStep: "demo" });
    const names = async (query: string) =>
      (
        (await service.send("GET", `${path}${query}`)).body as { items: { name: string }[] }
      ).items.map(({ name }) => name);
    expect(await names("")).toEqual(["c", "b", "main"]);
    expect(await names("?creationStep=ready")).toEqual(["b"]);
    expect(await names("?creationStep=ready&creationStep=demo")).toEqual(["c", "b"]);
    expect((await service.send("GET", `${path}?creationStep=nope`)).status).toBe(400);
    expect((await service.send("GET", `${path}/2`)).body).toMatchObject({ name: "b" });
    expect((await service.send("GET", `${path}/99`)).status).toBe(404);
  });

  it("outside of a key's scope are neither listed nor counted", async () => {
    await make({ name: "b", region: "aws-us-east-1" });
    const key = await service.key({ deploymentIds: [2] });
    const { body } = await service.send("GET", path, { key });
    expect(body).toMatchObject({ items: [{ id: 2 }], totalCount: 1, pagination: { total: 1 } });
    expect((await service.send("GET", `${path}/1`, { key })).status).toBe(403);
    expect((await service.send("GET", `${path}/99`, { key })).status).toBe(403);
  });
});
