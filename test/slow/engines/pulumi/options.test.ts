// Tests resource options in programs on the real SDK, under the engine's rules.
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { SecretValue } from "../../../../provider/pulumi/property-values.ts";
import { companyProgram } from "../../../engines/pulumi/sample-program.ts";
import type { RunResult } from "../../../engines/pulumi/engine.ts";
import { setUpStackFixture, type StackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

type Options = pulumi.CustomResourceOptions;

/** Returns a program with one tenant. */
function tenantProgram(options: Options = {}, displayName = "Acme", name = "acme") {
  return async (): Promise<void> => {
    new svc.EmbedTenant(name, { name: "acme-stores", displayName }, options);
  };
}

/** Returns a program with one deployment. */
function deploymentProgram(change: Partial<svc.DeploymentArgs>, options: Options = {}) {
  return async (): Promise<void> => {
    const release = { channel: "release" };
    const given = { name: "production", region: "aws-us-east-1", release, ...change };
    new svc.Deployment("production", given, options);
  };
}

describeWithEngines("options of resources", (open) => {
  const fixture = setUpStackFixture(open);
  importTests(fixture);
  ignoreTests(fixture);
  replaceTests(fixture);
  deleteTests(fixture);
  aliasTests(fixture);

  it("accept a provider of the program, for functions and get() too", async () => {
    await fixture.engine.up(companyProgram());
    const other = await open({});
    const found = await other.up(async () => {
      const { proxy, service } = fixture;
      const provider = new svc.Provider("acme", { url: proxy.url, apiKey: service.adminKey });
      const acme = svc.EmbedTenant.get("acme", "acme-stores", { provider });
      const { items } = await svc.getEmbedGroups({ embedTenant: "acme-stores" }, { provider });
      const group = svc.getEmbedGroupOutput(
        { embedTenant: acme.name, name: "buyers" },
        { provider },
      );
      return { groups: items.map(({ name }) => name), id: group.id, display: acme.displayName };
    });
    expect(found.errors).toEqual([]);
    expect(found.outputs).toMatchObject({
      groups: ["buyers", "directors"],
      id: "acme-stores/buyers",
      display: "Acme",
    });
    expect(await other.allText()).not.toContain(fixture.service.adminKey);
  });

  it("skip a function in a preview while its arguments are unknown", async () => {
    const program = async (): Promise<Record<string, unknown>> => {
      const main = new svc.Deployment("main", { name: "production", region: "aws-us-east-1" });
      const name = main.deploymentUrl.apply(() => "production");
      return { url: svc.getDeploymentOutput({ name }, { dependsOn: main }).deploymentUrl };
    };
    expect(stepNames(await fixture.engine.preview(program))).toEqual(["create main"]);
    const ran = await fixture.engine.up(program);
    expect(stepNames(ran)).toEqual(["create main"]);
    expect(ran.outputs["url"]).toMatch(/^https?:/);
  });

  it("have no custom timeouts: the provider warns that it ignores them", async () => {
    const { engine } = fixture;
    const ignoredIn = ({ warnings }: RunResult) =>
      warnings.filter((one) => one.includes("customTimeouts"));
    const timed = tenantProgram({ customTimeouts: { create: "5m", update: "90s" } });
    expect(ignoredIn(await engine.preview(timed))).toHaveLength(1);
    expect(ignoredIn(await engine.up(timed))).toHaveLength(1);
    expect(ignoredIn(await engine.up(timed))).toEqual([]);
  });

  it("mark outputs secret with additionalSecretOutputs", async () => {
    await fixture.engine.up(
      tenantProgram({ additionalSecretOutputs: ["displayName"] }, "Hush-hush Stores"),
    );
    const [kept] = await fixture.engine.resources();
    expect(kept?.state["displayName"]).toBeInstanceOf(SecretValue);
    expect(kept?.state["name"]).toBe("acme-stores");
  });
});

function importTests(fixture: StackFixture): void {
  describe("that import", () => {
    const group: readonly [string, svc.EmbedGroupArgs] = [
      "directors",
      { embedTenant: "acme-stores", name: "directors" },
    ];

    it("import an existing object, and a second run changes nothing", async () => {
      await fixture.engine.up(companyProgram());
      const other = await fixture.openStack();
      const program = async (): Promise<void> => {
        await tenantProgram({ import: "acme-stores" })();
        new svc.EmbedGroup(...group, { import: "acme-stores/directors" });
      };
      expect(stepNames(await other.preview(program))).toEqual(["import acme", "import directors"]);
      expect(stepNames(await other.up(program))).toEqual(["import acme", "import directors"]);
      expect(stepNames(await other.up(program))).toEqual([]);
      expect(stepNames(await other.up(tenantProgram()))).toEqual(["delete directors"]);
    });

    it("show and apply differences in the same run, or none with ignoreChanges", async () => {
      await fixture.engine.up(companyProgram());
      const other = await fixture.openStack();
      const wrong = tenantProgram({ import: "acme-stores" }, "Acme Retail");
      const preview = await other.preview(wrong);
      expect(stepNames(preview)).toEqual(["import acme", "update acme"]);
      expect(preview.steps[1]?.detailed).toEqual({ displayName: "UPDATE" });
      const ignoring = tenantProgram(
        { import: "acme-stores", ignoreChanges: ["displayName"] },
        "Acme Retail",
      );
      expect(stepNames(await other.up(ignoring))).toEqual(["import acme"]);
      expect(stepNames(await other.up(ignoring))).toEqual([]);
      const third = await fixture.openStack();
      expect(stepNames(await third.up(wrong))).toEqual(["import acme", "update acme"]);
      expect(stepNames(await third.up(wrong))).toEqual([]);
    });

    it("refuse to replace the imported object", async () => {
      await fixture.engine.up(companyProgram());
      const other = await fixture.openStack();
      const renamed = async (): Promise<void> => {
        new svc.EmbedTenant("acme", { name: "acme-retail" }, { import: "acme-stores" });
      };
      fixture.proxy.arm();
      expect((await other.up(renamed)).errors.join()).toMatch(/may not be replaced.*name/s);
      expect(fixture.proxy.writes()).toEqual([]);
    });

    it("fail if the ID does not exist", async () => {
      const ran = await fixture.engine.up(tenantProgram({ import: "acme-stores" }));
      expect(ran.errors.join()).toMatch(/acme-stores.*does not exist/);
      expect(await fixture.createdAddresses()).toEqual([]);
    });
  });
}

function ignoreTests(fixture: StackFixture): void {
  describe("that ignore changes", () => {
    const filters = ["orders.status", "orders.city"].map((member) => ({
      member,
      operator: "equals",
      value: ["completed"],
    }));
    const others = filters.map((one) => ({ ...one, value: ["shipped"] }));
    /** Returns a program with a weekly notification. */
    const notification = (given: readonly (typeof filters)[number][], options: Options = {}) => {
      return async (): Promise<void> => {
        const main = new svc.Deployment("main", { name: "production", region: "aws-us-east-1" });
        const workbook = new svc.Workbook("sales", {
          deployment: main.name,
          slug: "sales",
          name: "Sales",
          dashboard: { title: "Sales" },
        });
        new svc.Notification(
          "weekly",
          {
            deployment: main.name,
            workbook: workbook.slug,
            schedule: "0 9 * * 1",
            filters: [...given],
          },
          options,
        );
      };
    };

    it.each([["displayName"], ['["displayName"]'], ["*"]])(
      "at %s keep the old value",
      async (path) => {
        const { engine } = fixture;
        await engine.up(tenantProgram());
        expect(
          stepNames(await engine.up(tenantProgram({ ignoreChanges: [path] }, "Other"))),
        ).toEqual([]);
        expect(stepNames(await engine.up(tenantProgram({}, "Other")))).toEqual(["update acme"]);
      },
    );

    it("at a path that exists in neither value are no error, and affect nothing else", async () => {
      const { engine } = fixture;
      const paths = ["nothingOfThatName", "displayName.part", "filters[3].value"];
      const program = (name: string) => tenantProgram({ ignoreChanges: paths }, name);
      expect((await engine.up(program("Acme"))).errors).toEqual([]);
      const ran = await engine.up(program("Other"));
      expect(ran.errors).toEqual([]);
      expect(stepNames(ran)).toEqual(["update acme"]);
      expect((await engine.resources())[0]?.state["displayName"]).toBe("Other");
    });

    it("below a member do not affect its neighbours", async () => {
      const { engine } = fixture;
      const variables = (currency: string, decimals: number, ignoreChanges: string[] = []) =>
        deploymentProgram({ templateVariables: { currency, decimals } }, { ignoreChanges });
      await engine.up(variables("EUR", 2));
      const paths = ["templateVariables.currency", 'templateVariables["currency"]'];
      for (const [index, path] of paths.entries()) {
        const ran = await engine.up(variables("USD", 3 + index, [path]));
        expect(stepNames(ran)).toEqual(["update production"]);
        expect(ran.steps[0]?.detailed).toEqual({ "templateVariables.decimals": "UPDATE" });
        const [kept] = await engine.resources();
        expect(kept?.state["templateVariables"]).toMatchObject({
          currency: "EUR",
          decimals: 3 + index,
        });
      }
    });

    it("in every item of a list keep the items, and apply the items that are new", async () => {
      const { engine } = fixture;
      await engine.up(notification(filters));
      const ignored = { ignoreChanges: ["filters[*].value"] };
      expect(stepNames(await engine.up(notification(others, ignored)))).toEqual([]);
      const first = { ignoreChanges: ["filters[0]"] };
      expect(stepNames(await engine.up(notification(others, first)))).toEqual(["update weekly"]);
      const weekly = (await engine.resources()).find(({ name }) => name === "weekly");
      expect(weekly?.state["filters"]).toEqual([filters[0], others[1]]);
      const grown = await engine.up(notification([...others, ...filters], ignored));
      expect(stepNames(grown)).toEqual(["update weekly"]);
      const now = (await engine.resources()).find(({ name }) => name === "weekly");
      expect(now?.state["filters"]).toEqual([filters[0], others[1], ...filters]);
    });

    it("keep changes made outside the program, also after a refresh", async () => {
      const { engine, service } = fixture;
      const program = async (): Promise<void> => {
        const given = { name: "readers", description: "May read." };
        new svc.UserGroup("readers", given, { ignoreChanges: ["description"] });
      };
      await engine.up(program);
      const { body } = await service.send("GET", "/api/v1/user-groups");
      const { items } = body as { items: { id: number; name: string }[] };
      const { id } = items.find(({ name }) => name === "readers") ?? { id: 0 };
      const byHand = { name: "readers", description: "Edited in a hurry." };
      await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: byHand });
      expect(stepNames(await engine.refresh())).toEqual([]);
      expect(stepNames(await engine.up(program))).toEqual([]);
      expect((await engine.resources())[0]?.state["description"]).toBe(byHand.description);
    });
  });
}

function replaceTests(fixture: StackFixture): void {
  describe("that replace", () => {
    it("delete the old object first if the replacement has the same key", async () => {
      const { engine } = fixture;
      await engine.up(tenantProgram());
      const replacing = tenantProgram({ replaceOnChanges: ["displayName"] }, "Acme Retail");
      const planned = await engine.preview(replacing);
      expect(planned.steps.map(({ op }) => op)).toEqual(["delete", "replace"]);
      expect(planned.steps[1]?.detailed).toEqual({ displayName: "UPDATE_REPLACE" });
      const before = (await engine.resources())[0]?.state["embedTenantId"];
      expect(stepNames(await engine.up(replacing))).toEqual(["delete acme", "replace acme"]);
      expect((await engine.resources())[0]?.state["embedTenantId"]).not.toBe(before);
      expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-stores"]);
    });

    it("delete before the create if the program says so", async () => {
      const { engine } = fixture;
      const named = (name: string) => async (): Promise<void> => {
        new svc.EmbedTenant("acme", { name }, { deleteBeforeReplace: true });
      };
      await engine.up(named("acme-stores"));
      const ran = await engine.up(named("acme-retail"));
      expect(ran.steps.map(({ op }) => op)).toEqual(["delete", "replace"]);
      expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-retail"]);
    });
  });
}

function deleteTests(fixture: StackFixture): void {
  describe("that control deletion", () => {
    it("protect the object", async () => {
      const { engine } = fixture;
      await engine.up(tenantProgram({ protect: true }));
      expect((await engine.destroy()).errors.join()).toContain("protected");
      expect((await engine.up(async () => undefined)).errors.join()).toContain("protected");
      expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-stores"]);
      await engine.up(tenantProgram());
      expect(stepNames(await engine.destroy())).toEqual(["delete acme"]);
    });

    it("retain the object when it is no longer declared", async () => {
      const { engine } = fixture;
      await engine.up(tenantProgram({ retainOnDelete: true }));
      expect(stepNames(await engine.up(async () => undefined))).toEqual(["delete acme"]);
      expect(await engine.resources()).toEqual([]);
      expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-stores"]);
    });

    it("are needed for an object with others inside, unless the provider allows cascades", async () => {
      const { engine, service } = fixture;
      await engine.up(tenantProgram());
      const path = "/api/v1/embed-tenants/acme-stores/groups";
      await service.send("POST", path, { body: { name: "directors" } });
      expect((await engine.destroy()).errors).toEqual([
        expect.stringContaining("contains 1 EmbedGroup (acme-stores/directors)"),
      ]);
      expect((await service.send("GET", path)).body).toMatchObject({
        items: [{ name: "directors" }],
      });
    });

    it("delete it with another resource, without a request", async () => {
      const { proxy } = fixture;
      const engine = await fixture.openStack({ allowCascade: true });
      const program = async (): Promise<void> => {
        const acme = new svc.EmbedTenant("acme", { name: "acme-stores" });
        const given = { embedTenant: acme.name, name: "directors" };
        new svc.EmbedGroup("directors", given, { deletedWith: acme });
      };
      await engine.up(program);
      proxy.arm();
      expect(stepNames(await engine.destroy())).toEqual(["delete acme", "delete directors"]);
      expect(proxy.writes().map(({ method }) => method)).toEqual(["DELETE"]);
      expect(await fixture.createdAddresses()).toEqual([]);
    });
  });
}

function aliasTests(fixture: StackFixture): void {
  describe("that set aliases", () => {
    class Folder extends pulumi.ComponentResource {
      constructor(name: string) {
        super("test:index:Folder", name);
      }
    }
    const urn = "urn:pulumi:dev::test::svc:index:EmbedTenant::acme";

    it.each([
      ["by its name", [{ name: "acme" }]],
      ["by its URN", [urn]],
    ] as const)("%s keep it", async (_, aliases) => {
      const { engine } = fixture;
      await engine.up(tenantProgram());
      expect(
        stepNames(await engine.up(tenantProgram({ aliases: [...aliases] }, "Acme", "stores"))),
      ).toEqual([]);
      expect((await engine.resources()).map(({ name }) => name)).toEqual(["stores"]);
      expect(stepNames(await engine.up(async () => undefined))).toEqual(["delete stores"]);
    });

    it("by parent keep the object when it moves into a component and to another", async () => {
      const { engine } = fixture;
      const below = async (): Promise<void> => {
        await tenantProgram({
          parent: new Folder("customers"),
          aliases: [{ parent: pulumi.rootStackResource }],
        })();
      };
      const moved = async (): Promise<void> => {
        const parent = new Folder("clients");
        await tenantProgram({
          parent,
          aliases: [
            { parent: urn.replace("svc:index:EmbedTenant::acme", "test:index:Folder::customers") },
          ],
        })();
      };
      await engine.up(tenantProgram());
      const ids = async () => (await engine.resources()).map(({ id, type }) => `${type} ${id}`);
      for (const program of [below, moved]) {
        expect(stepNames(await engine.up(program))).toEqual([]);
        expect((await ids()).filter((one) => one.startsWith("svc:"))).toEqual([
          "svc:index:EmbedTenant acme-stores",
        ]);
      }
    });
  });
}
