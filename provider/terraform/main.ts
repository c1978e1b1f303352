#!/usr/bin/env node
// terraform-provider-svc: a process that Terraform or OpenTofu starts, and that serves the kinds to it.
import { createProvider } from "./provider.ts";
import { log } from "./wire/log.ts";
import { servePlugin, startupError } from "./wire/plugin.ts";

const reason = startupError(process.env);
if (reason === undefined) {
  const provider = createProvider();
  servePlugin(provider.handlers, () => provider.close()).catch((error: unknown) => {
    log("error", error instanceof Error ? error.message : String(error));
    process.exit(1);
  });
} else {
  // Of a plug-in that does not start, the engine shows the first line of its output.
  process.stdout.write(`${reason}\n`);
  process.exitCode = 1;
}
