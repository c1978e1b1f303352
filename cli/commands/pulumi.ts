// `svc pulumi install`: puts the bundled plugin where Pulumi looks for plugins by itself.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { builtFolder, withOwnNode, writeWhole } from "../built.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";

interface InstallFlags extends OutputFlags {
  readonly pluginDir?: string;
}

const launcher = "pulumi-resource-svc";

/** The command, to be added to the program. */
export function pulumiCommand(version: string): Command {
  const install = new Command("install")
    .summary("put the plugin where Pulumi looks for plugins")
    .description(
      "Put the Pulumi plugin into the folder where Pulumi looks for plugins, so that programs find it without a download.",
    )
    .option(
      "--plugin-dir <folder>",
      "folder of plugins (else plugins in PULUMI_HOME, else ~/.pulumi/plugins)",
    )
    .action((flags: InstallFlags) =>
      perform(flags, async ({ output }) => {
        const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
        const root = flags.pluginDir ?? join(home, "plugins");
        const installed = await installIn(join(root, `resource-svc-v${version}`));
        output.result({
          text: () =>
            `The plugin is installed:\n  ${installed}\n\nPrograms in TypeScript take it from \`svc-as-code/pulumi\`, YAML by type \`svc:KIND\`.`,
          json: () => ({ installed, version }),
        });
        return exits.done;
      }),
    );
  return new Command("pulumi")
    .description("The plugin for Pulumi.")
    .addCommand(outputOptions(install));
}

async function installIn(folder: string): Promise<string> {
  const built = builtFolder("pulumi/plugin", "plugin.cjs");
  for (const name of ["plugin.cjs", "package.json", "PulumiPlugin.yaml"]) {
    await writeWhole(join(folder, name), await readFile(join(built, name)), 0o644);
  }
  const path = join(folder, launcher);
  await writeWhole(path, withOwnNode(await readFile(join(built, launcher), "utf8")), 0o755);
  return path;
}
