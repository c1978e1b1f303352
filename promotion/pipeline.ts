// The Pipeline document: the stages that a version passes, what enters each, what verifies it there, and who lets it go on.
import { Type, type Static } from "typebox";
import type { Diagnostic, Place } from "../core/diagnostics.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { namePattern } from "../core/identity.ts";
import { limits } from "../core/limits.ts";
import { closestMatch } from "../core/naming.ts";
import { member } from "../core/schema.ts";
import { validator } from "../core/validate.ts";
import { diagnosticOf, readHead, withoutFailedPaths } from "../reconciler/manifest/document.ts";
import { documentSchema } from "../reconciler/manifest/document-schema.ts";
import type { Document } from "../reconciler/manifest/parse.ts";
import type { Scope } from "../reconciler/manifest/variables.ts";
import { type FieldError, fieldErrors } from "../reconciler/manifest/field-errors.ts";
import {
  windowSchemaMembers,
  windowRuleErrors,
  type WindowRuleSet,
} from "../reconciler/model/windows/window-schema.ts";
import { durationPattern, milliseconds } from "../reconciler/model/duration.ts";

const closed = { additionalProperties: false } as const;

function duration(description: string) {
  return Type.Optional(
    Type.String({
      pattern: durationPattern,
      description: `${description} 30s, 15m, 24h, 7d or 1d12h.`,
    }),
  );
}

const httpCheck = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "What is asked with GET. {deployment} stands for a deployment's name, {url} for its address; with neither it is asked once.",
    }),
    status: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        default: 200,
        description: "Status that is expected. Redirects are not followed.",
      }),
    ),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Text that the answer must hold.",
      }),
    ),
    timeout: duration(
      "How long the whole answer may take, 10m at most; later is a failure. Left out, svc gives up after 10s, which is none:",
    ),
  },
  { ...closed, description: "A request and what is expected of its answer." },
);

const check = Type.Object(
  {
    http: Type.Optional(httpCheck),
    command: Type.Optional(
      Type.String({
        pattern: namePattern,
        description:
          "Name of a command. What it runs is said where svc is called: --allow-check NAME=FILE.",
      }),
    ),
    timeout: duration(
      "How long a command may take, 10m at most; later is a failure. Left out, svc gives up after 10m, which is none:",
    ),
  },
  { ...closed, description: "One check: http or command." },
);

const stage = Type.Object(
  {
    name: Type.String({ pattern: namePattern, description: "Name of the stage in the pipeline." }),
    deployments: Type.Object(
      {
        names: Type.Optional(
          Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            maxItems: limits.stageObjects,
            description: "Documents of the stack by metadata.name.",
          }),
        ),
        labels: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            minProperties: 1,
            description: "Labels that the documents have, all of them.",
          }),
        ),
      },
      { ...closed, description: "What is in the stage: by names, or by labels." },
    ),
    enters: Type.Optional(
      Type.Object(
        {
          channel: Type.Optional(
            Type.String({ minLength: 1, description: "The newest version of an update channel." }),
          ),
          stage: Type.Optional(
            Type.String({ minLength: 1, description: "What an earlier stage has verified." }),
          ),
        },
        {
          ...closed,
          description: "What comes in; left out, what the stage before has verified.",
        },
      ),
    ),
    verifies: Type.Optional(
      Type.Array(check, {
        maxItems: limits.stageChecks,
        description: "What is checked once a version runs; all of it must pass.",
      }),
    ),
    validFor: duration("How long a verification is good before it is done again:"),
    soak: duration("How long a version runs verified before the next stage may have it:"),
    promotion: Type.Optional(
      Type.String({
        enum: ["automatic", "approval"],
        default: "approval",
        description:
          "Who lets a version in: svc by itself, where --allow-automatic names the stage, or somebody's svc promote approve.",
      }),
    ),
    atOnce: Type.Optional(
      Type.Union(
        [
          Type.Integer({ minimum: 1, maximum: limits.stageObjects, title: "a number" }),
          Type.String({ pattern: "^([1-9][0-9]?|100)%$", title: "a share such as 10%" }),
        ],
        { description: "How many change at once, verified before the next; left out, all." },
      ),
    ),
    onFailure: Type.Optional(
      Type.String({
        enum: ["stop", "rollback"],
        default: "stop",
        description: "What a failed verification does: nothing more, or back to the last verified.",
      }),
    ),
    ...windowSchemaMembers,
  },
  { ...closed, description: "One stage." },
);

const pipelineSpec = Type.Object(
  {
    stages: Type.Array(stage, {
      minItems: 1,
      maxItems: limits.stages,
      description: "The stages in their order.",
    }),
  },
  closed,
);

/** A Pipeline document, as JSON Schema. */
export const pipelineSchema = documentSchema(
  {
    kind: "Pipeline",
    description: "The stages that a version of the platform passes on its way to production.",
    requiresSpec: true,
  },
  pipelineSpec,
);

type StageSpec = Static<typeof stage>;

/** What is checked: a request, or a command by the name that the caller knows it by. */
export type Check =
  | {
      readonly of: "http";
      readonly url: string;
      readonly status: number;
      readonly contains: string | undefined;
      /** Undefined: nothing is expected of it. */
      readonly timeoutMs: number | undefined;
    }
  | { readonly of: "command"; readonly name: string; readonly timeoutMs: number | undefined };

/** One stage of a pipeline. */
export interface Stage {
  readonly name: string;
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** A channel's newest, or what an earlier stage has verified. */
  readonly enters: { readonly channel: string } | { readonly stage: string };
  readonly verifies: readonly Check[];
  /** Undefined: a verification is good until another fails. */
  readonly validForMs: number | undefined;
  readonly soakMs: number;
  readonly isAutomatic: boolean;
  readonly atOnce: { readonly count: number } | { readonly percent: number };
  readonly onFailure: "stop" | "rollback";
  /** When it may change, beside what the Stack and the operator say. */
  readonly rules: WindowRuleSet;
}

/** An ordered promotion. */
export interface Pipeline {
  readonly name: string;
  readonly stages: readonly Stage[];
  /** What may be said of a place in its document. */
  readonly document: Document;
  readonly place: Place;
}

/** True for a document that says it is a Pipeline, right or wrong. */
export function isPipeline({ value }: Document): boolean {
  return isObject(value) && member(value, "kind") === "Pipeline";
}

/** Reads a Pipeline document; undefined where it has mistakes, all of which are told. */
export function readPipeline(
  document: Document,
  scope: Scope,
): { readonly pipeline: Pipeline | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const head = readHead(document, scope);
  const written = (isObject(document.value) ? member(document.value, "spec") : undefined) ?? {};
  const checked = { schema: pipelineSpec, value: head.spec, written, label: "spec" };
  const formal = fieldErrors(validator(pipelineSpec)(head.spec), checked).map((one) => ({
    ...one,
    path: `/spec${one.path}`,
  }));
  const stages = stageSpecs(head.spec);
  const all = withoutFailedPaths(
    [...head.errors, ...formal, ...(formal.length > 0 ? [] : semanticErrors(stages))],
    head.failedPaths,
  );
  const isRight = all.length === 0 && !document.hasErrors && head.name !== undefined;
  const at = head.name === undefined ? undefined : `Pipeline/${head.name}`;
  return {
    pipeline: isRight
      ? {
          name: head.name,
          stages: stages.map((one, index) => stageFromSpec(one, stages[index - 1]?.name)),
          document,
          place: document.place,
        }
      : undefined,
    diagnostics: document.hasErrors ? [] : all.map((one) => diagnosticOf(document, one, at)),
  };
}

function stageSpecs(spec: JsonValue): readonly StageSpec[] {
  const given = isObject(spec) ? spec["stages"] : undefined;
  return Array.isArray(given) ? (given as readonly StageSpec[]) : [];
}

/** What the schema cannot say of stages that have the right form. */
function semanticErrors(stages: readonly StageSpec[]): readonly FieldError[] {
  return stages.flatMap((one, index) => {
    const before = stages.slice(0, index).map(({ name }) => name);
    const found: FieldError[] = [];
    const tell = (path: string, summary: string, remedy: string): void => {
      const at = `/spec/stages/${index}${path}`;
      found.push({ code: "invalid-stage", path: at, inKey: false, summary, remedy });
    };
    if (before.includes(one.name)) {
      tell("/name", `another stage is called "${one.name}" too`, "Give each a name of its own.");
    }
    const { names, labels } = one.deployments;
    if ((names === undefined) === (labels === undefined)) {
      const summary = `the stage "${one.name}" says ${names ? "both names and labels" : "neither names nor labels"}`;
      tell("/deployments", summary, "Say one of the two.");
    }
    entersErrors(one, before, tell);
    const { windows = [], freezes = [] } = one;
    for (const wrong of windowRuleErrors({ windows, freezes })) {
      tell(wrong.path, wrong.summary, wrong.remedy);
    }
    for (const [at, { http, command, timeout }] of (one.verifies ?? []).entries()) {
      for (const [path, given] of [
        ["/http/timeout", http?.timeout],
        ["/timeout", timeout],
      ] as const) {
        if (given === undefined || milliseconds(given) <= limits.checkCommandMs) continue;
        const summary = `the timeout ${given} of a check is longer than 10m`;
        tell(`/verifies/${at}${path}`, summary, "Say 10m or less.");
      }
      if (http !== undefined && timeout !== undefined) {
        tell(`/verifies/${at}/timeout`, "this timeout is for commands", "Say it inside of http.");
      }
      if ((http === undefined) !== (command === undefined)) continue;
      tell(`/verifies/${at}`, "a check is either http or command", "Say one of the two.");
    }
    return found;
  });
}

function entersErrors(
  { enters, name }: StageSpec,
  before: readonly string[],
  tell: (path: string, summary: string, remedy: string) => void,
): void {
  if (enters === undefined) {
    if (before.length > 0) return;
    tell("", `nothing enters the first stage, "${name}"`, "Add enters: { channel: latest }.");
    return;
  }
  if ((enters.channel === undefined) === (enters.stage === undefined)) {
    tell("/enters", "what enters is either a channel or a stage", "Say one of the two.");
  } else if (enters.stage !== undefined && !before.includes(enters.stage)) {
    const meant = closestMatch(enters.stage, before);
    const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
    const summary = `there is no stage "${enters.stage}" before "${name}"`;
    tell("/enters/stage", summary, `${guess}Name one that stands before it.`);
  }
}

function stageFromSpec(given: StageSpec, before: string | undefined): Stage {
  const { name, deployments, enters = {}, verifies = [], validFor, soak, atOnce = "100%" } = given;
  const share = typeof atOnce === "number" ? undefined : Number(atOnce.slice(0, -1));
  return {
    name,
    names: deployments.names ?? [],
    labels: deployments.labels,
    enters:
      enters.channel === undefined
        ? { stage: enters.stage ?? before ?? "" }
        : { channel: enters.channel },
    verifies: verifies.map(checkFromSpec),
    validForMs: validFor === undefined ? undefined : milliseconds(validFor),
    soakMs: soak === undefined ? 0 : milliseconds(soak),
    isAutomatic: given.promotion === "automatic",
    atOnce: share === undefined ? { count: Number(atOnce) } : { percent: share },
    onFailure: given.onFailure === "rollback" ? "rollback" : "stop",
    rules: {
      by: `the stage ${name}`,
      windows: given.windows ?? [],
      freezes: given.freezes ?? [],
    },
  };
}

function checkFromSpec({ http, command, timeout }: Static<typeof check>): Check {
  const inMs = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : milliseconds(text);
  if (http === undefined) return { of: "command", name: command ?? "", timeoutMs: inMs(timeout) };
  return {
    of: "http",
    url: http.url,
    status: http.status ?? 200,
    contains: http.contains,
    timeoutMs: inMs(http.timeout),
  };
}
