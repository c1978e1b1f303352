// Runs the Terraform provider in this process and attaches an engine to it, which saves several starts of the provider a
// command.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenBeforeLoading } from "../../provider/bridge/early-listener.ts";
import { createProvider } from "../../provider/terraform/provider.ts";
import { reattachValue } from "../../provider/terraform/wire/plugin.ts";
import { createPluginServer } from "../../provider/terraform/wire/plugin-server.ts";

/** A running provider. */
export interface AttachedProvider {
  /** The value of `TF_REATTACH_PROVIDERS`. */
  readonly reattach: string;
  close(): Promise<void>;
}

/** Starts a provider with these environment variables. */
export async function startAttachedProvider(
  env: Readonly<Record<string, string>>,
): Promise<AttachedProvider> {
  const folder = mkdtempSync(join(tmpdir(), "svc-attached-"));
  const socket = join(folder, "s");
  const provider = createProvider(env);
  const serve = createPluginServer(provider.handlers, {
    logsRequests: false,
    prepareShutdown: () => provider.close(),
    end: () => undefined,
  });
  const listener = await listenBeforeLoading(
    { path: socket },
    { announce: () => undefined, load: () => Promise.resolve(serve) },
  );
  return {
    reattach: reattachValue(socket),
    close: async () => {
      listener.close();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
