// Tests literal requests of generate-session: definitions of groups and attributes in an embed tenant.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListItem } from "./server-process.ts";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
beforeAll(async () => {
  fixture = await startWireFixture();
});
afterAll(() => fixture.stop());

let last = 0;
/** A session request in creator mode for an embed tenant that no other test uses. */
function freshSession() {
  last += 1;
  const embedTenantName = `tenant-${last}`;
  const named = async (what: string, name: string): Promise<ListItem | undefined> =>
    (await fixture.items(`/api/v1/embed-tenants/${embedTenantName}/${what}`)).find(
      (item) => item.name === name,
    );
  return {
    tenant: embedTenantName,
    base: { externalId: "creator", embedTenantName, creatorMode: true },
    group: (name: string) => named("groups", name),
    attribute: (name: string) => named("user-attributes", name),
  };
}

const exists = async (tenant: string) =>
  (await fixture.items("/api/v1/embed-tenants")).some(({ name }) => name === tenant);

describe("definitions of groups", () => {
  it("generate-session request row groupDefinitions: need creator mode", async () => {
    const { base, tenant } = freshSession();
    for (const creatorMode of [false, undefined, null]) {
      const answer = await fixture.generateSession({
        ...base,
        creatorMode,
        groupDefinitions: [{ name: "g" }],
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain("creatorMode");
    }
    expect(await exists(tenant)).toBe(false);
  });

  it("GroupDefinition row name: an existing group of the name is used again", async () => {
    const { base, group } = freshSession();
    await fixture.createSessionId({ ...base, groupDefinitions: [{ name: "makers" }] });
    const first = await group("makers");
    await fixture.createSessionId({
      ...base,
      groupDefinitions: [{ name: "makers" }, { name: "more" }],
    });
    expect(await group("makers")).toEqual(first);
    expect(await group("more")).toBeDefined();
  });

  it("GroupDefinition row name: required", async () => {
    const { base } = freshSession();
    for (const definition of [{}, { name: "" }, { name: null }, { description: "x" }, "makers"]) {
      const answer = await fixture.generateSession({ ...base, groupDefinitions: [definition] });
      expect(answer.status).toBe(400);
    }
  });

  it("GroupDefinition row name: the prefix system: is reserved", async () => {
    const { base, tenant } = freshSession();
    const request = { ...base, groupDefinitions: [{ name: "system:makers" }] };
    expect((await fixture.generateSession(request)).status).toBe(400);
    expect(await exists(tenant)).toBe(false);
  });

  it("GroupDefinition row description: updated when supplied and different, never cleared", async () => {
    const { base, group } = freshSession();
    const described = async (definition: object) => {
      await fixture.createSessionId({
        ...base,
        groupDefinitions: [{ name: "makers", ...definition }],
      });
      return (await group("makers"))?.["description"];
    };
    expect(await described({})).toBeUndefined();
    expect(await described({ description: "one" })).toBe("one");
    expect(await described({ description: "two" })).toBe("two");
    expect(await described({})).toBe("two");
    expect(await described({ description: null })).toBe("two");
    expect(await described({ description: "" })).toBe("two");
  });
});

describe("definitions of attributes", () => {
  it("generate-session request row userAttributeDefinitions: need creator mode", async () => {
    const { base, tenant } = freshSession();
    const userAttributeDefinitions = [{ name: "region", type: "string" }];
    const answer = await fixture.generateSession({
      ...base,
      creatorMode: false,
      userAttributeDefinitions,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain("creatorMode");
    expect(await exists(tenant)).toBe(false);
  });

  it("UserAttributeDefinition row name: an existing attribute of the name is used again", async () => {
    const { base, attribute } = freshSession();
    const userAttributeDefinitions = [{ name: "region", type: "string" }];
    await fixture.createSessionId({ ...base, userAttributeDefinitions });
    const first = await attribute("region");
    await fixture.createSessionId({ ...base, userAttributeDefinitions });
    expect(await attribute("region")).toEqual(first);
    const nameless = { ...base, userAttributeDefinitions: [{ type: "string" }] };
    expect((await fixture.generateSession(nameless)).status).toBe(400);
  });

  it("UserAttributeDefinition row type: string, number, string_array or number_array", async () => {
    const { base, attribute } = freshSession();
    const types = ["string", "number", "string_array", "number_array"];
    const userAttributeDefinitions = types.map((type) => ({ name: `a-${type}`, type }));
    await fixture.createSessionId({ ...base, userAttributeDefinitions });
    for (const type of types) expect((await attribute(`a-${type}`))?.["type"]).toBe(type);
    for (const type of ["boolean", "STRING", "", null, undefined]) {
      const wrong = { ...base, userAttributeDefinitions: [{ name: "wrong", type }] };
      expect((await fixture.generateSession(wrong)).status).toBe(400);
    }
    expect(await attribute("wrong")).toBeUndefined();
  });

  it.each(["displayName", "defaultValue", "description"])(
    "UserAttributeDefinition row %s: updated when supplied and different",
    async (member) => {
      const { base, attribute } = freshSession();
      const after = async (definition: object) => {
        const full = { name: "region", type: "string", ...definition };
        await fixture.createSessionId({ ...base, userAttributeDefinitions: [full] });
        return (await attribute("region"))?.[member];
      };
      expect(await after({})).toBeUndefined();
      expect(await after({ [member]: "one" })).toBe("one");
      expect(await after({ [member]: "two" })).toBe("two");
      expect(await after({})).toBe("two");
      expect(await after({ [member]: null })).toBe("two");
    },
  );

  it("UserAttributeDefinition row displayName: a member that is left out is kept", async () => {
    const { base, attribute } = freshSession();
    const define = (more: object) =>
      fixture.createSessionId({
        ...base,
        userAttributeDefinitions: [{ name: "r", type: "string", ...more }],
      });
    await define({ displayName: "R", defaultValue: "eu", description: "d" });
    await define({ displayName: "Region" });
    expect(await attribute("r")).toMatchObject({
      displayName: "Region",
      defaultValue: "eu",
      description: "d",
    });
  });

  it("UserAttributeDefinition row defaultValue: a text", async () => {
    const { base } = freshSession();
    const definition = { name: "seats", type: "number", defaultValue: 7 };
    const answer = await fixture.generateSession({
      ...base,
      userAttributeDefinitions: [definition],
    });
    expect(answer.status).toBe(400);
  });

  it("UserAttributeDefinition row description: a text", async () => {
    const { base } = freshSession();
    const definition = { name: "seats", type: "number", description: { text: "x" } };
    const answer = await fixture.generateSession({
      ...base,
      userAttributeDefinitions: [definition],
    });
    expect(answer.status).toBe(400);
  });
});

describe("definitions of groups and of attributes", () => {
  it("generate-session rule 7, needs: an embedTenantName", async () => {
    for (const definitions of [
      { groupDefinitions: [{ name: "g" }] },
      { userAttributeDefinitions: [{ name: "a", type: "string" }] },
    ]) {
      const answer = await fixture.generateSession({
        externalId: "creator",
        creatorMode: true,
        ...definitions,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain("embedTenantName");
    }
  });

  it("generate-session rule 7, scope: affect the embed tenant only", async () => {
    const { base } = freshSession();
    await fixture.createSessionId({
      ...base,
      groupDefinitions: [{ name: "only-inside" }],
      userAttributeDefinitions: [{ name: "only-inside", type: "string" }],
    });
    for (const list of ["user-groups", "user-attributes"]) {
      const names = (await fixture.items(`/api/v1/${list}`)).map(({ name }) => name);
      expect(names).not.toContain("only-inside");
    }
  });

  it("generate-session rule 7, order: are applied before groups and userAttributes", async () => {
    const { base, tenant } = freshSession();
    await fixture.createSessionId({
      ...base,
      groupDefinitions: [{ name: "makers" }],
      userAttributeDefinitions: [{ name: "region", type: "string" }],
      groups: ["makers"],
      userAttributes: [{ name: "region", value: "eu" }],
    });
    expect(await fixture.members(tenant, "makers")).toEqual(["creator"]);
  });

  it("generate-session rule 7, order: are validated before groups and userAttributes", async () => {
    const { base } = freshSession();
    await fixture.createSessionId({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "string" }],
    });
    const answer = await fixture.generateSession({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "number" }],
      groups: ["ghosts"],
      userAttributes: [{ name: "ghosts", value: 1 }],
    });
    expect(answer.body.error).toBe("cannot change type");
  });

  it("generate-session rule 7, order: unknown groups revert the definitions", async () => {
    const { base, tenant } = freshSession();
    const refused = { ...base, groupDefinitions: [{ name: "makers" }], groups: ["ghosts"] };
    const answer = await fixture.generateSession(refused);
    expect(answer.body.error).toBe("Groups with names ghosts not found");
    expect(await exists(tenant)).toBe(false);
  });

  it.each([
    ["groupDefinitions", [{ name: "g" }, { name: "g", description: "d" }]],
    [
      "userAttributeDefinitions",
      [
        { name: "a", type: "string" },
        { name: "a", type: "string" },
      ],
    ],
  ])("errors 400 duplicate definitions: in %s", async (member, definitions) => {
    const { base, tenant } = freshSession();
    const answer = await fixture.generateSession({ ...base, [member]: definitions });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(member);
    expect(await exists(tenant)).toBe(false);
  });
});

describe("an attribute's type", () => {
  it("generate-session rule 8: cannot change, and nothing is upserted", async () => {
    const { base, attribute, group } = freshSession();
    await fixture.createSessionId({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "string" }],
    });
    const answer = await fixture.generateSession({
      ...base,
      groupDefinitions: [{ name: "never" }],
      userAttributeDefinitions: [
        { name: "never", type: "number" },
        { name: "r", type: "number", displayName: "never" },
      ],
    });
    expect(answer.status).toBe(400);
    expect(await group("never")).toBeUndefined();
    expect(await attribute("never")).toBeUndefined();
    expect(await attribute("r")).toMatchObject({ type: "string" });
    expect((await attribute("r"))?.["displayName"]).toBeUndefined();
  });

  it("errors message cannot change type: word for word", async () => {
    const { base } = freshSession();
    await fixture.createSessionId({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "string" }],
    });
    const request = { ...base, userAttributeDefinitions: [{ name: "r", type: "string_array" }] };
    const answer = await fixture.generateSession(request);
    expect(answer.body.error).toBe("cannot change type");
    expect(answer.body.message).toBe("cannot change type");
  });

  it("generate-session rule 8: deleted through the tenant's endpoint, it can be created again with another type", async () => {
    const { base, tenant, attribute } = freshSession();
    await fixture.createSessionId({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "string" }],
    });
    const id = (await attribute("r"))?.id;
    await fixture.call("DELETE", `/api/v1/embed-tenants/${tenant}/user-attributes/${id}`);
    await fixture.createSessionId({
      ...base,
      userAttributeDefinitions: [{ name: "r", type: "number" }],
    });
    expect(await attribute("r")).toMatchObject({ type: "number" });
  });
});
