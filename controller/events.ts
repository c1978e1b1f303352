// What a controller tells: one JSON object an event, by one schema, with nothing secret in it.
import { type Static, type TSchema, Type } from "typebox";
import type { Diagnostic } from "../core/diagnostics.ts";
import type { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { configFileSchema } from "../reconciler/manifest/config-file.ts";
import { writes } from "../reconciler/model/plan-filters.ts";
import { driftCounts, type Reconciliation } from "./reconcile.ts";

const closed = { additionalProperties: false } as const;
const textSchema = (description: string) => Type.String({ description });
const countSchema = (description: string) => Type.Integer({ minimum: 0, description });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const time = textSchema("ISO 8601, in UTC.");

const failure = Type.Object(
  {
    code: textSchema("As docs/reference/errors.md explains it."),
    message: textSchema(""),
    remedy: optional(textSchema("")),
  },
  { ...closed, description: "Why it failed, waits or is closed." },
);

const change = Type.Object(
  {
    address: textSchema("Kind/name."),
    action: textSchema("create, update, replace, delete or adopt."),
    direction: textSchema(
      "pending: the manifests moved; drifted: the server did; conflict: both did.",
    ),
    result: optional(
      textSchema("done, failed or skipped; left out where nothing was to be written."),
    ),
    failure: optional(failure),
  },
  closed,
);

const diagnostic = Type.Object(
  {
    code: textSchema("As docs/reference/diagnostics.md explains it."),
    severity: textSchema("error, warning or info."),
    summary: textSchema(""),
    remedy: optional(textSchema("")),
    place: optional(textSchema("FILE:LINE:COLUMN.")),
    address: optional(textSchema("Kind/name.")),
  },
  closed,
);

const reconciliationEventSchema = Type.Object(
  {
    time,
    event: Type.Literal("reconciliation"),
    source: textSchema("The name of the source."),
    mode: Type.String({ enum: ["plan", "apply"] }),
    result: Type.String({
      enum: [
        "unchanged",
        "changes",
        "applied",
        "partial",
        "held",
        "closed",
        "invalid",
        "failed",
        "suspended",
        "stopped",
      ],
      description:
        "changes: there is something to do, and the mode is plan. partial: not all of it was done, or it does not look as written. held: deletes or replaces wait for an approval. closed: a window or freeze. invalid: the manifests are not valid.",
    }),
    seconds: Type.Number({ minimum: 0 }),
    commit: optional(textSchema("What the source is at.")),
    drift: optional(
      Type.Object(
        {
          pending: countSchema("The manifests moved."),
          drifted: countSchema("The server moved."),
          conflict: countSchema("Both did."),
        },
        { ...closed, description: "The writes of the plan, by who moved." },
      ),
    ),
    unchanged: optional(countSchema("Objects that are as wished.")),
    changes: optional(Type.Array(change, { maxItems: limits.controllerEventItems })),
    moreChanges: optional(countSchema("Changes beyond those that are told.")),
    diagnostics: optional(Type.Array(diagnostic, { maxItems: limits.controllerEventItems })),
    moreDiagnostics: optional(countSchema("Diagnostics beyond those that are told.")),
    failure: optional(failure),
    held: optional(
      Type.Object(
        {
          plan: textSchema("Its name, for whoever approves it."),
          deletes: countSchema("Deletes and replaces, with what goes along."),
          allowed: countSchema("As many go without an approval."),
        },
        closed,
      ),
    ),
    opens: optional(textSchema("When changes may be made next.")),
    failures: optional(countSchema("Rounds in a row that failed.")),
    next: optional(textSchema("When the source is looked at next.")),
  },
  { ...closed, description: "A round has ended." },
);

const controllerEventUnion = Type.Union([
  Type.Object(
    {
      time,
      event: Type.Literal("started"),
      sources: Type.Array(Type.String()),
      listening: optional(textSchema("Where state, metrics and webhooks are answered.")),
    },
    { ...closed, description: "The controller has begun." },
  ),
  reconciliationEventSchema,
  Type.Object(
    { time, event: Type.Literal("webhook"), source: textSchema("The name of the source.") },
    { ...closed, description: "A webhook asked for a round." },
  ),
  Type.Object(
    { time, event: Type.Literal("stopped") },
    { ...closed, description: "The controller has ended, with nothing in flight." },
  ),
]);

/** One event. */
export type ControllerEvent = Static<typeof controllerEventUnion>;

/** The end of a round, as it is told. */
export type ReconciliationEvent = Static<typeof reconciliationEventSchema>;

/** `schemas/controller-event.json`. */
export function controllerEventSchema(): JsonObject {
  return configFileSchema("Event of a controller of svc", controllerEventUnion);
}

/** What is told of a round beside what it came to. */
export interface ReconciliationTiming {
  readonly time: Date;
  readonly failures: number;
  readonly next: Date | undefined;
}

/** A round as it is told. */
export function reconciliationEvent(
  round: Reconciliation,
  { time: at, failures, next }: ReconciliationTiming,
): ReconciliationEvent {
  const { source, mode, result, seconds, commit, plan, failure: why, held, opens } = round;
  const told = {
    source,
    mode,
    result,
    seconds,
    commit,
    ...(plan && { drift: driftCounts(plan), unchanged: plan.unchanged }),
    ...changesOf(round),
    ...diagnosticsOf(round),
    failure: why && failureOf(why),
    held,
    opens,
    ...(failures > 0 && { failures }),
    next: next?.toISOString(),
  };
  // Without the members that are not set.
  return JSON.parse(
    JSON.stringify({ time: at.toISOString(), event: "reconciliation", ...told }),
  ) as ReconciliationEvent;
}

function changesOf({ plan, applied }: Reconciliation): Partial<ReconciliationEvent> {
  const all = plan === undefined ? [] : writes(plan);
  if (all.length === 0) return {};
  const outcomes = new Map(applied?.outcomes.map((one) => [one.address, one]));
  const changes = all
    .slice(0, limits.controllerEventItems)
    .map(({ address, action, direction }) => {
      const { result, failure: why } = outcomes.get(address) ?? {};
      return {
        address,
        action,
        direction,
        ...(result && { result }),
        ...(why && { failure: why }),
      };
    });
  const moreChanges = all.length - changes.length;
  return { changes, ...(moreChanges > 0 && { moreChanges }) };
}

function diagnosticsOf({ plan, diagnostics: found }: Reconciliation): Partial<ReconciliationEvent> {
  const all = [...found, ...(plan?.diagnostics ?? [])].filter(
    ({ severity }) => severity !== "info",
  );
  if (all.length === 0) return {};
  const diagnostics = all.slice(0, limits.controllerEventItems).map(diagnosticOf);
  const moreDiagnostics = all.length - diagnostics.length;
  return { diagnostics, ...(moreDiagnostics > 0 && { moreDiagnostics }) };
}

function diagnosticOf({ code, severity, summary, remedy, place, address }: Diagnostic) {
  const at = place && `${place.file}:${place.line}:${place.column}`;
  return {
    code,
    severity,
    summary,
    ...(remedy !== undefined && { remedy }),
    ...(at !== undefined && { place: at }),
    ...(address !== undefined && { address }),
  };
}

function failureOf({ code, message, remedy }: Failure) {
  return { code, message, ...(remedy !== undefined && { remedy }) };
}
