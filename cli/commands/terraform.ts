// `svc terraform install`: puts the bundled provider where Terraform and OpenTofu look for providers by themselves.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { type Built, withBuilt, withOwnNode, writeWhole } from "../built.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";

interface InstallFlags extends OutputFlags {
  readonly pluginDir?: string;
}

/** The registries that the engines take an address without a host to mean. */
const registries = ["registry.terraform.io", "registry.opentofu.org"] as const;
const source = "svc/svc";

const built: Built = {
  name: "terraform",
  file: "provider.cjs",
  bundled: (folder) => ["scripts/bundle-terraform.mjs", folder, "terraform-provider-svc"],
};

/** The command, to be added to the program. */
export function terraformCommand(version: string): Command {
  const install = new Command("install")
    .summary("put the provider where the engines look for providers")
    .description(
      "Put the Terraform provider into the folder where Terraform and OpenTofu look for providers, so that " +
        "`init` finds it without any configuration of theirs.",
    )
    .option("--plugin-dir <folder>", "folder of providers (else ~/.terraform.d/plugins)")
    .action((flags: InstallFlags) =>
      perform(flags, async ({ output }) => {
        const root = flags.pluginDir ?? join(homedir(), ".terraform.d", "plugins");
        const files = await withBuilt(built, (folder) => installIn(root, { folder, version }));
        output.result({
          text: () => told(files, version),
          json: () => ({ installed: files, source, version }),
        });
        return exits.done;
      }),
    );
  return new Command("terraform")
    .description("The provider for Terraform and OpenTofu.")
    .addCommand(outputOptions(install));
}

async function installIn(
  root: string,
  { folder: from, version }: { readonly folder: string; readonly version: string },
): Promise<readonly string[]> {
  const provider = await readFile(join(from, built.file));
  const launcher = withOwnNode(await readFile(join(from, "terraform-provider-svc"), "utf8"));
  const made: string[] = [];
  for (const registry of registries) {
    const folder = join(root, registry, source, version, platform());
    await writeWhole(join(folder, "provider.cjs"), provider, 0o644);
    const path = join(folder, `terraform-provider-svc_v${version}`);
    await writeWhole(path, launcher, 0o755);
    made.push(path);
  }
  return made;
}

function platform(): string {
  const machines: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}_${machines[process.arch] ?? process.arch}`;
}

function told(files: readonly string[], version: string): string {
  return `The provider is installed:
${files.map((file) => `  ${file}`).join("\n")}

Name it in a configuration, then run \`terraform init\` or \`tofu init\`:

  terraform {
    required_providers {
      svc = {
        source  = "${source}"
        version = "${version}"
      }
    }
  }`;
}
