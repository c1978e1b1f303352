// A server that fails in the middle of a run under the real engine: what is told, what the state holds, and what the next run makes of it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { liveState } from "../support/live-state.ts";
import type { Proxy } from "../support/fault-proxy.ts";
import type { TestService } from "../support/test-service.ts";
import {
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "./terraform-workspace.ts";
import { setUpTerraformFixture } from "./terraform-fixture.ts";

describeWithEngines("a server that fails in mid-run", (engine) => {
  let service: TestService;
  let proxy: Proxy;
  let workspace: Workspace;
  setUpTerraformFixture(engine, (world) => {
    ({ service, proxy, workspace } = world);
  });

  const program = (names: readonly string[], retries: number): JsonObject =>
    providerConfiguration({
      provider: { svc: { retries } },
      resource: {
        svc_user_group: Object.fromEntries(names.map((name) => [name, { name }])),
      },
    });
  const live = async (): Promise<readonly string[]> => {
    const all = Object.keys(await liveState(service));
    return all.filter((name) => name.startsWith("UserGroup/")).toSorted();
  };
  const inState = async (): Promise<readonly string[]> => {
    const text = await readFile(join(workspace.folder, "terraform.tfstate"), "utf8");
    const { resources } = JSON.parse(text) as { resources: { name: string }[] };
    return resources.map(({ name }) => `UserGroup/${name}`).toSorted();
  };
  /** Engines draw a frame and break lines. */
  const run = async (...args: readonly string[]) => {
    const { code, output } = await workspace.run(...args);
    return { code, said: output.replace(/[│\s]+/g, " ") };
  };

  it("is told with what to do; the state holds just what was made, and the next run goes on from there", async () => {
    const names: string[] = [];
    for (const [fault, status] of [
      ["fail-before", "the server answered 500"],
      ["throttle", "with fewer requests a second"],
      ["lose-request", "no answer came"],
    ] as const) {
      names.push(`${fault}-1`, `${fault}-2`, `${fault}-3`);
      await workspace.write(program(names, 0));
      // What the run before did not make comes first; then the second of its own fails.
      proxy.arm((await live()).length === 0 ? 2 : 4, fault, Infinity);
      const stopped = await run("apply", "-auto-approve", "-parallelism=1");
      expect(stopped).toMatchObject({ code: 1, said: expect.stringContaining(status) });
      expect(stopped.said).toMatch(/Run it again|A plan shows what became of it/);
      expect(stopped.said).not.toContain("Plugin did not respond");
      expect(await inState()).toEqual(await live());
      expect((await live()).length).toBeGreaterThan(0);
      // The first call asks who the server is.
      proxy.armAnyCall(2, fault, Infinity);
      const unread = await run("plan", "-lock=false");
      expect(unread).toMatchObject({ code: 1, said: expect.stringContaining("Cannot read") });
      expect(unread.said).toMatch(/[Rr]un it again/);
      expect(await inState()).toEqual(await live());
    }
    await workspace.write(program(names, 4));
    proxy.armAnyCall(2, "throttle", 4);
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await live()).toHaveLength(names.length);
    expect(await inState()).toEqual(await live());
  });

  it("that makes an object and then says nothing more is told, and the next apply says how to take it over", async () => {
    await workspace.write(program(["lone"], 0));
    proxy.arm(1, async () => {
      proxy.armAnyCall(1, "lose-request", Infinity);
      return "lose-answer";
    });
    const { code, said } = await run("apply", "-auto-approve");
    expect({ code, said }).toMatchObject({ code: 1 });
    expect(said).toContain("may or may not have been carried out");
    proxy.arm();
    expect(await live()).toEqual(["UserGroup/lone"]);
    const again = await run("apply", "-auto-approve");
    expect(again.said).toContain("UserGroup lone already exists. Import it with the id lone");
  });

  it("is not to blame where what is replaced stands in its own way, as it is to be made first", async () => {
    const attribute = (type: string) => {
      const region = { name: "region", type, lifecycle: { create_before_destroy: true } };
      return providerConfiguration({ resource: { svc_user_attribute: { region } } });
    };
    await workspace.write(attribute("string"));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    await workspace.write(attribute("number"));
    const { code, said } = await run("apply", "-auto-approve");
    expect({ code, said }).toMatchObject({ code: 1 });
    expect(said).toContain("UserAttribute region already exists.");
    expect(said).toContain("take create_before_destroy out of its lifecycle");
    expect(Object.keys(await liveState(service))).toContain("UserAttribute/region");
  });
});
