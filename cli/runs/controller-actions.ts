// Runs the commands that show and change the sources of a controller: in its state folder, or at the API of a running one.
import { approvePlan, rejectPlan, resumeSource, suspendSource } from "../../controller/actions.ts";
import type { SourceList, SourceOverview } from "../../controller/api-types.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { savedOverviews } from "../../controller/overview.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { alignColumns } from "../../core/text/align-columns.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { callController } from "../shared/connection/controller-api.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";

/** Where the controller is: its configuration on this machine, or the address of a running one. */
export interface ControllerFlags extends OutputFlags {
  readonly config?: string;
  readonly url?: string;
  /** Whether the controller at `url` gets the login of the context, by default of the active one. */
  readonly login?: true;
  readonly context?: string;
}

export interface ActionFlags extends ControllerFlags {
  readonly reason?: string;
  readonly by?: string;
}

export interface SuspendFlags extends ActionFlags {
  readonly reason: string;
  readonly expires: string;
}

/** Runs `svc controller list`. */
export function runSourceList(flags: ControllerFlags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const local = configOf(flags);
    const sources =
      local === undefined
        ? (
            (await callController(flags, {
              path: "/api/sources",
              signal,
            })) as object as SourceList
          ).sources
        : await savedOverviews(readControllerConfig(local), new Date());
    output.result({
      text: () => listText(sources),
      json: () => commandJson("controller list", { sources: sources.map(toJson) }),
    });
    return exitCodes.done;
  });
}

/** Runs `svc controller suspend`. */
export function runSuspend(source: string, flags: SuspendFlags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const { reason } = flags;
    const local = configOf(flags);
    let { by, expires } = { by: actorOf(flags), expires: flags.expires };
    if (local === undefined) {
      const body = { reason, expires };
      const { suspension } = (await act(flags, {
        source,
        action: "suspend",
        body,
        signal,
      })) as object as SourceOverview;
      ({ by = by, expires = expires } = suspension ?? {});
    } else {
      const now = new Date();
      const request = { source, by, reason, expires, now };
      expires = await suspendSource(readControllerConfig(local), request);
    }
    output.result({
      text: () => `Suspended ${source} until ${expires}.`,
      json: () => commandJson("controller suspend", { source, by, reason, expires }),
    });
    return exitCodes.done;
  });
}

/** Runs `svc controller resume`. */
export function runResume(source: string, flags: ControllerFlags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const local = configOf(flags);
    if (local === undefined) await act(flags, { source, action: "resume", body: {}, signal });
    else await resumeSource(readControllerConfig(local), { source, now: new Date() });
    output.result({
      text: () => `Resumed ${source}.`,
      json: () => commandJson("controller resume", { source }),
    });
    return exitCodes.done;
  });
}

/** Runs `svc controller reconcile`. */
export function runReconcile(source: string, flags: ControllerFlags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    await act(flags, { source, action: "reconcile", body: {}, signal });
    output.result({
      text: () => `${source} will be reconciled.`,
      json: () => commandJson("controller reconcile", { source }),
    });
    return exitCodes.done;
  });
}

/** Runs `svc controller approve` or `svc controller reject`. */
export function runDecision(
  action: "approve" | "reject",
  { source, plan }: { readonly source: string; readonly plan: string },
  flags: ActionFlags,
): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const { reason } = flags;
    const given = reason === undefined ? {} : { reason };
    const local = configOf(flags);
    let by = actorOf(flags);
    let held: { readonly deletes: number; readonly changes: readonly string[] };
    if (local === undefined) {
      const body = { plan, ...given };
      const answer = await act(flags, { source, action, body, signal });
      const decided = answer as object as typeof held & SourceOverview;
      by = decided.held?.decision?.by ?? by;
      held = decided;
    } else {
      const decide = action === "approve" ? approvePlan : rejectPlan;
      held = await decide(readControllerConfig(local), {
        source,
        plan,
        by,
        at: new Date(),
        ...given,
      });
    }
    const { deletes, changes } = held;
    const title = action === "approve" ? "Approved" : "Rejected";
    output.result({
      text: () => `${title} for ${source}: ${changes.join(", ")}.`,
      json: () => commandJson(`controller ${action}`, { source, plan, deletes, changes, by }),
    });
    return exitCodes.done;
  });
}

/** Returns the configuration; undefined for the API of a running controller. Fails with `usage` unless one of both is named. */
export function configOf({ config, url, login, context }: ControllerFlags): string | undefined {
  if (login && url === undefined) throw new Failure("usage", "--login is for --url");
  if (context !== undefined && !login) throw new Failure("usage", "--context is for --login");
  if ((config === undefined) === (url === undefined)) {
    throw new Failure("usage", "name either --config or --url", {
      remedy:
        "--config FILE for a controller of this machine, --url URL for the API of a running one.",
    });
  }
  return config;
}

function actorOf({ by, url }: ActionFlags): string {
  if (by !== undefined && url !== undefined) {
    throw new Failure("usage", "--by is for --config: the API records the name of the token");
  }
  return by ?? actorFromEnvironment(process.env);
}

function act(
  address: ControllerFlags,
  {
    source,
    action,
    body,
    signal,
  }: { source: string; action: string; body: JsonObject; signal: AbortSignal },
): Promise<JsonObject> {
  const path = `/api/sources/${encodeURIComponent(source)}/${action}`;
  return callController(address, { path, body, signal });
}

function listText(sources: readonly SourceOverview[]): string {
  const rows = sources.map((source) => [
    source.name,
    source.health,
    source.result ?? "",
    source.commit?.slice(0, 12) ?? "",
    source.since ?? "",
    reasonText(source),
  ]);
  const titles = ["SOURCE", "HEALTH", "RESULT", "COMMIT", "SINCE", "REASON"];
  return alignColumns([titles, ...rows].map((row) => row.map(escapeInvisible))).join("\n");
}

/** Returns what a source waits for: a server, the end of a suspension, a decision, or other sources; else why it fails. */
function reasonText({ running, suspension, health, held, failure }: SourceOverview): string {
  if (running !== undefined) {
    const { since, phase, host = "" } = running;
    return [`in progress since ${since}:`, phase, host].filter(Boolean).join(" ");
  }
  if (suspension !== undefined) return `until ${suspension.expires}: ${suspension.reason}`;
  if (held !== undefined && health !== "failing") {
    const { plan, decision } = held;
    return `plan ${plan}${decision ? ` ${decision.verdict} by ${decision.by}` : ""}`;
  }
  return failure?.message ?? "";
}

function toJson(source: SourceOverview): JsonObject {
  return JSON.parse(JSON.stringify(source)) as JsonObject;
}
