// The options of a controller, and the context in which it reconciles a source.
import path from "node:path";
import pLimit from "p-limit";
import type { Component } from "../core/kind/component.ts";
import type { Kind } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { shellQuote } from "../core/text/shell-quote.ts";
import { createCheckouts } from "./checkout.ts";
import type { ControllerConfig, Source } from "./config.ts";
import type { ControllerEvent } from "./events.ts";
import { createFetchQueue } from "../git/fetch-queue.ts";
import { createParseCache } from "../reconciler/sessions.ts";
import type { ReconciliationContext } from "./reconciliation.ts";
import type { Clock } from "./clock.ts";
import type { ReloadRequests } from "./reload-requests.ts";

/** The options of a controller. */
export interface ControllerOptions {
  readonly config: ControllerConfig;
  readonly kinds: readonly Kind[];
  /** Components whose documents declare several objects. Default: none. */
  readonly components?: readonly Component[] | undefined;
  /** Environment for secrets, and for variables that manifests are granted. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reconcile each source once, and stop. */
  readonly once?: boolean | undefined;
  /** Stops the controller after the calls in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Requests to read the configuration again, such as SIGHUP. */
  readonly reloads?: ReloadRequests | undefined;
  /** Called with each event. */
  readonly onEvent?: ((event: ControllerEvent) => void) | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** From 0 to 1; for jitter. */
  readonly random?: (() => number) | undefined;
}

/** Returns the context of each source. All share the limits of concurrent fetches and reconciliations, and the parsed files. */
export function createContexts({
  config,
  env,
  kinds,
  components,
  checkoutFolder = (source) => path.join(folderOf(config, source), "checkouts"),
}: Pick<ControllerOptions, "config" | "env" | "kinds" | "components"> & {
  readonly checkoutFolder?: (source: Source) => string;
}): (source: Source) => Omit<ReconciliationContext, "clock" | "signal"> {
  const queue = createFetchQueue();
  const limit = pLimit(limits.controllerReconciliations);
  const parseCache = createParseCache();
  return (source) => {
    const checkouts =
      source.git && createCheckouts(source.git, { folder: checkoutFolder(source), env, queue });
    return {
      folder: folderOf(config, source),
      checkout: checkouts && ((wanted) => checkouts.latest(wanted)),
      reviewCommand: `svc controller plan ${source.name} --config ${shellQuote(config.file)}`,
      approveCommand: (plan) =>
        `svc controller approve ${source.name} ${plan} --config ${shellQuote(config.file)}`,
      env,
      kinds,
      components,
      limit,
      parseCache,
    };
  };
}

/** Returns the state folder of a source. */
export function folderOf({ state }: ControllerConfig, { name }: Source): string {
  return path.join(state, "sources", name);
}
