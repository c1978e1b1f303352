// Deployments: unique names, known regions, what is left out, and what a scoped key sees.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
        deploymentUrl: "https://sales-more-2.aws-us-east-1.svc.localhost",
      },
    ]);
    const nulls = { creationStep: null, cloudProvider: null, isManaged: null, deployMode: null };
    expect((await make({ name: "b", region, ...nulls })).status).toBe(200);
    expect((await make({ name: "c" })).status).toBe(400);
    expect((await make({ region })).status).toBe(400);
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
