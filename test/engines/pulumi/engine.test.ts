// Real programs of users on the real SDK and the real provider, under a stand-in for Pulumi's engine: whole lives of stacks.
import type * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { referredKinds } from "../../../core/references.ts";
import { propertiesOf } from "../../../provider/pulumi/properties.ts";
import { opened, Sealed } from "../../../provider/pulumi/values.ts";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { kinds } from "../../../resources/index.ts";
import { everyKind, makePeople } from "../../support/every-kind.ts";
import { type LiveState, liveState } from "../../support/live.ts";
import { type Proxy, startProxy } from "../../support/proxy.ts";
import { startService, type TestService } from "../../support/service.ts";
import { changed as changedDocs, stackWords, type Words } from "../../support/plan-words.ts";
import { makeStack } from "../../support/stack.ts";
import { type Ran, TestEngine } from "./engine.ts";
import { programOf } from "./program.ts";
import { steps } from "./steps.ts";

let service: TestService;
let proxy: Proxy;
let engine: TestEngine;
let bare: LiveState;

beforeEach(async () => {
  service = await startService();
  await makePeople(service);
  bare = await liveState(service);
  proxy = await startProxy(service.url);
  engine = stack();
});
afterEach(async () => {
  await proxy.close();
  await service.close();
});

function stack(): TestEngine {
  return new TestEngine({ config: { url: proxy.url, apiKey: new Sealed(service.adminKey) } });
}

const region = "aws-us-east-1";

/** A tenant with two groups, and a deployment with a secret variable. */
function company(
  change: Partial<Record<"tenant" | "display" | "secret" | "deployment", string>> = {},
) {
  return async (): Promise<Record<string, unknown>> => {
    const production = new svc.Deployment("production", {
      name: change.deployment ?? "production",
      region,
    });
    new svc.EnvironmentVariable("token", {
      deployment: production.name,
      name: "API_TOKEN",
      value: change.secret ?? "hunter2",
    });
    const tenant = new svc.EmbedTenant(
      "acme",
      {
        name: change.tenant ?? "acme-stores",
        displayName: change.display ?? "Acme",
      },
      { dependsOn: production },
    );
    for (const name of ["directors", "buyers"]) {
      new svc.EmbedGroup(name, { embedTenant: tenant.name, name });
    }
    return { url: production.deploymentUrl, tenant: tenant.embedTenantId };
  };
}

const all = ["acme", "buyers", "directors", "production", "token"];

describe("a stack", () => {
  it("is previewed, made, left alone, changed, replaced with what depends on it, and destroyed", async () => {
    const preview = await engine.preview(company());
    expect(steps(preview)).toEqual(all.map((name) => `create ${name}`));
    expect(await liveState(service)).toEqual(bare);

    const made = await engine.up(company());
    expect(steps(made)).toEqual(all.map((name) => `create ${name}`));
    expect(opened(made.outputs["url"] ?? null)).toMatch(/^https?:/);
    expect(Object.keys(await liveState(service)).length).toBe(Object.keys(bare).length + 5);

    expect(steps(await engine.preview(company()))).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);

    const changed = await engine.up(company({ display: "Acme Stores" }));
    expect(steps(changed)).toEqual(["update acme"]);
    expect(changed.steps[0]?.detailed).toEqual({ displayName: "UPDATE" });

    const renamed = company({ tenant: "acme-retail", display: "Acme Stores" });
    const planned = steps(await engine.preview(renamed));
    expect(steps(await engine.up(renamed))).toEqual(planned);
    expect(planned).toEqual([
      "delete acme",
      "delete buyers",
      "delete directors",
      "replace acme",
      "replace buyers",
      "replace directors",
    ]);
    expect(Object.keys(await liveState(service))).toContain("EmbedGroup/acme-retail/buyers");
    expect(Object.keys(await liveState(service))).not.toContain("EmbedTenant/acme-stores");

    await engine.destroy();
    expect(await liveState(service)).toEqual(bare);
    expect(engine.resources.size).toBe(0);
  });

  it("keeps what lies below a deployment that is renamed, by the program or by somebody else", async () => {
    await engine.up(company());
    const token = async (): Promise<unknown> =>
      [...engine.resources.values()].find(({ name }) => name === "token")?.state["deploymentId"];
    const before = await token();
    const renamed = company({ deployment: "renamed" });
    const planned = steps(await engine.preview(renamed));
    expect(planned).toEqual(["update production", "update token"]);
    proxy.arm();
    expect(steps(await engine.up(renamed))).toEqual(planned);
    // The variable went along: nothing but the name was written.
    expect(proxy.writes().map(({ method }) => method)).toEqual(["PUT"]);
    expect(await token()).toEqual(before);
    expect(steps(await engine.up(renamed))).toEqual([]);
    await service.send("PUT", `/api/v1/deployments/${String(before)}`, {
      body: { name: "by-hand" },
    });
    const seen = await engine.refresh();
    expect(seen.steps.filter(({ op }) => op === "gone")).toEqual([]);
    expect(steps(await engine.up(renamed))).toEqual(planned);
    expect(Object.keys(await liveState(service))).toContain(
      "EnvironmentVariable/renamed/API_TOKEN",
    );
    expect(steps(await engine.up(renamed))).toEqual([]);
  });

  it("shows drift by a refresh, repairs it, and makes again what was deleted by hand", async () => {
    await engine.up(company());
    const rename = { body: { description: "Edited in a hurry." } };
    const groups = await service.send("GET", "/api/v1/embed-tenants/acme-stores/groups");
    const [{ id } = { id: 0 }] = (groups.body as { items: { id: number }[] }).items;
    await service.send("PATCH", `/api/v1/embed-tenants/acme-stores/groups/${id}`, rename);
    await service.send("DELETE", "/api/v1/deployments/2");
    const seen = await engine.refresh();
    expect(
      seen.steps
        .filter(({ op }) => op === "gone")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["production", "token"]);
    expect(steps(await engine.up(company()))).toEqual(["create production", "create token"]);
    expect(steps(await engine.up(company()))).toEqual([]);
  });

  it("puts back what somebody changed by hand, and says so before", async () => {
    const program = async (): Promise<void> => {
      new svc.UserGroup("readers", { name: "readers", description: "May read." });
      new svc.UserGroup("writers", { name: "writers", description: "May write." });
    };
    await engine.up(program);
    const wished = await liveState(service);
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { items } = body as { items: { id: number; name: string }[] };
    const { id } = items.find(({ name }) => name === "readers") ?? { id: 0 };
    const byHand = { name: "readers", description: "Edited in a hurry." };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: byHand });
    await engine.refresh();
    const planned = await engine.preview(program);
    expect(steps(planned)).toEqual(["update readers"]);
    expect(planned.steps[0]?.detailed).toEqual({ description: "UPDATE" });
    expect(steps(await engine.up(program))).toEqual(["update readers"]);
    expect(await liveState(service)).toEqual(wished);
  });

  it("keeps secrets out of state and messages, and sees that one changed", async () => {
    await engine.up(company());
    expect(engine.stateText).not.toContain("hunter2");
    expect(engine.stateText).not.toContain(service.adminKey);
    const changed = await engine.up(company({ secret: "correct horse" }));
    expect(steps(changed)).toEqual(["update token"]);
    expect(JSON.stringify(changed)).not.toContain("correct horse");
    expect(engine.stateText).not.toContain("correct horse");
  });
});

describe("resource options", () => {
  it("import what exists, so that nothing is left to do", async () => {
    await engine.up(company());
    const other = stack();
    const program = async (): Promise<void> => {
      new svc.EmbedTenant(
        "acme",
        { name: "acme-stores", displayName: "Acme" },
        { import: "acme-stores" },
      );
      new svc.EmbedGroup(
        "directors",
        { embedTenant: "acme-stores", name: "directors" },
        { import: "acme-stores/directors" },
      );
    };
    expect(steps(await other.up(program))).toEqual(["import acme", "import directors"]);
    expect(steps(await other.up(program))).toEqual([]);
    const wrong = await stack().up(async () => {
      new svc.EmbedTenant(
        "acme",
        { name: "acme-stores", displayName: "X" },
        { import: "acme-stores" },
      );
    });
    expect(wrong.errors.join()).toContain("displayName");
  });

  it("protect, ignore changes, and follow a new name", async () => {
    const tenant = (name: string, opts: pulumi.CustomResourceOptions, displayName = "Acme") => {
      return async (): Promise<void> => {
        new svc.EmbedTenant(name, { name: "acme-stores", displayName }, opts);
      };
    };
    await engine.up(tenant("acme", { protect: true }));
    expect((await engine.destroy()).errors.join()).toContain("acme is protected");
    const ignoring = tenant("acme", { ignoreChanges: ["displayName"] }, "Other");
    expect(steps(await engine.up(ignoring))).toEqual([]);
    const moved = tenant("stores", { aliases: [{ name: "acme" }] });
    expect(steps(await engine.up(moved))).toEqual([]);
    expect(steps(await engine.up(async () => undefined))).toEqual(["delete stores"]);
  });

  it("take a provider of the program, and find by functions and get what it does not manage", async () => {
    await engine.up(company());
    const other = new TestEngine({ config: {} });
    const found = await other.up(async () => {
      const provider = new svc.Provider("acme", { url: proxy.url, apiKey: service.adminKey });
      const tenant = svc.EmbedTenant.get("acme", "acme-stores", { provider });
      const { items } = await svc.getEmbedGroups({ embedTenant: "acme-stores" }, { provider });
      const group = svc.getEmbedGroupOutput(
        { embedTenant: tenant.name, name: "buyers" },
        { provider },
      );
      return { groups: items.map(({ name }) => name), id: group.id, display: tenant.displayName };
    });
    expect(found.errors).toEqual([]);
    expect(found.outputs).toMatchObject({
      groups: ["buyers", "directors"],
      id: "acme-stores/buyers",
      display: "Acme",
    });
    expect(other.stateText).not.toContain(service.adminKey);
  });
});

describe("every kind in one program", { timeout: 60_000 }, () => {
  it("is planned as the reconciler plans it: to be made, to change in place, and to be replaced", async () => {
    const other = await startService();
    await makePeople(other);
    const manifests = await makeStack({ url: other.url, key: other.adminKey });
    try {
      await manifests.write(everyKind);
      expect(words(await engine.preview(programOf(everyKind)))).toEqual(
        await stackWords(manifests),
      );
      expect((await engine.up(programOf(everyKind))).errors).toEqual([]);
      await manifests.apply();
      for (const documents of [changedDocs("update"), changedDocs("replace")]) {
        await manifests.write(documents);
        const planned = await stackWords(manifests);
        expect(planned.length).toBeGreaterThan(2);
        expect(words(await engine.preview(programOf(documents)))).toEqual(planned);
      }
      // Carried out as it was planned, and then there is nothing left. What others give values of keeps its type.
      const referred = new Set(kinds.flatMap((kind) => [...referredKinds(kind)]));
      const leaves = changedDocs("replace").map((one, index) =>
        referred.has(one.kind) ? (everyKind[index] ?? one) : one,
      );
      expect(leaves).not.toEqual(everyKind);
      for (const documents of [changedDocs("update"), leaves]) {
        const planned = steps(await engine.preview(programOf(documents)));
        expect(steps(await engine.up(programOf(documents)))).toEqual(planned);
        expect(steps(await engine.up(programOf(documents)))).toEqual([]);
      }
    } finally {
      await manifests.dispose();
      await other.close();
    }
  });

  it("is made, refreshed, left alone, imported by another stack, and destroyed", async () => {
    const ids = (those: TestEngine) =>
      [...those.resources.values()].filter(({ type }) => type.startsWith("svc:index:"));
    const count = everyKind.length;
    expect(steps(await engine.up(programOf(everyKind)))).toHaveLength(count);
    const after = await liveState(service);
    const refreshed = await engine.refresh();
    expect(refreshed.steps.map(({ op }) => op)).toEqual(Array<string>(count).fill("refresh"));
    expect(steps(await engine.up(programOf(everyKind)))).toEqual([]);
    expect(await liveState(service)).toEqual(after);

    const other = stack();
    expect(steps(await other.import(ids(engine)))).toHaveLength(count);
    const left = await other.up(programOf(everyKind));
    expect(left.errors).toEqual([]);
    // Only what the API does not show is left to write.
    for (const { op, type, detailed = {} } of left.steps) {
      const kind = kinds.find(({ name }) => name === type);
      const hidden = propertiesOf(kind ?? never())
        .inputs.filter(({ traits }) => traits.writeOnly ?? traits.maskedWhen)
        .map(({ property }) => property);
      const fields = Object.keys(detailed).map((path) => path.split(/[.[]/)[0]);
      expect([op, type, fields.filter((one) => !hidden.includes(one ?? ""))]).toEqual([
        "update",
        type,
        [],
      ]);
    }
    expect(await liveState(service)).toEqual(after);
    expect(steps(await other.up(programOf(everyKind)))).toEqual([]);

    expect(steps(await engine.destroy())).toHaveLength(count);
    expect(await liveState(service)).toEqual(bare);
  });

  it("comes to what the reconciler makes of the same wishes, and each finds nothing to do over the other", async () => {
    await engine.up(programOf(everyKind));
    const manifests = await makeStack({ url: service.url, key: service.adminKey });
    try {
      await manifests.write(everyKind);
      await manifests.adopt();
      const { changes } = await manifests.plan();
      // After an adoption nothing is known of what the API does not show.
      const open = changes.filter(
        ({ action, fields }) =>
          action !== "none" &&
          !(action === "update" && fields.every((one) => one.reason === "unverified")),
      );
      expect(open.map(({ address, action }) => `${action} ${address}`)).toEqual([]);
      expect(steps(await engine.up(programOf(everyKind)))).toEqual([]);
    } finally {
      await manifests.dispose();
    }
  });
});

function never(): never {
  throw new Error("a step is about a kind");
}

/** What a preview says, field by field. */
function words({ errors, steps: taken }: Ran): Words {
  expect(errors).toEqual([]);
  const told = taken.flatMap(({ op, type, name, detailed = {} }): readonly string[] => {
    if (op === "create") return [`create ${name}`];
    if (op === "delete") return [];
    const kind = kinds.find((one) => one.name === type);
    const names = new Map(
      kind === undefined ? [] : propertiesOf(kind).inputs.map((one) => [one.property, one.name]),
    );
    const fields = Object.keys(detailed).map((path) => path.split(/[.[]/)[0] ?? "");
    return [...new Set(fields.map((one) => `${op} ${name} ${names.get(one) ?? one}`))];
  });
  return told.toSorted();
}

describe("an API that fails", () => {
  it("is told, what was made is kept, and the next run completes it", async () => {
    engine = new TestEngine({
      config: { url: proxy.url, apiKey: new Sealed(service.adminKey), retries: "0" },
    });
    proxy.arm(3, "fail-before", 100);
    const failed = await engine.up(company());
    expect(failed.errors.length).toBeGreaterThan(0);
    proxy.arm();
    const { errors } = await engine.up(company());
    expect(errors).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);
    expect(Object.keys(await liveState(service)).length).toBe(Object.keys(bare).length + 5);
  });

  it("is stopped by a cancel in mid-run: nothing made is lost, and the next run completes it", async () => {
    const cancelled = await engine.up(company(), { cancelAfter: 2 });
    expect(cancelled.errors.join()).toMatch(/[Ss]topped/);
    const live = Object.keys(await liveState(service)).length - Object.keys(bare).length;
    const kept = [...engine.resources.values()].filter(({ type }) =>
      type.startsWith("svc:"),
    ).length;
    expect(kept).toBe(live);
    expect((await engine.up(company())).errors).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);
  });
});
