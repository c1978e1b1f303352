// `svc plugin install pulumi`: installs the bundled plugin where Pulumi looks for plugins.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
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

const launcher = "pulumi-resource-svc";

const pluginBundle: PluginBundle = {
  name: "pulumi/plugin",
  file: "plugin.mjs",
  bundleCommand: (folder) => ["scripts/bundle-pulumi.mjs", "plugin", folder],
};

/** Returns the `plugin install pulumi` command. */
export function installPulumiCommand(version: string): Command {
  const command = new Command("pulumi")
    .summary("install the plugin for Pulumi")
    .description(
      "Install the Pulumi plugin into the plugin folder of Pulumi, so that programs find it " +
        "without a download.",
    )
    .option(
      "--plugin-dir <folder>",
      "plugin folder (default: plugins in PULUMI_HOME, else ~/.pulumi/plugins)",
    )
    .action(async (flags: InstallFlags) => {
      const { runAction } = await import("../shared/run/run-action.ts");
      const { commandJson } = await import("../../reconciler/report/command-output-schema.ts");
      await runAction(flags, async ({ output }) => {
        const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
        const root = flags.pluginDir ?? join(home, "plugins");
        const into = join(root, `resource-svc-v${version}`);
        const installed = await withPluginFolder(pluginBundle, output, (folder) =>
          installIn(into, folder),
        );
        output.result({
          text: () =>
            `Installed the plugin:\n  ${installed}\n\nIn TypeScript, import \`svc-as-code/pulumi\`. In YAML, use the types \`svc:KIND\`.`,
          json: () => commandJson("plugin install pulumi", { installed, version }),
        });
        return exitCodes.done;
      });
    });
  return outputOptions(
    withExamples(command, { "install the plugin": "svc plugin install pulumi" }),
  );
}

/**
 * Returns the files for the host that starts the program. On Windows, where the launcher cannot run, `PulumiPlugin.yaml`
 * makes the engine start the plugin through its Node.js host. Elsewhere that file would keep the engine from using the
 * launcher.
 */
export function hostFiles(platform: NodeJS.Platform): readonly string[] {
  return platform === "win32" ? ["package.json", "PulumiPlugin.yaml"] : [];
}

async function installIn(folder: string, from: string): Promise<string> {
  await installProgram(pluginBundle, { from, into: folder });
  for (const name of hostFiles(process.platform)) {
    installFile(join(folder, name), await readFile(join(from, name)), 0o644);
  }
  const path = join(folder, launcher);
  installFile(path, withCurrentNode(await readFile(join(from, launcher), "utf8")), 0o755);
  return path;
}
