// Tests components on the real SDK and the provider's Construct: life cycle, options, previews and failures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import resources from "@pulumi/pulumi/proto/resource_pb.js";
import { describe, expect, it } from "vitest";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { encode, SecretValue } from "../../../../provider/pulumi/property-values.ts";
import { components } from "../../../../resources/index.ts";
import { liveState } from "../../../support/live-state.ts";
import { startProvider } from "../../../engines/pulumi/driver.ts";
import type { RpcError } from "../../../engines/pulumi/rpc-error.ts";
import type { OpenEngine } from "../../../engines/pulumi/engine.ts";
import { setUpStackFixture, type StackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";
import { yamlProgram } from "../../../engines/pulumi/yaml-program.ts";

type SetupArgs = svc.EmbedTenantSetupArgs;

/** Returns a deployment with a workbook. */
function deploymentAndWorkbook() {
  const production = new svc.Deployment("production", {
    name: "production",
    region: "aws-us-east-1",
  });
  const workbook = new svc.Workbook("sales", {
    deployment: production.name,
    slug: "sales-overview",
    name: "Sales",
    dashboard: { title: "Sales" },
  });
  return { production, workbook };
}

/** Returns a program with a deployment, a workbook, and a component that depends on both. */
function customerProgram(
  change: Partial<SetupArgs> = {},
  options: pulumi.ComponentResourceOptions = {},
) {
  return async (): Promise<Record<string, unknown>> => {
    const { production, workbook } = deploymentAndWorkbook();
    const acme = new svc.EmbedTenantSetup(
      "acme",
      {
        tenant: { name: "acme-stores", displayName: "Acme" },
        groups: { directors: { description: "See it all." }, "store managers": {} },
        attributes: { store: { type: "string" } },
        notification: {
          deployment: production.name,
          workbook: workbook.slug,
          schedule: "0 7 * * 1",
        },
        recipients: { "jane-4711": { email: "jane@acme.example", tenantGroups: ["directors"] } },
        ...change,
      },
      { dependsOn: production, ...options },
    );
    return { tenant: acme.tenant, groups: acme.groups, notification: acme.notification };
  };
}

const children = [
  "acme-directors",
  "acme-jane-4711",
  "acme-notification",
  "acme-store",
  "acme-store managers",
  "acme-tenant",
];
const allResources = [...children, "production", "sales"];

describeWithEngines("components", (open) => {
  const fixture = setUpStackFixture(open);
  lifecycleTests(fixture);
  optionTests(fixture, open);
  inputTests(fixture);
  outageTests(fixture);
});

function lifecycleTests(fixture: StackFixture): void {
  describe("a component", () => {
    it("is previewed, created with its objects, unchanged, updated object by object, and destroyed", async () => {
      const preview = await fixture.engine.preview(customerProgram());
      expect(stepNames(preview)).toEqual(allResources.map((name) => `create ${name}`));
      // References to its objects are already known in the preview.
      expect(preview.outputs).toMatchObject({
        tenant: "acme-stores",
        groups: { directors: "directors", "store managers": "store managers" },
      });
      expect(await fixture.createdAddresses()).toEqual([]);

      const up = await fixture.engine.up(customerProgram());
      expect(stepNames(up)).toEqual(allResources.map((name) => `create ${name}`));
      expect(up.outputs["notification"]).toMatch(/sales-overview/);
      expect(await fixture.createdAddresses()).toEqual(
        expect.arrayContaining([
          "EmbedTenant/acme-stores",
          "EmbedGroup/acme-stores/directors",
          "EmbedGroup/acme-stores/store%20managers",
          "EmbedUserAttribute/acme-stores/store",
        ]),
      );
      expect(stepNames(await fixture.engine.up(customerProgram()))).toEqual([]);

      const groups = { directors: { description: "See every store." }, buyers: {} };
      expect(stepNames(await fixture.engine.up(customerProgram({ groups })))).toEqual([
        "create acme-buyers",
        "delete acme-store managers",
        "update acme-directors",
      ]);
      expect(stepNames(await fixture.engine.up(customerProgram({ groups })))).toEqual([]);
      expect(stepNames(await fixture.engine.destroy())).toHaveLength(allResources.length);
      expect(await liveState(fixture.service)).toEqual(fixture.initialState);
    });

    it("is the parent of its objects, and each object has its dependencies", async () => {
      await fixture.engine.up(customerProgram());
      const all = await fixture.engine.resources();
      const itself = all.find(({ type }) => type === "svc:index:EmbedTenantSetup");
      const named = (name: string) => all.find((one) => one.name === name);
      const group = named("acme-directors");
      expect(group?.urn).toBe(
        "urn:pulumi:dev::test::svc:index:EmbedTenantSetup$svc:index:EmbedGroup::acme-directors",
      );
      expect(itself?.state).toMatchObject({ tenant: "acme-stores" });
      const tenant = named("acme-tenant")?.urn;
      expect(group?.propertyDependencies).toEqual({
        embedTenant: [tenant],
        name: [],
        description: [],
      });
      const production = named("production")?.urn;
      for (const name of children) expect(named(name)?.dependencies).toContain(production);
      expect(named("acme-notification")?.propertyDependencies["workbook"]).toContain(
        named("sales")?.urn,
      );
      expect(named("acme-jane-4711")?.dependencies).toContain(group?.urn);
    });

    it("detects drift of its objects in a refresh and repairs it", async () => {
      await fixture.engine.up(customerProgram());
      const list = await fixture.service.send("GET", "/api/v1/embed-tenants/acme-stores/groups");
      const { items } = list.body as { items: { id: number; name: string }[] };
      for (const { id } of items) {
        await fixture.service.send("DELETE", `/api/v1/embed-tenants/acme-stores/groups/${id}`);
      }
      await fixture.engine.refresh();
      expect(stepNames(await fixture.engine.up(customerProgram()))).toEqual([
        "create acme-directors",
        "create acme-store managers",
      ]);
      expect(stepNames(await fixture.engine.up(customerProgram()))).toEqual([]);
    });

    it("replaces, with its tenant, its objects and the dependent resources outside", async () => {
      const program = (name: string) => async (): Promise<void> => {
        const acme = new svc.EmbedTenantSetup("acme", {
          tenant: { name },
          groups: { directors: {} },
        });
        new svc.EmbedGroup("buyers", { embedTenant: acme.tenant, name: "buyers" });
      };
      await fixture.engine.up(program("acme-stores"));
      const renamed = program("acme-retail");
      const planned = stepNames(await fixture.engine.preview(renamed));
      expect(stepNames(await fixture.engine.up(renamed))).toEqual(planned);
      expect(planned).toEqual([
        "delete acme-directors",
        "delete acme-tenant",
        "delete buyers",
        "replace acme-directors",
        "replace acme-tenant",
        "replace buyers",
      ]);
      expect(await fixture.createdAddresses()).toEqual(
        expect.arrayContaining([
          "EmbedGroup/acme-retail/buyers",
          "EmbedGroup/acme-retail/directors",
        ]),
      );
      expect(await fixture.createdAddresses()).not.toContain("EmbedTenant/acme-stores");
    });

    it.each(
      components.flatMap(({ name, examples }) => examples.map((one) => ({ of: name, ...one }))),
    )("does what its documentation shows: $title", async ({ of, name, inputs }) => {
      const classes: Readonly<Record<string, unknown>> = { ...svc };
      const Setup = classes[of] as new (
        name: string,
        args: object,
        options: object,
      ) => pulumi.Resource;
      const program = async (): Promise<void> => {
        const { production, workbook } = deploymentAndWorkbook();
        new Setup(name, inputs, { dependsOn: [production, workbook] });
      };
      expect(stepNames(await fixture.engine.up(program)).length).toBeGreaterThan(3);
      expect(stepNames(await fixture.engine.up(program))).toEqual([]);
      await fixture.engine.refresh();
      expect(stepNames(await fixture.engine.up(program))).toEqual([]);
    });

    it("works from YAML as the example shows, and a second run changes nothing", async () => {
      const file = join(import.meta.dirname, "../../../../examples/pulumi/component/Pulumi.yaml");
      const program = yamlProgram(readFileSync(file, "utf8"));
      const up = await fixture.engine.up(program);
      expect(stepNames(up)).toHaveLength(11);
      expect(up.outputs).toEqual({ customers: ["northwind", "bluewater-lines"] });
      expect(stepNames(await fixture.engine.up(program))).toEqual([]);
    });
  });
}

function optionTests(fixture: StackFixture, open: OpenEngine): void {
  describe("options of a component", () => {
    it("pass a provider of the program to its objects", async () => {
      const other = await open({});
      const program = async (): Promise<void> => {
        const provider = new svc.Provider("own", {
          url: fixture.proxy.url,
          apiKey: fixture.service.adminKey,
        });
        new svc.EmbedTenantSetup(
          "acme",
          { tenant: { name: "acme-stores" }, groups: { directors: {} } },
          { provider },
        );
      };
      expect(stepNames(await other.up(program))).toEqual([
        "create acme-directors",
        "create acme-tenant",
      ]);
      expect(await other.allText()).not.toContain(fixture.service.adminKey);
      expect(await fixture.createdAddresses()).toContain("EmbedGroup/acme-stores/directors");
    });

    it("apply aliases to its objects", async () => {
      const program = (name: string, options: pulumi.ComponentResourceOptions) => async () => {
        new svc.EmbedTenantSetup(
          name,
          { tenant: { name: "acme-stores" }, groups: { directors: {} } },
          options,
        );
      };
      await fixture.engine.up(program("acme", {}));
      const renamed = program("stores", { aliases: [{ name: "acme" }] });
      expect(stepNames(await fixture.engine.up(renamed))).toEqual([]);
      expect((await fixture.engine.resources()).map(({ name }) => name)).toContain(
        "stores-directors",
      );
      expect(stepNames(await fixture.engine.up(async () => undefined))).toEqual([
        "delete stores-directors",
        "delete stores-tenant",
      ]);
    });

    it("warn about options that have no effect", async () => {
      const options = { customTimeouts: { create: "5m" }, replaceOnChanges: ["tenant"] };
      const { warnings } = await fixture.engine.preview(customerProgram({}, options));
      const ignoredIn = (all: readonly string[]) =>
        all.filter((one) => one.includes("is a component"));
      expect(ignoredIn(warnings)).toEqual([
        expect.stringMatching(/^acme is a component.*: customTimeouts, replaceOnChanges\.$/),
      ]);
      const { warnings: none } = await fixture.engine.preview(
        customerProgram({}, { protect: true }),
      );
      expect(ignoredIn(none)).toEqual([]);
    });

    it("protect its objects", async () => {
      await fixture.engine.up(customerProgram({}, { protect: true }));
      expect((await fixture.engine.destroy()).errors.join()).toContain("protected");
    });
  });
}

function inputTests(fixture: StackFixture): void {
  describe("inputs of a component", () => {
    it("show unknown values in the plan", async () => {
      const program = async (): Promise<Record<string, unknown>> => {
        const production = new svc.Deployment("production", {
          name: "production",
          region: "aws-us-east-1",
        });
        const later = production.deploymentUrl.apply((url) => `Serves ${url}`.slice(0, 100));
        const acme = new svc.EmbedTenantSetup("acme", {
          tenant: { name: "acme-stores", displayName: later },
          groups: later.apply(() => ({ directors: {} })),
        });
        return { tenant: acme.tenant, groups: acme.groups };
      };
      const preview = await fixture.engine.preview(program);
      expect(stepNames(preview)).toEqual(["create acme-tenant", "create production"]);
      expect(preview.outputs["tenant"]).toBe("acme-stores");
      expect(stepNames(await fixture.engine.up(program))).toEqual([
        "create acme-directors",
        "create acme-tenant",
        "create production",
      ]);
      expect(stepNames(await fixture.engine.up(program))).toEqual([]);
    });

    it("keep secrets in state, outputs and messages", async () => {
      const program =
        (tenant: SetupArgs["tenant"]) => async (): Promise<Record<string, unknown>> => {
          new svc.Deployment("production", { name: "production", region: "aws-us-east-1" });
          return { tenant: new svc.EmbedTenantSetup("acme", { tenant }).tenant };
        };
      const name = "acme-stores";
      const hushed = { name, displayName: pulumi.secret("Hush-hush Stores") };
      const up = await fixture.engine.up(program(hushed));
      expect(up.errors).toEqual([]);
      expect(up.outputs["tenant"]).toBe(name);
      expect(await fixture.engine.allText()).not.toContain("Hush-hush");
      const whole = pulumi.secret({ name, displayName: "Hush-hush Retail" });
      const reported = await fixture.engine.up(program(whole));
      expect(stepNames(reported)).toEqual(["update acme-tenant"]);
      expect(reported.outputs["tenant"]).toBeInstanceOf(SecretValue);
      expect(await fixture.engine.allText()).not.toContain("Hush-hush");
    });

    it("report all errors with their paths before anything is created", async () => {
      const wrong = {
        tenant: { name: "Bad Name", owner: "x" },
        grups: {},
        groups: { directors: { descripton: "x", embedTenant: "other" }, "": {} },
        attributes: "store",
        recipients: { "jane-4711": {} },
      };
      const { errors, steps: taken } = await fixture.engine.up(async () => {
        new svc.EmbedTenantSetup("acme", wrong as never);
      });
      expect(taken).toEqual([]);
      expect(errors.join("\n")).toContain('Did you mean "description"?');
      const running = await startProvider();
      try {
        const request = new resources.RegisterResourceRequest()
          .setType("svc:index:EmbedTenantSetup")
          .setName("acme")
          .setObject(encode(wrong));
        const refused = running.driver.construct(request, {
          monitor: "127.0.0.1:9",
          preview: false,
        });
        const { inputErrors } = await refused.then(
          () => expect.unreachable("the construct succeeded"),
          (error: unknown) => error as RpcError,
        );
        expect(inputErrors.map(({ property }) => property).toSorted()).toEqual(
          [
            "attributes",
            "grups",
            'groups[""]',
            "groups.directors.descripton",
            "groups.directors.embedTenant",
            "recipients",
            "tenant.name",
            "tenant.owner",
          ].toSorted(),
        );
        await expect(refused).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      } finally {
        await running.close();
      }
    });
  });
}

function outageTests(fixture: StackFixture): void {
  describe("an API that fails", () => {
    it("is reported, keeps what was created, and the next run completes it", async () => {
      const engine = await fixture.openStack({ retries: "0" });
      fixture.proxy.arm(6, "fail-before", 100);
      const failed = await engine.up(customerProgram());
      expect(failed.errors.length).toBeGreaterThan(0);
      fixture.proxy.arm();
      expect((await engine.up(customerProgram())).errors).toEqual([]);
      expect(stepNames(await engine.up(customerProgram()))).toEqual([]);
      expect((await engine.destroy()).errors).toEqual([]);
      expect(await liveState(fixture.service)).toEqual(fixture.initialState);
    });

    it("loses no created object when the run is cancelled", async () => {
      const cancelled = await fixture.engine.up(customerProgram(), { cancelAfter: 3 });
      expect(cancelled.errors.length).toBeGreaterThan(0);
      const kept = (await fixture.engine.resources()).filter(
        ({ type, custom }) => custom && type.startsWith("svc:"),
      );
      expect(await fixture.createdAddresses()).toHaveLength(kept.length);
      expect((await fixture.engine.up(customerProgram())).errors).toEqual([]);
      expect(stepNames(await fixture.engine.up(customerProgram()))).toEqual([]);
    });
  });
}
