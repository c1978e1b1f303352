// Tests a provider that is started with --debug, and an engine that attaches to it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { liveState } from "../support/live-state.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  describeWithEngines,
  makeWorkspace,
  providerConfiguration,
} from "./terraform-workspace.ts";

const root = join(import.meta.dirname, "..", "..");

describeWithEngines("a provider under a debugger", (engine) => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  /** Starts the provider and returns the value of TF_REATTACH_PROVIDERS that it prints. */
  async function startProvider(service: TestService): Promise<string> {
    const main = join(root, "provider", "terraform", "main.ts");
    const child = spawn(process.execPath, ["--no-warnings", main, "--debug"], {
      // The variables of the engine do not reach a provider that it did not start.
      env: { ...process.env, SVC_API_URL: service.url, SVC_API_KEY: service.adminKey },
      stdio: ["ignore", "pipe", "inherit"],
    });
    stops.push(async () => {
      child.kill("SIGTERM");
      const [code] = (await once(child, "exit")) as [number];
      expect(code).toBe(0);
    });
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      const found = /TF_REATTACH_PROVIDERS='(.+)'/u.exec(text)?.[1];
      if (found !== undefined) return found;
    }
    throw new Error(`the provider ended: ${text}`);
  }

  it("serves several commands, each with a configuration of its own", async () => {
    const service = await startService();
    stops.push(() => service.close());
    const reattach = await startProvider(service);
    const workspace = await makeWorkspace(
      engine,
      { TF_REATTACH_PROVIDERS: reattach },
      { startsProvider: true },
    );
    stops.push(() => workspace.dispose());
    const group = (name: string) =>
      providerConfiguration({ resource: { svc_user_group: { one: { name } } } });
    await workspace.write(group("first"));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(Object.keys(await liveState(service))).toContain("UserGroup/first");
    await workspace.write(group("second"));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(Object.keys(await liveState(service))).toContain("UserGroup/second");
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});
