// What a controller tells: one JSON object an event, by one schema, with nothing secret in it.
import { type Static, type TSchema, Type } from "typebox";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { givenSchema } from "../caller/given-file.ts";
import { writes } from "../planning/parts.ts";
import { directionsOf, type Round } from "./round.ts";

const closed = { additionalProperties: false } as const;
const said = (description: string) => Type.String({ description });
const counted = (description: string) => Type.Integer({ minimum: 0, description });
const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema);
const time = said("ISO 8601, in UTC.");

const failure = Type.Object(
  { code: said("As docs/errors.md explains it."), message: said(""), remedy: maybe(said("")) },
  { ...closed, description: "Why it failed, waits or is closed." },
);

const change = Type.Object(
  {
    address: said("Kind/name."),
    action: said("create, update, replace, delete or adopt."),
    direction: said("unshipped: the manifests moved; drifted: the server did; conflict: both did."),
    result: maybe(said("done, failed or skipped; left out where nothing was to be written.")),
    failure: maybe(failure),
  },
  closed,
);

const diagnostic = Type.Object(
  {
    code: said("As docs/diagnostics.md explains it."),
    severity: said("error, warning or info."),
    summary: said(""),
    remedy: maybe(said("")),
    place: maybe(said("FILE:LINE:COLUMN.")),
    address: maybe(said("Kind/name.")),
  },
  closed,
);

const roundForm = Type.Object(
  {
    time,
    event: Type.Literal("round"),
    source: said("The name of the source."),
    mode: Type.String({ enum: ["plan", "apply"] }),
    result: Type.String({
      enum: [
        "unchanged",
        "changes",
        "applied",
        "partly",
        "held",
        "closed",
        "mistakes",
        "failed",
        "suspended",
        "stopped",
      ],
      description:
        "changes: there is something to do, and the mode is plan. partly: not all of it was done, or it does not look as written. held: deletes or replaces wait for an approval. closed: a window or freeze. mistakes: the manifests are not valid.",
    }),
    seconds: Type.Number({ minimum: 0 }),
    commit: maybe(said("What the source is at.")),
    drift: maybe(
      Type.Object(
        {
          unshipped: counted("The manifests moved."),
          drifted: counted("The server moved."),
          conflict: counted("Both did."),
        },
        { ...closed, description: "The writes of the plan, by who moved." },
      ),
    ),
    unchanged: maybe(counted("Objects that are as wished.")),
    changes: maybe(Type.Array(change, { maxItems: limits.controllerTold })),
    moreChanges: maybe(counted("Changes beyond those that are told.")),
    diagnostics: maybe(Type.Array(diagnostic, { maxItems: limits.controllerTold })),
    moreDiagnostics: maybe(counted("Diagnostics beyond those that are told.")),
    failure: maybe(failure),
    held: maybe(
      Type.Object(
        {
          plan: said("Its name, for whoever approves it."),
          deletes: counted("Deletes and replaces, with what goes along."),
          allowed: counted("As many go without an approval."),
        },
        closed,
      ),
    ),
    opens: maybe(said("When changes may be made next.")),
    failures: maybe(counted("Rounds in a row that failed.")),
    next: maybe(said("When the source is looked at next.")),
  },
  { ...closed, description: "A round has ended." },
);

const eventForm = Type.Union([
  Type.Object(
    {
      time,
      event: Type.Literal("started"),
      sources: Type.Array(Type.String()),
      listening: maybe(said("Where state, metrics and webhooks are answered.")),
    },
    { ...closed, description: "The controller has begun." },
  ),
  roundForm,
  Type.Object(
    { time, event: Type.Literal("hook"), source: said("The name of the source.") },
    { ...closed, description: "A webhook asked for a round." },
  ),
  Type.Object(
    { time, event: Type.Literal("stopped") },
    { ...closed, description: "The controller has ended, with nothing in flight." },
  ),
]);

/** One event. */
export type ControllerEvent = Static<typeof eventForm>;

/** The end of a round, as it is told. */
export type RoundEvent = Static<typeof roundForm>;

/** `schemas/controller-event.json`. */
export function controllerEventSchema(): JsonObject {
  return givenSchema("Event of a controller of svc", eventForm);
}

/** What is told of a round beside what it came to. */
export interface RoundAbout {
  readonly time: Date;
  readonly failures: number;
  readonly next: Date | undefined;
}

/** A round as it is told. */
export function roundEvent(round: Round, { time: at, failures, next }: RoundAbout): RoundEvent {
  const { source, mode, result, seconds, commit, plan, failure: why, held, opens } = round;
  const told = {
    source,
    mode,
    result,
    seconds,
    commit,
    ...(plan && { drift: directionsOf(plan), unchanged: plan.unchanged }),
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
    JSON.stringify({ time: at.toISOString(), event: "round", ...told }),
  ) as RoundEvent;
}

function changesOf({ plan, applied }: Round): Partial<RoundEvent> {
  const all = plan === undefined ? [] : writes(plan);
  if (all.length === 0) return {};
  const outcomes = new Map(applied?.outcomes.map((one) => [one.address, one]));
  const changes = all.slice(0, limits.controllerTold).map(({ address, action, direction }) => {
    const { result, failure: why } = outcomes.get(address) ?? {};
    return { address, action, direction, ...(result && { result }), ...(why && { failure: why }) };
  });
  const moreChanges = all.length - changes.length;
  return { changes, ...(moreChanges > 0 && { moreChanges }) };
}

function diagnosticsOf({ plan, diagnostics: found }: Round): Partial<RoundEvent> {
  const all = [...found, ...(plan?.diagnostics ?? [])].filter(
    ({ severity }) => severity !== "info",
  );
  if (all.length === 0) return {};
  const diagnostics = all.slice(0, limits.controllerTold).map(diagnosticOf);
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
