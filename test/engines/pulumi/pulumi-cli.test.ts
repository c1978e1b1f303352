// Tests what only Pulumi's own programs can show: examples under its language hosts and Automation API, and generated SDKs.
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageFile from "../../../package.json" with { type: "json" };
import { liveState } from "../../support/live-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { installPackage, type Installation } from "./installation.ts";
import {
  commandEnvironment,
  describeWithPulumi,
  findOnPath,
  runCommand,
  runPulumi,
} from "./pulumi-cli.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** Returns all text below a folder, without installed packages. */
async function allTextIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const ours = files.filter(
    (one) => one.isFile() && !/node_modules|pulumi-home/.test(one.parentPath),
  );
  const texts = await Promise.all(
    ours.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")),
  );
  return texts.join("\n");
}

describeWithPulumi("a stack", () => {
  let service: TestService;
  let installed: Installation;
  beforeAll(async () => {
    service = await startService();
    installed = await installPackage();
  }, 120_000);
  afterAll(async () => {
    await installed.dispose();
    await service.close();
  });

  /** A folder with an example, and commands to run in it. */
  async function workspace(example: string) {
    const cwd = join(installed.folder, example);
    await cp(join(root, "examples", "pulumi", example), cwd, { recursive: true });
    const server = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    return { cwd, env: { ...commandEnvironment(installed), ...server } };
  }

  it("is previewed, created, unchanged, refreshed, repaired, imported and destroyed", async () => {
    const bare = await liveState(service);
    const options = await workspace("typescript");
    const log: string[] = [];
    const run = async (...args: readonly string[]): Promise<number> => {
      const { code, output } = await runPulumi(args, options);
      log.push(`$ pulumi ${args.join(" ")}\n${output}`);
      return code;
    };
    const quiet = ["--expect-no-changes"];
    expect(await run("stack", "init", "dev"), log.at(-1)).toBe(0);
    expect(await run("preview"), log.at(-1)).toBe(0);
    expect(await liveState(service)).toEqual(bare);
    expect(await run("up", "--yes"), log.at(-1)).toBe(0);
    expect(await run("preview", ...quiet), log.at(-1)).toBe(0);
    const deployed = await liveState(service);

    const list = await service.send("GET", "/api/v1/embed-tenants/northwind/groups");
    const [{ id } = { id: 0 }] = (list.body as { items: { id: number }[] }).items;
    await service.send("PATCH", `/api/v1/embed-tenants/northwind/groups/${id}`, {
      body: { description: "Edited in a hurry." },
    });
    expect(await run("preview", "--refresh", ...quiet), log.at(-1)).not.toBe(0);
    expect(await run("up", "--refresh", "--yes"), log.at(-1)).toBe(0);
    expect(await liveState(service)).toEqual(deployed);
    expect(await run("preview", "--refresh", ...quiet), log.at(-1)).toBe(0);

    expect(await run("stack", "init", "other"), log.at(-1)).toBe(0);
    const taken = ["svc:index:EmbedTenant", "northwind", "northwind"];
    expect(await run("import", ...taken, "--yes", "--protect=false"), log.at(-1)).toBe(0);
    expect(await run("stack", "select", "dev"), log.at(-1)).toBe(0);
    expect(await run("destroy", "--yes"), log.at(-1)).toBe(0);
    expect(await liveState(service)).toEqual(bare);
    expect((await allTextIn(installed.folder)) + log.join()).not.toContain(service.adminKey);
  });

  it.skipIf(findOnPath("pulumi-language-yaml") === undefined)(
    "in YAML is run by Pulumi's own host: created, unchanged and destroyed",
    async () => {
      const bare = await liveState(service);
      const options = await workspace("yaml");
      for (const args of [
        ["stack", "init", "yaml"],
        ["up", "--yes"],
        ["preview", "--expect-no-changes"],
        ["destroy", "--yes"],
      ]) {
        const { code, output } = await runPulumi(args, options);
        expect(code, output).toBe(0);
      }
      expect(await liveState(service)).toEqual(bare);
    },
  );

  it("is previewed, applied and checked by the Automation API, which exits with 2 on drift", async () => {
    const { cwd, env } = await workspace("automation");
    const run = async (command: string): Promise<number> => {
      const { code, output } = await runCommand([process.execPath, "index.ts", command], {
        cwd,
        env,
      });
      if (code === 1) expect.fail(output);
      return code;
    };
    expect(await run("preview")).toBe(2);
    expect(await run("up")).toBe(0);
    expect(await run("preview")).toBe(0);
    expect(await run("drift")).toBe(0);
    await service.send("DELETE", "/api/v1/embed-tenants/northwind");
    expect(await run("drift")).toBe(2);
    expect(await run("up")).toBe(0);
    expect(await run("destroy")).toBe(0);
  });
});

describeWithPulumi("SDKs in other languages", () => {
  it("are added from the installed plugin, which returns its schema", async () => {
    const installed = await installPackage();
    try {
      const env = commandEnvironment(installed);
      const cwd = join(installed.folder, "yaml");
      await mkdir(cwd);
      await writeFile(join(cwd, "Pulumi.yaml"), "name: program\nruntime: yaml\n");
      const schema = await runPulumi(["package", "get-schema", "svc"], { cwd, env });
      expect(schema.code, schema.output).toBe(0);
      expect(schema.output).toContain('"svc:index:EmbedTenant"');
      const { code, output } = await runPulumi(["package", "add", "svc"], { cwd, env });
      expect(code, output).toBe(0);
      expect(await readFile(join(cwd, "Pulumi.yaml"), "utf8")).toContain(
        `svc: svc@${packageFile.version}`,
      );
    } finally {
      await installed.dispose();
    }
  });

  for (const [language, below, file] of [
    ["python", "python/pulumi_svc", "embed_tenant_setup.py"],
    ["go", "go/svc", "embedTenantSetup.go"],
  ] as const) {
    const isMissing = findOnPath(`pulumi-language-${language}`) === undefined;
    const title = `are generated for ${language}, with every resource and the component`;
    it.skipIf(isMissing)(`${title}${isMissing ? " (no language host on PATH)" : ""}`, async () => {
      const installed = await installPackage();
      try {
        const env = commandEnvironment(installed);
        const out = join(installed.folder, "sdks");
        await mkdir(out);
        const args = ["package", "gen-sdk", "schemas/pulumi.json", "--language", language];
        const { code, output } = await runPulumi([...args, "--out", out], { cwd: root, env });
        expect(code, output).toBe(0);
        expect(await readFile(join(out, below, file), "utf8")).toContain("EmbedTenantSetup");
        const plugin = await readFile(join(out, below, "pulumi-plugin.json"), "utf8");
        expect(JSON.parse(plugin)).toMatchObject({ version: packageFile.version });
      } finally {
        await installed.dispose();
      }
    });
  }
});
