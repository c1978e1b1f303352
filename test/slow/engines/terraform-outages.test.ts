// A server that fails during a run of real Terraform: messages, state, and the next run.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { liveState } from "../../support/live-state.ts";
import type { Proxy } from "../../support/fault-proxy.ts";
import type { TestService } from "../../support/test-service.ts";
import {
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "../../engines/terraform-workspace.ts";
import { setUpTerraformFixture } from "../../engines/terraform-fixture.ts";

describeWithEngines("server failure during a run", (engine) => {
  let service: TestService;
  let proxy: Proxy;
  let workspace: Workspace;
  setUpTerraformFixture(engine, (fixture) => {
    ({ service, proxy, workspace } = fixture);
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
  /** Returns the output without Terraform's frame and line breaks. */
  const run = async (...args: readonly string[]) => {
    const { code, output } = await workspace.run(...args);
    return { code, text: output.replace(/[│\s]+/g, " ") };
  };

  it("shows a remedy; the state holds the created objects, and the next run continues", async () => {
    const names: string[] = [];
    for (const [fault, status] of [
      ["fail-before", "the server returned status 500"],
      ["throttle", "with a lower request rate"],
      ["lose-request", "no response arrived"],
    ] as const) {
      names.push(`${fault}-1`, `${fault}-2`, `${fault}-3`);
      await workspace.write(program(names, 0));
      // The first write creates an object that the previous run did not; the second write fails.
      proxy.arm((await live()).length === 0 ? 2 : 4, fault, Infinity);
      const stopped = await run("apply", "-auto-approve", "-parallelism=1");
      expect(stopped).toMatchObject({ code: 1, text: expect.stringContaining(status) });
      expect(stopped.text).toMatch(/Try again|Run a plan to see the result/);
      expect(stopped.text).not.toContain("Plugin did not respond");
      expect(await inState()).toEqual(await live());
      expect((await live()).length).toBeGreaterThan(0);
      // The first request discovers the API.
      proxy.armAnyCall(2, fault, Infinity);
      const unread = await run("plan", "-lock=false");
      expect(unread).toMatchObject({ code: 1, text: expect.stringContaining("Cannot read") });
      expect(unread.text).toMatch(/[Tt]ry again/);
      expect(await inState()).toEqual(await live());
    }
    await workspace.write(program(names, 4));
    proxy.armAnyCall(2, "throttle", 4);
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await live()).toHaveLength(names.length);
    expect(await inState()).toEqual(await live());
  });

  it("reports an unknown outcome, and the next apply shows the import id", async () => {
    await workspace.write(program(["lone"], 0));
    proxy.arm(1, async () => {
      proxy.armAnyCall(1, "lose-request", Infinity);
      return "lose-answer";
    });
    const { code, text } = await run("apply", "-auto-approve");
    expect({ code, text }).toMatchObject({ code: 1 });
    expect(text).toContain("may or may not have been executed");
    proxy.arm();
    expect(await live()).toEqual(["UserGroup/lone"]);
    const again = await run("apply", "-auto-approve");
    expect(again.text).toContain("UserGroup lone already exists. Import it with the id lone");
  });

  it("explains a key conflict of create_before_destroy", async () => {
    const attribute = (type: string) => {
      const region = { name: "region", type, lifecycle: { create_before_destroy: true } };
      return providerConfiguration({ resource: { svc_user_attribute: { region } } });
    };
    await workspace.write(attribute("string"));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    await workspace.write(attribute("number"));
    const { code, text } = await run("apply", "-auto-approve");
    expect({ code, text }).toMatchObject({ code: 1 });
    expect(text).toContain("UserAttribute region already exists.");
    expect(text).toContain("remove create_before_destroy from its lifecycle");
    expect(Object.keys(await liveState(service))).toContain("UserAttribute/region");
  });
});
