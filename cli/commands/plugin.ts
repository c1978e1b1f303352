// `svc plugin`: installs the provider for Terraform and the plugin for Pulumi.
import { Command } from "commander";
import { installPulumiCommand } from "./plugin-pulumi.ts";
import { installTerraformCommand } from "./plugin-terraform.ts";

/** Returns the `plugin` command. */
export function pluginCommand(version: string): Command {
  const install = new Command("install")
    .summary("install a provider or plugin")
    .description("Install the provider for Terraform and OpenTofu, or the plugin for Pulumi.")
    .addCommand(installTerraformCommand(version))
    .addCommand(installPulumiCommand(version));
  return new Command("plugin")
    .description("Install the plugins for Terraform, OpenTofu and Pulumi.")
    .addCommand(install);
}
