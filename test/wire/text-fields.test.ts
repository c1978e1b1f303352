// Tests literal requests with texts: names, descriptions, defaults of attributes, and addresses of images.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiResponse } from "./server-process.ts";
import { startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
beforeAll(async () => {
  fixture = await startWireFixture();
});
afterAll(() => fixture.stop());

const attributes = "/api/v1/user-attributes";
const post = (path: string, body: object) => fixture.call("POST", path, { body });
const put = (path: string, body: object) => fixture.call("PUT", path, { body });

let last = 0;
const uniqueName = (name: string) => `${name}-${++last}`;

describe("a name under which an object is created", () => {
  const makers: readonly (readonly [string, (name: string) => Promise<ApiResponse>])[] = [
    [
      "a deployment",
      (name) => post("/build/api/v1/deployments", { name, region: "aws-us-east-1" }),
    ],
    ["an attribute", (name) => post(attributes, { name, type: "string" })],
    ["a group", (name) => post("/api/v1/user-groups", { name })],
    [
      "a user",
      (username) => post("/api/v1/users", { username, email: `${uniqueName("u")}@b.example` }),
    ],
    ["an API key", (name) => post("/api/v1/api-keys", { name })],
    [
      "a workbook",
      (name) => post(`/api/v1/deployments/${fixture.deploymentId}/workbooks`, { name }),
    ],
    ["an embed tenant's group", (name) => define({ groupDefinitions: [{ name }] })],
    [
      "an embed tenant's attribute",
      (name) => define({ userAttributeDefinitions: [{ name, type: "string" }] }),
    ],
  ];

  const define = (more: object) =>
    fixture.generateSession({
      externalId: "x",
      embedTenantName: "texts-inc",
      creatorMode: true,
      ...more,
    });

  it.each(makers)("%s: has no white space around it, and is never changed", async (_, make) => {
    for (const name of ["", " ", "\t", " a", "a ", "a\n", "\u00a0a"]) {
      expect([name, (await make(name)).status]).toEqual([name, 400]);
    }
    expect((await make(" a")).body.error).toMatch(/name must .*start or end with white space$/);
    expect((await make(uniqueName("two words"))).status).toBe(200);
  });

  it("is matched exactly: another name is not found, and is not invalid", async () => {
    const looked = { externalId: "seeker", userAttributes: [{ name: " a ", value: "x" }] };
    expect((await fixture.generateSession(looked)).body.error).toBe("User attributes not found");
    const groups = await fixture.generateSession({ externalId: "seeker", groups: [" a "] });
    expect(groups.body.error).toBe("Groups with names  a  not found");
    expect(await fixture.items(`${attributes}?name=%20a%20`)).toEqual([]);
  });
});

describe("a text for people", () => {
  it("is stored exactly, and an empty one is no value", async () => {
    const name = uniqueName("kept");
    const texts = { displayName: "  Two  spaces ", description: "\tTab" };
    const created = await post(attributes, { name, type: "string", ...texts, defaultValue: "" });
    expect(created.json).toEqual({ id: created.body.id, name, type: "string", ...texts });
    const cleared = await put(`${attributes}/${created.body.id}`, {
      displayName: "",
      description: "",
    });
    expect(cleared.json).toEqual({ id: created.body.id, name, type: "string" });
  });

  it("UserProfile overwrites: an empty displayName clears the saved one", async () => {
    const base = { externalId: "profiled", embedTenantName: "texts-inc" };
    const shown = async (displayName: string) => {
      await fixture.createSessionId({ ...base, userProfile: { displayName } });
      return (await fixture.user("texts-inc", "profiled"))?.["firstName"];
    };
    expect(await shown("Ann")).toBe("Ann");
    expect(await shown("")).toBeUndefined();
  });

  it.each(["displayName", "defaultValue", "description"])(
    "UserAttributeDefinition row %s: an empty text is supplied and different, so it is no value then",
    async (member) => {
      const name = uniqueName("defined");
      const after = async (text: string) => {
        const definition = { name, type: "string", [member]: text };
        const base = { externalId: "x", embedTenantName: "texts-inc", creatorMode: true };
        await fixture.createSessionId({ ...base, userAttributeDefinitions: [definition] });
        const all = await fixture.items("/api/v1/embed-tenants/texts-inc/user-attributes");
        return all.find((one) => one.name === name)?.[member];
      };
      expect(await after("")).toBeUndefined();
      expect(await after("one")).toBe("one");
      expect(await after("")).toBeUndefined();
    },
  );
});

describe("the default of an attribute", () => {
  const right: readonly (readonly [string, string])[] = [
    ["string", "anything, [even this"],
    ["number", "-2.5e3"],
    ["boolean", "false"],
    ["string_array", "a, b"],
    ["string_array", '["a, b", "c\\"d"]'],
    ["string_array", "[]"],
    ["number_array", "1, 2.5"],
    ["number_array", "[1,2.5]"],
    ["number_array", "[]"],
  ];
  const wrong: readonly (readonly [string, string])[] = [
    ["number", "none"],
    ["number", "1,2"],
    ["number", "0x10"],
    ["number", "NaN"],
    ["number", " 1"],
    ["boolean", "yes"],
    ["boolean", "TRUE"],
    ["string_array", "[a, b]"],
    ["string_array", "[1]"],
    ["string_array", '["a"'],
    ["number_array", "a"],
    ["number_array", '["1"]'],
    ["number_array", "1,,2"],
  ];

  it.each(right)("of type %s may be %j, and is kept to the letter", async (type, defaultValue) => {
    const created = await post(attributes, { name: uniqueName("right"), type, defaultValue });
    expect(created.body).toMatchObject({ type, defaultValue });
  });

  it.each(wrong)(
    "of type %s is never %j, neither at a create nor at an update",
    async (type, defaultValue) => {
      const name = uniqueName("wrong");
      const refused = await post(attributes, { name, type, defaultValue });
      expect(refused.status).toBe(400);
      expect(refused.body.error).toContain(`the defaultValue of "${name}" must be `);
      expect(await fixture.items(`${attributes}?name=${name}`)).toEqual([]);
      const id = await fixture.create(attributes, { name, type });
      expect((await put(`${attributes}/${id}`, { displayName: "D", defaultValue })).status).toBe(
        400,
      );
      expect(await fixture.items(`${attributes}?name=${name}`)).toEqual([{ id, name, type }]);
    },
  );

  it.each(wrong.filter(([type]) => type !== "boolean"))(
    "UserAttributeDefinition row defaultValue: of type %s, never %j, and nothing is upserted",
    async (type, defaultValue) => {
      const [first, second, embedTenantName] = [
        uniqueName("a"),
        uniqueName("b"),
        uniqueName("defaults"),
      ];
      const answer = await fixture.generateSession({
        externalId: "x",
        embedTenantName,
        creatorMode: true,
        userAttributeDefinitions: [
          { name: first, type: "string" },
          { name: second, type, defaultValue },
        ],
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(`the defaultValue of "${second}" must be `);
      const tenants = await fixture.items("/api/v1/embed-tenants");
      expect(tenants.map(({ name }) => name)).not.toContain(embedTenantName);
    },
  );
});

describe("the address of a picture", () => {
  it.each(["https://bücher.example/größe.png", "http://例え.テスト/画像.svg"])(
    "UserProfile row picture: may be in any script, as %s, and is kept to the letter",
    async (picture) => {
      const request = { externalId: "seen", userProfile: { picture } };
      expect((await fixture.generateSession(request)).status).toBe(200);
      const user = {
        username: uniqueName("seen"),
        email: `${uniqueName("seen")}@b.example`,
        picture,
      };
      const created = await post("/api/v1/users", user);
      expect(created.body).toMatchObject({ picture });
    },
  );

  it("UserProfile row picture: an invalid one is reported with a message", async () => {
    const refused = await fixture.generateSession({
      externalId: "seen",
      userProfile: { picture: "a b" },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain("must start with http:// or https://");
  });
});
