// Tests that groups and attributes of the account and of an embed tenant never mix.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exchangeSession, generateSession } from "../../api/embed.ts";
import {
  createUserAttribute,
  listUserAttributeValues,
  setUserAttributeValue,
} from "../../api/user-attributes.ts";
import { createUserGroup } from "../../api/user-groups.ts";
import type { RequestOf } from "../../core/operation/operation.ts";
import { readCaller } from "../../service/data-plane/caller.ts";
import { compilePolicies } from "../../service/model/compile-policies.ts";
import { policiesFor } from "../../service/query/access.ts";
import { identify } from "../../service/security/principal.ts";
import { openAccount, type TestAccount } from "./test-account.ts";

let account: TestAccount;
beforeEach(async () => {
  account = await openAccount();
  for (const name of ["vip", "staff"]) await account.run(createUserGroup, { body: { name } });
  await account.run(createUserAttribute, { body: { name: "store", type: "string" } });
});
afterEach(() => account.close());

type SessionRequest = RequestOf<typeof generateSession>["body"];

/** Returns the token of a session of one user of the tenant `acme-inc`. */
async function open(more: Partial<SessionRequest>): Promise<string> {
  const user = { deploymentId: 1, externalId: "jane", embedTenantName: "acme-inc" };
  const body = await account.run(generateSession, { body: { ...user, ...more } });
  return (await account.run(exchangeSession, { body })).token;
}

/** Returns what access policies read for a token. */
async function callerOf(token: string) {
  const principal = await identify(account.db, account, token);
  if (principal === undefined) throw new Error("the token is not valid");
  return readCaller(account.db, principal);
}

const inTenant = {
  creatorMode: true,
  groupDefinitions: [{ name: "vip" }, { name: "admins" }],
  userAttributeDefinitions: [{ name: "store", type: "string" as const, defaultValue: "Bergen" }],
};

const userId = async () =>
  (
    await account.db
      .selectFrom("users")
      .select("id")
      .where("external_id", "=", "jane")
      .executeTakeFirstOrThrow()
  ).id;

describe("the catalogues of the account and of an embed tenant", () => {
  it("keep attribute values apart, also for tokens of earlier sessions", async () => {
    const plain = await open({ userAttributes: [{ name: "store", value: "Rome" }] });
    const creator = await open({ ...inTenant, userAttributes: [{ name: "store", value: "Oslo" }] });
    const later = await open({});
    const store = async (token: string) => (await callerOf(token)).userAttributes["store"];
    expect(await Promise.all([plain, creator, later].map(store))).toEqual(["Rome", "Oslo", "Rome"]);
    await open({ userAttributes: [{ name: "store", value: null }] });
    expect(await Promise.all([plain, creator, later].map(store))).toEqual([
      undefined,
      "Oslo",
      undefined,
    ]);
    await open({ creatorMode: true, userAttributes: [{ name: "store", value: null }] });
    expect(await Promise.all([plain, creator].map(store))).toEqual([undefined, "Bergen"]);
  });

  it("keep attribute values apart in the account's own list of values", async () => {
    await open({ ...inTenant, userAttributes: [{ name: "store", value: "Oslo" }] });
    const params = { userId: await userId() };
    expect(await account.list(listUserAttributeValues, { params })).toEqual([]);
    const { id } = await account.db
      .selectFrom("user_attributes")
      .select("id")
      .where("embed_tenant_id", "is not", null)
      .executeTakeFirstOrThrow();
    const body = { userId: String(params.userId), userAttributeId: String(id), value: "Rome" };
    await expect(account.run(setUserAttributeValue, { body })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("keep groups apart, and name those of a tenant with the tenant", async () => {
    const creator = await open({ ...inTenant, groups: ["vip", "admins"] });
    const plain = await open({ groups: ["staff"] });
    const own = ["system:tenant:acme-inc:admins", "system:tenant:acme-inc:vip"];
    expect((await callerOf(creator)).groups).toEqual(own);
    expect((await callerOf(plain)).groups).toEqual(["staff", ...own]);
    await open({ groups: ["vip"], tenantGroups: ["admins"] });
    expect((await callerOf(creator)).groups).toEqual(["system:tenant:acme-inc:admins"]);
    expect((await callerOf(plain)).groups).toEqual(["system:tenant:acme-inc:admins", "vip"]);
  });

  it("are distinguished by policies, which accept two forms of the name of a tenant's group", async () => {
    const creator = await callerOf(await open({ ...inTenant, groups: ["vip"] }));
    const plain = await callerOf(await open({}));
    const opens = (group: string) => {
      const subject = { name: "orders" } as Parameters<typeof compilePolicies>[1];
      const policies = compilePolicies([{ value: { group }, at: {} as never }], subject);
      return [creator, plain].map(
        (caller) => policiesFor({ name: "orders", policies }, caller)?.length === 1,
      );
    };
    expect(opens("vip")).toEqual([false, false]);
    expect(opens("system:tenant:acme-inc:vip")).toEqual([true, true]);
    expect(opens("system:tenant:acme-inc:group:vip")).toEqual([true, true]);
    expect(opens("system:tenant:other-inc:vip")).toEqual([false, false]);
  });

  it("give a recipient the names of its catalogue alone", async () => {
    await open({ userAttributes: [{ name: "store", value: "Rome" }], groups: ["staff"] });
    await open({
      ...inTenant,
      userAttributes: [{ name: "store", value: "Oslo" }],
      groups: ["vip"],
    });
    const of = async (catalogue: "account" | "tenant", groups?: string[]) => {
      const recipient = { catalogue, userAttributes: {}, ...(groups && { groups }) };
      const source = { userId: await userId(), isAdmin: false, recipient };
      const { groups: found, userAttributes } = await readCaller(account.db, source);
      return [found, userAttributes["store"]];
    };
    expect(await of("account")).toEqual([["staff", "system:tenant:acme-inc:vip"], "Rome"]);
    expect(await of("account", ["vip"])).toEqual([["vip"], "Rome"]);
    expect(await of("tenant")).toEqual([["system:tenant:acme-inc:vip"], "Oslo"]);
    expect(await of("tenant", ["admins"])).toEqual([["system:tenant:acme-inc:admins"], "Oslo"]);
  });
});
