// `svc plugin install terraform`: installs the bundled provider where Terraform and OpenTofu look for
// providers.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { publication } from "../../core/publication.ts";
import {
  installFile,
  installProgram,
  type PluginBundle,
  withCurrentNode,
  withPluginFolder,
} from "../shared/release/plugin-install.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";

interface InstallFlags extends OutputFlags {
  readonly pluginDir?: string;
}

const { terraformSource: source, terraformRegistries: registries } = publication;

const pluginBundle: PluginBundle = {
  name: "terraform",
  file: "provider.mjs",
  bundleCommand: (folder) => ["scripts/bundle-terraform.mjs", folder, "terraform-provider-svc"],
};

/** Returns the `plugin install terraform` command. */
export function installTerraformCommand(version: string): Command {
  const command = new Command("terraform")
    .summary("install the provider for Terraform and OpenTofu")
    .description(
      "Install the Terraform provider into the plugin folder of Terraform and OpenTofu, so " +
        "that `init` finds it without further configuration.",
    )
    .option("--plugin-dir <folder>", "plugin folder (default: ~/.terraform.d/plugins)")
    .action(async (flags: InstallFlags) => {
      const { runAction } = await import("../shared/run/run-action.ts");
      const { commandJson } = await import("../../reconciler/report/command-output-schema.ts");
      await runAction(flags, async ({ output }) => {
        const root = flags.pluginDir ?? join(homedir(), ".terraform.d", "plugins");
        const files = await withPluginFolder(pluginBundle, output, (folder) =>
          installIn(root, { folder, version }),
        );
        output.result({
          text: () => installedText(files, version),
          json: () =>
            commandJson("plugin install terraform", { installed: files, source, version }),
        });
        return exitCodes.done;
      });
    });
  return outputOptions(
    withExamples(command, { "install the provider": "svc plugin install terraform" }),
  );
}

async function installIn(
  root: string,
  { folder: from, version }: { readonly folder: string; readonly version: string },
): Promise<readonly string[]> {
  const launcher = withCurrentNode(await readFile(join(from, "terraform-provider-svc"), "utf8"));
  const installed: string[] = [];
  for (const registry of registries) {
    const folder = join(root, registry, source, version, platform());
    await installProgram(pluginBundle, { from, into: folder });
    const path = join(folder, `terraform-provider-svc_v${version}`);
    installFile(path, launcher, 0o755);
    installed.push(path);
  }
  return installed;
}

function platform(): string {
  const machines: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}_${machines[process.arch] ?? process.arch}`;
}

function installedText(files: readonly string[], version: string): string {
  return `Installed the provider:\n${files.map((file) => `  ${file}`).join("\n")}\n\nAdd it to a configuration, then run \`terraform init\` or \`tofu init\`:\n\n  terraform {\n    required_providers {\n      svc = {\n        source  = "${source}"\n        version = "${version}"\n      }\n    }\n  }`;
}
