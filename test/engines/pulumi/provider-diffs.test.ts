// Tests diffs and validation errors, call by call, against the real service.
import { describe, expect, it } from "vitest";
import { type PropertyMap, unknownValue } from "../../../provider/pulumi/property-values.ts";
import { scimClient } from "../../support/scim-client.ts";
import { setUpProviderFixture, sampleResources } from "./provider-fixture.ts";

const fixture = setUpProviderFixture();
const { tenant, group, deployment, user } = sampleResources;

describe("diffs", () => {
  it("report the path of each change and whether it replaces", async () => {
    const inputs = { name: "production", region: "aws-us-east-1", release: { channel: "release" } };
    const held = await fixture.create(deployment, inputs);
    const news = { ...inputs, targetPlatform: "gcp", release: { channel: "latest" } };
    const diff = await fixture.driver.diff(deployment, held, { news });
    expect(diff.detailed).toMatchObject({
      "release.channel": "UPDATE",
      targetPlatform: "UPDATE_REPLACE",
    });
    expect(diff.replaces).toEqual(["targetPlatform"]);
    expect(diff.deleteBeforeReplace).toBe(true);
    const ignored = ["release", "targetPlatform"];
    expect(await fixture.driver.diff(deployment, held, { news, ignored })).toMatchObject({
      changes: "none",
    });
  });

  it("create the replacement first if its key differs", async () => {
    const held = await fixture.create(tenant, { name: "acme-stores" });
    const diff = await fixture.driver.diff(tenant, held, { news: { name: "acme-retail" } });
    expect(diff).toMatchObject({ replaces: ["name"], deleteBeforeReplace: false });
  });

  it("detect drift after a refresh and repair it", async () => {
    const inputs = { name: "acme-stores", displayName: "Acme" };
    const held = await fixture.create({ ...tenant }, inputs);
    const on = { type: "UserGroup", name: "everyone" };
    const groupInputs = { name: "sales", description: "Sellers" };
    const heldGroup = await fixture.create(on, groupInputs);
    const id = Number(heldGroup.state["userGroupId"]);
    const sent = { body: { name: "sales", description: "Changed by hand" } };
    expect(
      (await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, sent)).status,
    ).toBeLessThan(300);
    const seen = await fixture.driver.read(on, heldGroup);
    expect(seen?.inputs["description"]).toBe("Changed by hand");
    const diff = await fixture.driver.diff(on, seen ?? heldGroup, { news: groupInputs });
    expect(diff.detailed).toEqual({ description: "UPDATE" });
    const state = await fixture.driver.update(on, seen ?? heldGroup, { news: groupInputs });
    expect(state["description"]).toBe("Sellers");
    expect(await fixture.driver.diff(tenant, held, { news: inputs })).toMatchObject({
      changes: "none",
    });
  });

  it("keep a list that the program omits in the preview of another change", async () => {
    await fixture.create(tenant, { name: "acme-stores" });
    await fixture.create(group, { embedTenant: "acme-stores", name: "directors" });
    const inputs = { embedTenant: "acme-stores", externalId: "ada" };
    const held = await fixture.create(user, { ...inputs, tenantGroups: ["directors"] });
    const before = (await fixture.driver.read(user, held)) ?? held;
    const news = { ...inputs, displayName: "Ada" };
    const planned = await fixture.driver.update(user, before, { news, preview: true });
    expect(planned).toMatchObject({ displayName: "Ada", tenantGroups: ["directors"] });
    const state = await fixture.driver.update(user, before, { news });
    expect(state["tenantGroups"]).toEqual(["directors"]);
    const same = { news: { ...inputs, tenantGroups: ["directors"], displayName: "Ada" } };
    expect(await fixture.driver.update(user, before, { ...same, preview: true })).toMatchObject({
      tenantGroups: ["directors"],
    });
  });

  it("keep the inputs of a program that express the same value differently", async () => {
    const inputs = {
      name: "production",
      region: "aws-us-east-1",
      launchpadTabs: ["b", "a"],
      release: { channel: "latest", version: "v1.7.20" },
    };
    const held = await fixture.create(deployment, inputs);
    const read = await fixture.driver.read(deployment, held);
    expect(read?.inputs).toEqual(inputs);
    expect(await fixture.driver.diff(deployment, read ?? held, { news: inputs })).toMatchObject({
      changes: "none",
    });
  });
});

describe("errors", () => {
  it("are reported in a preview that would change what an identity provider manages", async () => {
    const { service, driver } = fixture;
    await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
    const email = "ann@corp.example";
    await scimClient(() => service).createUser({ userName: email, displayName: "Ann" });
    const on = { type: "User", name: "ann" };
    const { inputs = {}, state = {} } = (await driver.read(on, { id: email })) ?? {};
    const held = { id: email, inputs, state };
    const preview = (more: PropertyMap) =>
      driver.update(on, held, { news: { ...inputs, ...more }, preview: true });
    await expect(preview({ firstName: "Bo" })).rejects.toMatchObject({
      message: expect.stringContaining(
        `the identity provider (SCIM) manages firstName of User ${email}. Make the change there`,
      ) as string,
    });
    expect(await preview({ firstName: unknownValue, isAdmin: true })).toMatchObject({
      isAdmin: true,
    });
  });

  it("are reported in one response, each with its property", async () => {
    const { failures } = await fixture.driver.check(deployment, {
      name: "",
      regoin: "x",
      release: { channel: "nightly", "a.b": 1 },
      launchpadTabs: ["ok", 5],
    });
    expect(failures.map(({ property }) => property).toSorted()).toEqual([
      "launchpadTabs[1]",
      "name",
      "region",
      "regoin",
      "release.channel",
      'release["a.b"]',
    ]);
    expect(failures.find(({ property }) => property === "regoin")?.reason).toContain("region");
  });

  it("in unknown values are not reported", async () => {
    const { failures } = await fixture.driver.check(group, {
      embedTenant: unknownValue,
      name: unknownValue,
    });
    expect(failures).toEqual([]);
  });

  it("in function arguments are reported with the argument", async () => {
    const { failures } = await fixture.driver.invoke("svc:index:getEmbedGroup", {
      nmae: "x",
      embedTenant: "t",
    });
    expect(failures.map(({ property }) => property)).toEqual(["nmae", "name"]);
    await expect(
      fixture.driver.invoke("svc:index:getEmbedTenant", { name: "unknown-tenant" }),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    const nowhere = fixture.driver.invoke("svc:index:getEmbedGroups", {
      embedTenant: "unknown-tenant",
    });
    await expect(nowhere).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("unknown-tenant") as string,
    });
    await fixture.create(tenant, { name: "acme-stores" });
    const none = await fixture.driver.invoke("svc:index:getEmbedGroups", {
      embedTenant: "acme-stores",
    });
    expect(none.result).toEqual({ items: [] });
    await expect(fixture.driver.invoke("svc:index:getNothing", {})).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("of creates are definite: an existing object is refused, with how to import it or to replace it on request", async () => {
    await fixture.create(tenant, { name: "acme-stores" });
    await fixture.restart();
    await expect(fixture.driver.create(tenant, { name: "acme-stores" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringMatching(
        /Import it with the id acme-stores.*set the option deleteBeforeReplace/s,
      ) as string,
    });
  });
});
