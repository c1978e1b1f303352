// The events of a controller and their schema. Events contain no secret.
import { type Static, type TSchema, Type } from "typebox";
import type { Diagnostic } from "../core/diagnostics.ts";
import type { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { configFileSchema } from "../reconciler/document-types.ts";
import { sourceModes } from "./config-schema.ts";
import {
  driftCounts,
  type PatternChange,
  type Reconciliation,
  reconciliationResults,
} from "./reconciliation.ts";
import { writes } from "../reconciler/index.ts";

const closed = { additionalProperties: false } as const;
const textSchema = (description: string) => Type.String({ description });
const countSchema = (description: string) => Type.Integer({ minimum: 0, description });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const time = textSchema("ISO 8601, in UTC.");

const failure = Type.Object(
  {
    code: textSchema("Error code, see docs/reference/errors.md."),
    message: textSchema(""),
    remedy: optional(textSchema("")),
  },
  { ...closed, description: "Why the reconciliation failed, is held or closed." },
);

const change = Type.Object(
  {
    address: textSchema("Kind/name."),
    action: textSchema("create, update, replace, delete or adopt."),
    direction: textSchema(
      "pending: the manifests changed; drifted: the live object changed; conflict: both changed.",
    ),
    result: optional(textSchema("done, failed or skipped. Left out if nothing was written.")),
    failure: optional(failure),
  },
  closed,
);

const diagnostic = Type.Object(
  {
    code: textSchema("Diagnostic code, see docs/reference/diagnostics.md."),
    severity: textSchema("error, warning or info."),
    summary: textSchema(""),
    remedy: optional(textSchema("")),
    place: optional(textSchema("FILE:LINE:COLUMN.")),
    address: optional(textSchema("Kind/name.")),
  },
  closed,
);

const decision = Type.Object(
  {
    by: textSchema("Name of the token or person."),
    reason: optional(textSchema("")),
    at: textSchema("ISO 8601, in UTC."),
  },
  { ...closed, description: "Who approved or rejected the plan." },
);

const sourceNames = Type.Array(Type.String(), { maxItems: limits.controllerEventItems });

const reconciliationEventSchema = Type.Object(
  {
    time,
    event: Type.Literal("reconciliation"),
    source: textSchema("Name of the source."),
    mode: Type.String({ enum: [...sourceModes] }),
    result: Type.String({
      enum: [...reconciliationResults],
      description:
        "changes: the plan has changes that the mode does not apply. partial: some changes failed or do not read back as written. unhealthy: everything is applied, and a health check failed. held: deletes or replacements need an approval. waiting: for sources that it depends on. closed: a maintenance window is closed. invalid: the manifests have errors.",
    }),
    seconds: Type.Number({ minimum: 0 }),
    commit: optional(textSchema("The commit of the source.")),
    drift: optional(
      Type.Object(
        {
          pending: countSchema("The manifests changed."),
          drifted: countSchema("The live object changed."),
          conflict: countSchema("Both changed."),
        },
        { ...closed, description: "Number of changes of the plan by direction." },
      ),
    ),
    unchanged: optional(countSchema("Number of objects without a difference.")),
    changes: optional(Type.Array(change, { maxItems: limits.controllerEventItems })),
    moreChanges: optional(countSchema("Number of further changes.")),
    diagnostics: optional(Type.Array(diagnostic, { maxItems: limits.controllerEventItems })),
    moreDiagnostics: optional(countSchema("Number of further diagnostics.")),
    failure: optional(failure),
    held: optional(
      Type.Object(
        {
          plan: textSchema("Id of the plan, for svc controller approve."),
          deletes: countSchema("Number of deletes and replacements, with cascades."),
          allowed: countSchema("Delete limit: as many need no approval."),
          rejected: optional(decision),
        },
        closed,
      ),
    ),
    approvals: optional(
      Type.Array(
        Type.Object(
          { pipeline: textSchema(""), stage: textSchema(""), reason: textSchema("") },
          closed,
        ),
        {
          maxItems: limits.controllerEventItems,
          description:
            "The stages of its pipelines that wait for an approval or a pull request of a version; empty if none does. Missing if they were not read.",
        },
      ),
    ),
    checks: optional(
      Type.Array(
        Type.Object(
          { check: textSchema(""), passed: Type.Boolean(), message: textSchema("") },
          closed,
        ),
        { maxItems: limits.controllerEventItems, description: "The health checks that ran." },
      ),
    ),
    waitsFor: optional(
      Type.Object(
        { sources: sourceNames, since: textSchema("ISO 8601, in UTC.") },
        { ...closed, description: "The sources that it waits for, and since when." },
      ),
    ),
    expanded: optional(
      Type.Object(
        {
          sources: countSchema("Number of its sources."),
          added: optional(sourceNames),
          removed: optional(sourceNames),
        },
        { ...closed, description: "The sources of a pattern, and which are new or gone." },
      ),
    ),
    approved: optional(decision),
    suspension: optional(
      Type.Object(
        {
          by: textSchema("Who suspended the source; the owner, for that of the configuration."),
          reason: textSchema(""),
          expires: textSchema("ISO 8601, in UTC."),
          configured: Type.Boolean({ description: "Whether it is in the configuration." }),
        },
        { ...closed, description: "Why the source is left alone." },
      ),
    ),
    opens: optional(textSchema("When the next maintenance window opens.")),
    failures: optional(countSchema("Number of consecutive failures.")),
    next: optional(textSchema("Time of the next reconciliation.")),
  },
  { ...closed, description: "A reconciliation has ended." },
);

const actionEventSchema = Type.Object(
  {
    time,
    event: Type.Literal("action"),
    source: textSchema("Name of the source."),
    action: Type.Enum([
      "reconcile",
      "suspend",
      "resume",
      "approve",
      "reject",
      "approve-version",
      "hold-stage",
      "release-stage",
    ]),
    by: textSchema("Name of the token, or address of the user."),
    plan: optional(textSchema("Id of the plan.")),
    reason: optional(textSchema("")),
    expires: optional(textSchema("End of the suspension.")),
    pipeline: optional(textSchema("Name of the pipeline.")),
    stage: optional(textSchema("Name of its stage.")),
    version: optional(textSchema("The approved version.")),
  },
  { ...closed, description: "A request to the API changed a source." },
);

const controllerEventUnion = Type.Union([
  Type.Object(
    {
      time,
      event: Type.Literal("started"),
      sources: Type.Array(Type.String()),
      listening: optional(textSchema("URL of health, status, metrics and webhooks.")),
    },
    { ...closed, description: "The controller has started." },
  ),
  reconciliationEventSchema,
  Type.Object(
    {
      time,
      event: Type.Literal("reloaded"),
      sources: Type.Array(Type.String()),
      listening: optional(textSchema("URL of health, status, metrics and webhooks.")),
    },
    { ...closed, description: "The controller has read its configuration again, and uses it." },
  ),
  Type.Object(
    { time, event: Type.Literal("reload-failed"), failure },
    {
      ...closed,
      description: "The new configuration is invalid; the controller keeps the old one.",
    },
  ),
  Type.Object(
    { time, event: Type.Literal("webhook"), source: textSchema("Name of the source.") },
    { ...closed, description: "A webhook triggered a reconciliation." },
  ),
  actionEventSchema,
  Type.Object(
    {
      time,
      event: Type.Literal("record-failed"),
      source: textSchema("Name of the source."),
      failure,
    },
    { ...closed, description: "The history or the plan of a source could not be written." },
  ),
  Type.Object(
    {
      time,
      event: Type.Literal("shared"),
      sources: Type.Array(Type.String()),
      replicas: countSchema("Number of replicas with the same configuration."),
      otherConfiguration: countSchema("Number of replicas with another one, which share nothing."),
    },
    {
      ...closed,
      description: "What this replica works on has changed, or the number of replicas.",
    },
  ),
  Type.Object(
    { time, event: Type.Literal("state-failed"), failure },
    {
      ...closed,
      description: "The database of the state does not answer. A replica soon stops its work.",
    },
  ),
  Type.Object(
    { time, event: Type.Literal("state-restored") },
    { ...closed, description: "The database of the state answers again." },
  ),
  Type.Object(
    { time, event: Type.Literal("traces-failed"), message: textSchema("Why.") },
    { ...closed, description: "The collector did not take spans, or they were too many." },
  ),
  Type.Object(
    {
      time,
      event: Type.Literal("notification-failed"),
      target: textSchema("Name of the target."),
      source: textSchema("Name of the source."),
      type: textSchema("What it was about."),
      message: textSchema("Why the last attempt failed."),
    },
    { ...closed, description: "No attempt delivered a notification." },
  ),
  Type.Object(
    {
      time,
      event: Type.Literal("stopped"),
      diagnostics: optional(
        Type.Array(diagnostic, { description: "Why the lock on the state folder is still held." }),
      ),
    },
    { ...closed, description: "The controller has stopped, with no call in flight." },
  ),
]);

/** One event. */
export type ControllerEvent = Static<typeof controllerEventUnion>;

/** The event at the end of a reconciliation. */
export type ReconciliationEvent = Static<typeof reconciliationEventSchema>;

/** The event of an action at the API. */
export type ActionEvent = Static<typeof actionEventSchema>;

/** Returns `schemas/controller-event.json`. */
export function controllerEventSchema(): JsonObject {
  return configFileSchema("Event of a controller of svc", controllerEventUnion);
}

/** Time, failures and next run of a reconciliation. */
export interface ReconciliationTiming {
  readonly time: Date;
  readonly failures: number;
  readonly next: Date | undefined;
}

/** Returns the event of a reconciliation. */
export function reconciliationEvent(
  reconciliation: Reconciliation,
  { time: at, failures, next }: ReconciliationTiming,
): ReconciliationEvent {
  const { source, mode, result, seconds, commit, plan, failure: why, opens } = reconciliation;
  const { held, approved, suspension } = reconciliation;
  const members = {
    source,
    mode,
    result,
    seconds,
    commit,
    ...(plan && { drift: driftCounts(plan), unchanged: plan.unchanged }),
    ...changesOf(reconciliation),
    ...diagnosticsOf(reconciliation),
    failure: why && failureEvent(why),
    held,
    approvals: approvalsOf(reconciliation),
    checks: reconciliation.checks?.slice(0, limits.controllerEventItems),
    waitsFor: reconciliation.waitsFor,
    expanded: reconciliation.expanded && expansionOf(reconciliation.expanded),
    approved,
    suspension,
    opens,
    ...(failures > 0 && { failures }),
    next: next?.toISOString(),
  };
  // JSON leaves out undefined members.
  return JSON.parse(
    JSON.stringify({ time: at.toISOString(), event: "reconciliation", ...members }),
  ) as ReconciliationEvent;
}

/** Returns the event at the end of a run. The next controller on this machine breaks the lock of an ended process. */
export function stoppedEvent(at: Date, unreleased: readonly Diagnostic[]): ControllerEvent {
  const diagnostics = unreleased.map(({ remedy: _, ...warning }) => diagnosticOf(warning));
  const shown = diagnostics.length > 0 && { diagnostics };
  return { time: at.toISOString(), event: "stopped", ...shown };
}

function approvalsOf({ promotions }: Reconciliation): ReconciliationEvent["approvals"] {
  if (promotions === undefined || promotions.failure !== undefined) return undefined;
  const all = promotions.pipelines.flatMap(({ pipeline, stages }) =>
    stages.flatMap(({ stage, reasons }) =>
      reasons.flatMap(({ code, message: reason }) =>
        code === "needs-approval" || code === "needs-request" ? [{ pipeline, stage, reason }] : [],
      ),
    ),
  );
  return all.slice(0, limits.controllerEventItems);
}

function expansionOf({ sources, added, removed }: PatternChange) {
  const namesOf = (some: typeof added): readonly string[] | undefined =>
    some.length === 0
      ? undefined
      : some.slice(0, limits.controllerEventItems).map(({ name }) => name);
  return { sources, added: namesOf(added), removed: namesOf(removed) };
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

/** Returns a diagnostic of an event in one line. */
export function diagnosticText({
  place,
  summary,
}: {
  readonly place?: string | undefined;
  readonly summary: string;
}): string {
  return place === undefined ? summary : `${place}: ${summary}`;
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

/** Returns a failure as events contain it. */
export function failureEvent({ code, message, remedy }: Failure) {
  return { code, message, ...(remedy !== undefined && { remedy }) };
}
