#!/usr/bin/env node
// terraform-provider-svc: the plugin process that Terraform or OpenTofu starts.
import { log } from "./wire/log.ts";
import { servePlugin, startupError } from "./wire/plugin.ts";

const debug = process.argv.includes("--debug");
const reason = startupError(process.env, debug);
if (reason === undefined) {
  const loadProvider = async () => (await import("./provider.ts")).createProvider();
  servePlugin(loadProvider, debug).catch((error: unknown) => {
    log("error", error instanceof Error ? error.message : String(error));
    process.exit(1);
  });
} else {
  // Terraform shows the first line of output of a plugin that does not start.
  process.stdout.write(`${reason}\n`);
  process.exitCode = 1;
}
