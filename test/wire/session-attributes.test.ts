// Tests literal requests of generate-session: values of attributes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
const tenant = "attributed";
const base = { externalId: "holder", embedTenantName: tenant };
beforeAll(async () => {
  fixture = await startWireFixture();
  for (const [name, type] of [
    ["region", "string"],
    ["seats", "number"],
    ["teams", "string_array"],
    ["scores", "number_array"],
  ]) {
    await fixture.create("/api/v1/user-attributes", { name, type });
  }
  await fixture.createSessionId(base);
});
afterAll(() => fixture.stop());

const sessionWith = (userAttributes: unknown) =>
  fixture.generateSession({ ...base, userAttributes });

describe("attributes of the account", () => {
  it("generate-session request row userAttributes: a list of names with values", async () => {
    for (const wrong of [{ region: "eu" }, ["region"], [{ value: "eu" }], "region"]) {
      expect((await sessionWith(wrong)).status).toBe(400);
    }
    expect((await sessionWith([])).status).toBe(200);
    expect((await sessionWith(null)).status).toBe(200);
  });

  it("attribute value row value: of the definition's type", async () => {
    const given = { region: "eu", seats: 2.5, teams: ["a", "b"], scores: [1, 2.5] };
    const list = Object.entries(given).map(([name, value]) => ({ name, value }));
    expect((await sessionWith(list)).status).toBe(200);
    expect(await fixture.values(tenant, "holder")).toEqual(given);
  });

  it.each([
    ["region", 1],
    ["region", ["eu"]],
    ["region", true],
    ["seats", "2"],
    ["seats", [2]],
    ["teams", "a"],
    ["teams", [1]],
    ["scores", 1],
    ["scores", ["1"]],
    ["scores", [1, "1"]],
  ])("attribute value row value: %s refuses %j", async (name, value) => {
    const before = await fixture.values(tenant, "holder");
    expect((await sessionWith([{ name, value }])).status).toBe(400);
    expect(await fixture.values(tenant, "holder")).toEqual(before);
  });

  it("attribute value row value: an empty list is a value of both kinds of lists", async () => {
    const empty = [
      { name: "teams", value: [] },
      { name: "scores", value: [] },
    ];
    expect((await sessionWith(empty)).status).toBe(200);
    expect(await fixture.values(tenant, "holder")).toMatchObject({ teams: [], scores: [] });
  });

  it("attribute value row value: null clears it", async () => {
    await sessionWith([{ name: "region", value: "eu" }]);
    await sessionWith([{ name: "region", value: null }]);
    expect((await fixture.values(tenant, "holder"))["region"] ?? null).toBeNull();
    expect((await sessionWith([{ name: "region", value: null }])).status).toBe(200);
  });

  it("attribute value row value: an absent one keeps what is stored", async () => {
    await sessionWith([{ name: "region", value: "eu" }]);
    expect((await sessionWith([{ name: "region" }])).status).toBe(200);
    expect(await fixture.values(tenant, "holder")).toMatchObject({ region: "eu" });
  });

  it("attribute value row name: has to reference a definition", async () => {
    const answer = await sessionWith([{ name: "unheard-of", value: 1 }]);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe("User attributes not found");
  });

  it("errors message User attributes not found: for any unknown name among known ones", async () => {
    const given = [
      { name: "region", value: "never" },
      { name: "unheard-of", value: "x" },
    ];
    const answer = await sessionWith(given);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe("User attributes not found");
    const unknown = {
      path: "body.userAttributes[1].name",
      message: "there is no attribute unheard-of",
    };
    expect(answer.body).toMatchObject({ details: { errors: [unknown] } });
    expect((await fixture.values(tenant, "holder"))["region"]).not.toBe("never");
  });

  it("generate-session rule 4: a later call overwrites the names it gives and keeps the others", async () => {
    await sessionWith([
      { name: "region", value: "eu" },
      { name: "seats", value: 1 },
    ]);
    await sessionWith([{ name: "region", value: "us" }]);
    await fixture.createSessionId(base);
    expect(await fixture.values(tenant, "holder")).toMatchObject({ region: "us", seats: 1 });
  });

  it("generate-session rule 4: values belong to one user", async () => {
    await sessionWith([{ name: "region", value: "eu" }]);
    await fixture.createSessionId({ ...base, externalId: "neighbour" });
    expect(await fixture.values(tenant, "neighbour")).toEqual({});
  });

  it("errors 400 duplicate userAttributes: are refused, also with equal values", async () => {
    const twice = [
      { name: "region", value: "x" },
      { name: "region", value: "x" },
    ];
    const answer = await sessionWith(twice);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain("region");
    expect((await fixture.values(tenant, "holder"))["region"]).not.toBe("x");
  });
});

describe("attributes of an embed tenant, in creator mode", () => {
  const creator = { externalId: "creator", embedTenantName: "workshop", creatorMode: true };

  it("generate-session rule 3: without creator mode the account's attributes, with it the tenant's", async () => {
    const userAttributeDefinitions = [{ name: "inside", type: "number" }];
    await fixture.createSessionId({ ...creator, userAttributeDefinitions });
    const inside = [{ name: "inside", value: 1 }];
    const outside = [{ name: "region", value: "eu" }];
    const says = async (request: object) =>
      (await fixture.generateSession({ ...creator, ...request })).body.error;
    expect(await says({ userAttributes: inside })).toBeUndefined();
    expect(await says({ userAttributes: outside })).toBe("User attributes not found");
    const plain = { creatorMode: false };
    expect(await says({ ...plain, userAttributes: outside })).toBeUndefined();
    expect(await says({ ...plain, userAttributes: inside })).toBe("User attributes not found");
  });

  it("generate-session rule 3: the same name is one attribute of the account and another of the tenant", async () => {
    const otherCreator = { ...creator, embedTenantName: "other-shop" };
    const userAttributeDefinitions = [{ name: "region", type: "number" }];
    await fixture.createSessionId({
      ...otherCreator,
      externalId: "both",
      userAttributeDefinitions,
      userAttributes: [{ name: "region", value: 7 }],
    });
    const wrong = { ...otherCreator, userAttributes: [{ name: "region", value: "eu" }] };
    expect((await fixture.generateSession(wrong)).status).toBe(400);
    // The account's list of values does not show those of a tenant.
    expect(await fixture.values("other-shop", "both")).toEqual({});
  });
});
