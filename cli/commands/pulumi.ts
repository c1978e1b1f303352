// `svc pulumi install`: puts the bundled plugin where Pulumi looks for plugins by itself.
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

const launcher = "pulumi-resource-svc";

const built: Built = {
  name: "pulumi/plugin",
  file: "plugin.cjs",
  bundled: (folder) => ["scripts/bundle-pulumi.mjs", "plugin", folder],
};

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
        const into = join(root, `resource-svc-v${version}`);
        const installed = await withBuilt(built, (folder) => installIn(into, folder));
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

async function installIn(folder: string, from: string): Promise<string> {
  for (const name of [built.file, "package.json", "PulumiPlugin.yaml"]) {
    await writeWhole(join(folder, name), await readFile(join(from, name)), 0o644);
  }
  const path = join(folder, launcher);
  await writeWhole(path, withOwnNode(await readFile(join(from, launcher), "utf8")), 0o755);
  return path;
}
