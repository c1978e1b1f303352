// Programs on the real SDK and the real provider where something breaks: the API, the network, the run, the engine itself.
import { describe, expect, it } from "vitest";
import { Sealed } from "../../../provider/pulumi/values.ts";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { liveState } from "../../support/live.ts";
import { startProxy } from "../../support/proxy.ts";
import { startService } from "../../support/service.ts";
import { company, everyone } from "./company.ts";
import { startProvider } from "./driver.ts";
import { setStage } from "./scene.ts";
import { StandIn } from "./stand-in.ts";
import { steps } from "./steps.ts";
import { underEngines } from "./under.ts";

underEngines("an API that fails", (open) => {
  const stage = setStage(open);

  it("is told, what was made is kept, and the next run completes it", async () => {
    const engine = await stage.stack({ retries: "0" });
    stage.proxy.arm(3, "fail-before", 100);
    const failed = await engine.up(company());
    expect(failed.errors.length).toBeGreaterThan(0);
    stage.proxy.arm();
    const { errors } = await engine.up(company());
    expect(errors).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);
    expect(await stage.made()).toHaveLength(everyone.length);
  });

  it("between a replacement and the delete of what it replaces leaves that for the next run", async () => {
    const engine = await stage.stack({ retries: "0" });
    const tenant = (name: string) => async (): Promise<void> => {
      new svc.EmbedTenant("acme", { name });
    };
    await engine.up(tenant("acme-stores"));
    stage.proxy.arm(2, "fail-before", 100);
    expect((await engine.up(tenant("acme-retail"))).errors.length).toBeGreaterThan(0);
    stage.proxy.arm();
    expect(await stage.made()).toEqual(["EmbedTenant/acme-retail", "EmbedTenant/acme-stores"]);
    expect(steps(await engine.up(tenant("acme-retail")))).toEqual(["delete acme"]);
    expect(await stage.made()).toEqual(["EmbedTenant/acme-retail"]);
    expect(steps(await engine.up(tenant("acme-retail")))).toEqual([]);
  });
});

underEngines("a run that is cancelled midway", (open) => {
  const stage = setStage(open);

  it("loses nothing that was made, and the next run completes it", async () => {
    const { engine } = stage;
    const cancelled = await engine.up(company(), { cancelAfter: 2 });
    expect(cancelled.errors.length).toBeGreaterThan(0);
    expect(await engine.kept()).toHaveLength((await stage.made()).length);
    expect((await engine.up(company())).errors).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);
  });
});

describe("a create that is carried out while its answer and all that follows are lost", () => {
  it("is never told as undone, be it one that can be repeated or not", async () => {
    const service = await startService();
    const proxy = await startProxy(service.url);
    const running = await startProvider();
    try {
      const apiKey = new Sealed(service.adminKey);
      await running.driver.configure({ url: proxy.url, apiKey, retries: 2 });
      for (const type of ["EmbedTenant", "ApiKey"]) {
        let isLost = false;
        const lose = async (): Promise<"drop" | "pass" | "lose-answer"> => {
          if (isLost) return "drop";
          isLost = proxy.writes().length > 0;
          return isLost ? "lose-answer" : "pass";
        };
        proxy.interrupt(1, lose, 1000);
        const made = running.driver.create({ type, name: "first" }, { name: "first-one" });
        const refused = await made.catch((error: unknown) => error);
        await proxy.idle();
        expect(refused).toMatchObject({ code: "UNKNOWN" });
        expect((refused as Error).message).toContain("may or may not have been carried out");
        expect(Object.keys(await liveState(service))).toContain(`${type}/first-one`);
      }
    } finally {
      await running.close();
      await proxy.close();
      await service.close();
    }
  });
});

/** Only the stand-in can be made to die at a given moment. */
describe("an engine that dies while something is made", () => {
  const stage = setStage(async (config) => new StandIn(config));

  it("finds it made already, says how to take it over, and has nothing to do then", async () => {
    const { service, proxy } = stage;
    const engine = new StandIn({ url: proxy.url, apiKey: new Sealed(service.adminKey) });
    const program = async (): Promise<void> => {
      const tenant = new svc.EmbedTenant("acme", { name: "acme-stores", displayName: "Acme" });
      new svc.EmbedGroup("directors", { embedTenant: tenant.name, name: "directors" });
    };
    expect((await engine.up(program, { crashAt: 2 })).errors.join()).toContain("has died");
    expect(await stage.made()).toContain("EmbedGroup/acme-stores/directors");
    expect((await engine.kept()).map(({ name }) => name)).toEqual(["acme"]);

    const again = await engine.up(program);
    expect(again.warnings.join()).toMatch(
      /pending operations.*directors, interrupted while creating/,
    );
    expect(again.errors.join()).toContain("Import it under the id acme-stores/directors");
    expect(await stage.made()).toHaveLength(2);

    const taken = { type: "svc:index:EmbedGroup", name: "directors", id: "acme-stores/directors" };
    expect(steps(await engine.import([taken]))).toEqual(["import directors"]);
    await engine.refresh();
    const then = await engine.up(program);
    expect(then.warnings).toEqual([]);
    expect(steps(then)).toEqual([]);
  });
});
