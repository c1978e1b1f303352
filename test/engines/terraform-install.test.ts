// `svc plugin install terraform`: Terraform finds the provider without configuration, and a failed start reports its reason.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcProgram } from "../support/svc-program.ts";
import {
  installedProvider,
  makeWorkspace,
  providerConfiguration,
  describeWithEngines,
} from "./terraform-workspace.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

/** An installation from the checkout builds the provider, so the tests share one. */
let home: string;
let installed: readonly string[];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "svc-home-"));
  installed = await install(join(root, "cli", "main.ts"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function install(program: string): Promise<readonly string[]> {
  const args = [program, "plugin", "install", "terraform", "--output", "json"];
  const { stdout } = await run(process.execPath, args, { env: { HOME: home } });
  return (JSON.parse(stdout) as { installed: string[] }).installed;
}

/** Returns the names of the program's files in the package. */
async function packagedFiles(): Promise<readonly string[]> {
  return (await readdir(await installedProvider())).filter((name) => name.endsWith(".mjs"));
}

describe("svc plugin install terraform", { timeout: 60_000 }, () => {
  it("installs from a checkout the same program as from the package", async () => {
    const [path = ""] = installed;
    for (const name of await packagedFiles()) {
      const packaged = await readFile(join(await installedProvider(), name));
      expect(packaged.equals(await readFile(join(path, "..", name)))).toBe(true);
    }
  });

  it("installs for both engines, is idempotent, and leaves neither partial files nor those of an earlier build", async () => {
    // A file that an earlier build of the program loaded.
    const [launched = ""] = installed;
    await writeFile(join(launched, "..", "requests-OLDBUILD.mjs"), "");
    expect(await install((await svcProgram()).file)).toEqual(installed);
    expect(installed.map((path) => path.includes("opentofu"))).toEqual([false, true]);
    const launcher = "terraform-provider-svc_v0.1.0";
    for (const path of installed) {
      const files = await readdir(join(path, ".."));
      expect(files.toSorted()).toEqual([...(await packagedFiles()), launcher].toSorted());
    }
  });

  it("installs a launcher that reports why it does not start", async () => {
    const [path = ""] = installed;
    const bare = await run(path, { env: {} }).catch((error: { stdout: string }) => error);
    expect(bare.stdout).toContain("Terraform starts it; do not run it directly");
    const without = await run(path, {
      env: { SVC_NODE: "no-such-node", PATH: "/usr/bin:/bin" },
    }).catch((error: { stdout: string }) => error);
    expect(without.stdout).toContain("requires Node.js 22.19 or newer");
  });
});

describeWithEngines("svc plugin install terraform", (engine) => {
  it("installs where `init` finds it without configuration", async () => {
    const workspace = await makeWorkspace(
      engine,
      { HOME: home, TF_CLI_CONFIG_FILE: "" },
      { startsProvider: true },
    );
    try {
      await workspace.write(providerConfiguration());
      const { code, output } = await workspace.run("init");
      expect(output).toContain("Installed svc/svc v0.1.0");
      expect(code).toBe(0);
      expect(await workspace.run("providers", "schema", "-json")).toMatchObject({ code: 0 });
    } finally {
      await workspace.dispose();
    }
  });
});
