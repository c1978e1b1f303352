// Tests failures of the API, the network, the run and the engine, with programs on the real SDK and the real provider.
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../provider/pulumi/property-values.ts";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { liveState } from "../../../support/live-state.ts";
import { startProxy } from "../../../support/fault-proxy.ts";
import { startService } from "../../../support/test-service.ts";
import { companyProgram, companyResources } from "../../../engines/pulumi/sample-program.ts";
import { startProvider } from "../../../engines/pulumi/driver.ts";
import { setUpStackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { StandInEngine } from "../../../engines/pulumi/stand-in-engine.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

describeWithEngines("an API that fails", (open) => {
  const fixture = setUpStackFixture(open);

  it("is reported, keeps what was created, and the next run completes it", async () => {
    const engine = await fixture.openStack({ retries: "0" });
    fixture.proxy.arm(3, "fail-before", 100);
    const failed = await engine.up(companyProgram());
    expect(failed.errors.length).toBeGreaterThan(0);
    fixture.proxy.arm();
    const { errors } = await engine.up(companyProgram());
    expect(errors).toEqual([]);
    expect(stepNames(await engine.up(companyProgram()))).toEqual([]);
    expect(await fixture.createdAddresses()).toHaveLength(companyResources.length);
  });

  it("between a replacement and the delete of the old object leaves the delete to the next run", async () => {
    const engine = await fixture.openStack({ retries: "0" });
    const tenant = (name: string) => async (): Promise<void> => {
      new svc.EmbedTenant("acme", { name });
    };
    await engine.up(tenant("acme-stores"));
    fixture.proxy.arm(2, "fail-before", 100);
    expect((await engine.up(tenant("acme-retail"))).errors.length).toBeGreaterThan(0);
    fixture.proxy.arm();
    expect(await fixture.createdAddresses()).toEqual([
      "EmbedTenant/acme-retail",
      "EmbedTenant/acme-stores",
    ]);
    expect(stepNames(await engine.up(tenant("acme-retail")))).toEqual(["delete acme"]);
    expect(await fixture.createdAddresses()).toEqual(["EmbedTenant/acme-retail"]);
    expect(stepNames(await engine.up(tenant("acme-retail")))).toEqual([]);
  });
});

describeWithEngines("a run that is cancelled midway", (open) => {
  const fixture = setUpStackFixture(open);

  it("loses no created object, and the next run completes it", async () => {
    const { engine } = fixture;
    const cancelled = await engine.up(companyProgram(), { cancelAfter: 2 });
    expect(cancelled.errors.length).toBeGreaterThan(0);
    expect(await engine.resources()).toHaveLength((await fixture.createdAddresses()).length);
    expect((await engine.up(companyProgram())).errors).toEqual([]);
    expect(stepNames(await engine.up(companyProgram()))).toEqual([]);
  });
});

describe("a create that succeeds while its response and everything after it is lost", () => {
  it("is reported as an unknown outcome, whether it can be retried or not", async () => {
    const service = await startService();
    const proxy = await startProxy(service.url);
    const running = await startProvider();
    try {
      const apiKey = new SecretValue(service.adminKey);
      await running.driver.configure({ url: proxy.url, apiKey, retries: 2 });
      for (const type of ["EmbedTenant", "ApiKey"]) {
        let isLost = false;
        const lose = async (): Promise<"drop" | "pass" | "lose-answer"> => {
          if (isLost) return "drop";
          isLost = proxy.writes().length > 0;
          return isLost ? "lose-answer" : "pass";
        };
        proxy.armAnyCall(1, lose, 1000);
        const creation = running.driver.create({ type, name: "first" }, { name: "first-one" });
        const refused = await creation.catch((error: unknown) => error);
        await proxy.idle();
        expect(refused).toMatchObject({ code: "UNKNOWN" });
        expect((refused as Error).message).toContain("may or may not have been executed");
        expect(Object.keys(await liveState(service))).toContain(`${type}/first-one`);
      }
    } finally {
      await running.close();
      await proxy.close();
      await service.close();
    }
  });
});

/** Only the stand-in can be killed at a given moment. */
describe("an engine that is killed during a create", () => {
  const fixture = setUpStackFixture(async (config) => new StandInEngine(config));

  it("finds the object on the next run, says how to import it, and has no changes after that", async () => {
    const { service, proxy } = fixture;
    const engine = new StandInEngine({ url: proxy.url, apiKey: new SecretValue(service.adminKey) });
    const program = async (): Promise<void> => {
      const tenant = new svc.EmbedTenant("acme", { name: "acme-stores", displayName: "Acme" });
      new svc.EmbedGroup("directors", { embedTenant: tenant.name, name: "directors" });
    };
    expect((await engine.up(program, { crashAt: 2 })).errors.join()).toContain("has died");
    expect(await fixture.createdAddresses()).toContain("EmbedGroup/acme-stores/directors");
    expect((await engine.resources()).map(({ name }) => name)).toEqual(["acme"]);

    const again = await engine.up(program);
    expect(again.warnings.join()).toMatch(
      /pending operations.*directors, interrupted while creating/,
    );
    expect(again.errors.join()).toContain("Import it with the id acme-stores/directors");
    expect(await fixture.createdAddresses()).toHaveLength(2);

    const taken = { type: "svc:index:EmbedGroup", name: "directors", id: "acme-stores/directors" };
    expect(stepNames(await engine.import([taken]))).toEqual(["import directors"]);
    await engine.refresh();
    const then = await engine.up(program);
    expect(then.warnings).toEqual([]);
    expect(stepNames(then)).toEqual([]);
  });
});
