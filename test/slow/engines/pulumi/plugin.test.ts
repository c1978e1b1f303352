// Tests what is shipped: how the plugin starts and stops, where `svc plugin install pulumi` puts it, and the SDK in user programs.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostFiles } from "../../../../cli/commands/plugin-pulumi.ts";
import type { JsonObject } from "../../../../core/json.ts";
import { SecretValue } from "../../../../provider/pulumi/property-values.ts";
import { liveState } from "../../../support/live-state.ts";
import { svcProgram } from "../../../support/svc-program.ts";
import { startService } from "../../../support/test-service.ts";
import { Driver } from "../../../engines/pulumi/driver.ts";
import { installPackage, type Installation } from "../../../engines/pulumi/installation.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

let installed: Installation;
let folder: string;
let plugin: string;

beforeAll(async () => {
  installed = await installPackage();
  ({ folder, plugin } = installed);
});
afterAll(() => installed.dispose());

/** Starts the plugin through its launcher, or through a link to it, and reads its port. */
async function startPlugin(launcher = join(plugin, "pulumi-resource-svc")) {
  const cache = join(folder, "cache");
  const env = { ...process.env, SVC_NODE: process.execPath, XDG_CACHE_HOME: cache };
  const child = spawn(launcher, [], { env });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const ended = once(child, "exit");
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => output.push(text.toString()));
  }
  const stop = async (): Promise<unknown> => {
    child.kill("SIGINT");
    return (await ended)[0];
  };
  return { driver: new Driver(`127.0.0.1:${Number(line.toString().trim())}`), stop, output };
}

describe("the plugin", () => {
  it("shows no secrets, neither in failures nor on its output streams", async () => {
    const service = await startService();
    const { driver, stop, output } = await startPlugin();
    try {
      await driver.configure({ url: service.url, apiKey: new SecretValue(service.adminKey) });
      const on = { type: "EnvironmentVariable", name: "token" };
      const inputs = {
        deployment: "nowhere",
        name: "API_TOKEN",
        value: new SecretValue("hunter2"),
      };
      const failed: unknown = await driver.create(on, inputs).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      const wrong = driver.configure({ url: service.url, apiKey: new SecretValue("sk-wrong-key") });
      await expect(wrong).rejects.not.toThrow("sk-wrong-key");
      await stop();
      const everything = output.join("") + (failed as Error).message;
      for (const secret of ["hunter2", "sk-wrong-key", service.adminKey]) {
        expect(everything).not.toContain(secret);
      }
    } finally {
      driver.close();
      await stop();
      await service.close();
    }
  });

  it("runs from one file and exits when the engine asks", async () => {
    const service = await startService();
    const { driver, stop } = await startPlugin();
    try {
      await driver.configure({ url: service.url, apiKey: service.adminKey });
      const on = { type: "EmbedTenant", name: "acme" };
      const { failures } = await driver.check(on, { name: "Bad Name" });
      expect(failures.map(({ property }) => property)).toEqual(["name"]);
      const { id } = await driver.create(on, { name: "acme-stores" });
      expect(id).toBe("acme-stores");
      expect(Object.keys(await liveState(service))).toContain("EmbedTenant/acme-stores");
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        version: string;
      };
      expect(await driver.schema()).toMatchObject({ version });
    } finally {
      driver.close();
      expect(await stop()).toBe(0);
      await service.close();
    }
  });

  it("starts through a link to a link, as when it is on PATH", async () => {
    const bin = join(folder, "bin");
    await mkdir(bin);
    await symlink(join("..", relative(folder, plugin), "pulumi-resource-svc"), join(bin, "first"));
    await symlink("first", join(bin, "pulumi-resource-svc"));
    const { driver, stop } = await startPlugin(join(bin, "pulumi-resource-svc"));
    expect((await driver.handshake()).getAcceptSecrets()).toBe(true);
    driver.close();
    expect(await stop()).toBe(0);
  });

  it("is installed where Pulumi looks, and can be installed again", async () => {
    const home = join(folder, "home");
    const install = async (program: string): Promise<string> => {
      const args = [program, "plugin", "install", "pulumi", "--output", "json"];
      const { stdout } = await run(process.execPath, args, { env: { PULUMI_HOME: home } });
      return (JSON.parse(stdout) as { installed: string }).installed;
    };
    // A checkout builds the plugin.
    const launcher = await install(join(root, "cli", "main.ts"));
    expect(await install((await svcProgram()).file)).toBe(launcher);
    expect(launcher).toBe(join(home, "plugins", "resource-svc-v0.1.0", "pulumi-resource-svc"));
    const programs = (await readdir(plugin)).filter((name) => name.endsWith(".mjs"));
    const expected = [...programs, ...hostFiles(process.platform), "pulumi-resource-svc"];
    expect((await readdir(join(launcher, ".."))).toSorted()).toEqual(expected.toSorted());
    const without = run(launcher, { env: { SVC_NODE: "no-such-node", PATH: "/usr/bin:/bin" } });
    await expect(without).rejects.toThrow("requires Node.js 22.19 or newer");
  });
});

it("has a PulumiPlugin.yaml on Windows only: elsewhere the engine would not use the launcher", () => {
  expect(hostFiles("linux")).toEqual([]);
  expect(hostFiles("win32")).toEqual(["package.json", "PulumiPlugin.yaml"]);
});

describe("the SDK", () => {
  it("type-checks every documented example in a user's program", async () => {
    const schema = JSON.parse(readFileSync(join(root, "schemas", "pulumi.json"), "utf8")) as {
      resources: Record<string, JsonObject>;
    };
    const examples = Object.values(schema.resources).flatMap(({ description }) =>
      [...JSON.stringify(description).matchAll(/```typescript\\n(.*?)\\n```/g)].map(
        ([, code]) => JSON.parse(`"${code}"`) as string,
      ),
    );
    expect(examples.length).toBeGreaterThanOrEqual(Object.keys(schema.resources).length);
    for (const [index, text] of examples.entries()) {
      writeFileSync(join(folder, `example-${index}.ts`), text);
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: "nodenext",
          target: "es2022",
          noEmit: true,
          skipLibCheck: true,
          types: ["node"],
        },
        include: ["*.ts"],
      }),
    );
    const reported = await run(join(root, "node_modules", ".bin", "tsc"), [
      "--singleThreaded",
      "-p",
      folder,
    ]).catch((error: { stdout: string }) => error);
    expect(reported.stdout).toBe("");
  }, 60_000);

  it("can be loaded with require and import, under the same names", async () => {
    const common = `const svc = require("svc-as-code/pulumi"); console.log(Object.keys(svc).length)`;
    const module = `import { EmbedTenant, getEmbedTenantOutput, Provider, types } from "svc-as-code/pulumi"; console.log([EmbedTenant, getEmbedTenantOutput, Provider, types].every(Boolean))`;
    const node = async (args: readonly string[]): Promise<string> =>
      (await run(process.execPath, args, { cwd: folder })).stdout.trim();
    expect(Number(await node(["-e", common]))).toBeGreaterThan(30);
    expect(await node(["--input-type=module", "-e", module])).toBe("true");
  });

  it("can be tested as the docs show, and an error in the program fails the test", async () => {
    const own = join(folder, "pulumi", "typescript");
    await mkdir(own, { recursive: true });
    await cp(join(root, "examples/quickstart"), join(folder, "quickstart"), { recursive: true });
    const page = readFileSync(join(root, "docs/how-to/test-a-pulumi-program.md"), "utf8");
    const [, test = ""] = /```typescript\n\/\/ index\.test\.ts\n([\s\S]*?)```/.exec(page) ?? [];
    const program = readFileSync(join(root, "examples/pulumi/typescript/index.ts"), "utf8");
    const faulty = program.replace(
      "tenantGroups: [dispatch.name]",
      "tenantGroups: [managers.name]",
    );
    expect(faulty).not.toBe(program);
    writeFileSync(join(own, "package.json"), '{ "type": "module" }');
    writeFileSync(join(own, "index.test.ts"), test);
    const tested = async (text: string): Promise<string> => {
      writeFileSync(join(own, "index.ts"), text);
      const ended = await run(process.execPath, ["--test", "index.test.ts"], { cwd: own }).catch(
        (error: { stdout: string }) => error,
      );
      return ended.stdout;
    };
    expect(await tested(program)).toMatch(/pass 2\n[\s\S]*fail 0\n/);
    expect(await tested(faulty)).toMatch(/pass 1\n[\s\S]*fail 1\n[\s\S]*store-managers/);
  });
});
