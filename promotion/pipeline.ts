// The Pipeline document: its schema, and the typed pipeline that it declares.
import { Type, type Static } from "typebox";
import type { Diagnostic } from "../core/diagnostics.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { type ReleaseCheckName, releaseCheckNames } from "../core/kind/releases.ts";
import { limits } from "../core/limits/limits.ts";
import { closestMatch } from "../core/text/naming.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import {
  type BuiltInFormat,
  readBuiltIn,
  documentSchema,
  type Document,
  type ExtensionDocument,
  type Scope,
  type FieldError,
  windowSchemaMembers,
  windowRuleErrors,
} from "../reconciler/document-types.ts";
import { durationPattern, namePattern, percentPattern } from "../core/text/text-patterns.ts";
import { milliseconds } from "../core/text/duration.ts";
import { type QueryCheck, queryCheckSchema } from "./query-check.ts";
import type { WindowRuleSet } from "../reconciler/index.ts";

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
        "URL to request with GET. {deployment} is replaced with each deployment's name, {url} with its URL. A URL without either is requested once.",
    }),
    status: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        default: 200,
        description: "Expected status code. Redirects are not followed.",
      }),
    ),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Text that the response body must contain.",
      }),
    ),
    timeout: duration(
      "Time limit of the response, at most 10m. A later response is a failed check. Without it, svc stops after 10s and the check is inconclusive. Format:",
    ),
  },
  { ...closed, description: "An HTTP request and its expected response." },
);

const check = Type.Object(
  {
    http: Type.Optional(httpCheck),
    command: Type.Optional(
      Type.String({
        pattern: namePattern,
        description: "Name of a command. The operator grants the program that it runs.",
      }),
    ),
    api: Type.Optional(
      Type.String({
        enum: [...releaseCheckNames],
        description:
          "A question to the API about each deployment. build: production has been built on the version. validate: the data model of the deploy branch has no errors.",
      }),
    ),
    query: Type.Optional(queryCheckSchema),
    timeout: duration(
      "Time limit of the command, the API or the query, at most 10m. A longer run is a failed check. Without it, svc stops after 10m and the check is inconclusive. Format:",
    ),
  },
  { ...closed, description: "One check: http, command, api or query." },
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
            description: "Deployments of the stack, by metadata.name.",
          }),
        ),
        labels: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            minProperties: 1,
            description: "Labels of the deployments. All must match.",
          }),
        ),
      },
      { ...closed, description: "Deployments of the stage: either names or labels." },
    ),
    source: Type.Optional(
      Type.Object(
        {
          channel: Type.Optional(
            Type.String({
              minLength: 1,
              description: "Takes the newest version of this update channel.",
            }),
          ),
          stage: Type.Optional(
            Type.String({
              minLength: 1,
              description: "Takes versions that this earlier stage has verified.",
            }),
          ),
        },
        {
          ...closed,
          description: "Where versions come from. Default: the stage before.",
        },
      ),
    ),
    checks: Type.Optional(
      Type.Array(check, {
        maxItems: limits.stageChecks,
        description: "Checks of a version once it runs. All must pass.",
      }),
    ),
    validFor: duration("How long a verification is valid. Format:"),
    soak: duration(
      "Soak time: how long a verified version runs here before the next stage may take it. Format:",
    ),
    promotion: Type.Optional(
      Type.String({
        enum: ["automatic", "approval"],
        default: "approval",
        description:
          "automatic: svc promotes on its own if the operator grants it for this stage. approval: someone runs svc promote approve.",
      }),
    ),
    batchSize: Type.Optional(
      Type.Union(
        [
          Type.Integer({
            minimum: 1,
            maximum: limits.stageObjects,
            title: `a whole number from 1 to ${limits.stageObjects}`,
          }),
          Type.String({ pattern: percentPattern, title: "a percentage from 1% to 100%" }),
        ],
        {
          description:
            "Batch size. Each batch is verified before the next one starts. A rollback changes all together. Default: all.",
        },
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

const format: BuiltInFormat = {
  kind: "Pipeline",
  schema: pipelineSpec,
  validate: declaredValidator(pipelineSpec),
  semanticErrors: (spec, isValid) => semanticErrors(stageSpecs(spec), isValid),
};

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

/** The subject of a check: a request, a command that the operator grants, an operation of the API, or a query. */
export type Check =
  | {
      readonly of: "http";
      readonly url: string;
      readonly status: number;
      readonly contains: string | undefined;
      /** Undefined: nothing is expected of it. */
      readonly timeoutMs: number | undefined;
    }
  | { readonly of: "command"; readonly name: string; readonly timeoutMs: number | undefined }
  | { readonly of: "api"; readonly name: ReleaseCheckName; readonly timeoutMs: number | undefined }
  | { readonly of: "query"; readonly query: QueryCheck; readonly timeoutMs: number | undefined };

/** One stage of a pipeline. */
export interface Stage {
  readonly name: string;
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The newest version of a channel, or a version that an earlier stage has verified. */
  readonly source: { readonly channel: string } | { readonly stage: string };
  readonly checks: readonly Check[];
  /** Undefined: a verification never expires. */
  readonly validForMs: number | undefined;
  readonly soakMs: number;
  readonly isAutomatic: boolean;
  readonly batchSize: { readonly count: number } | { readonly percent: number };
  readonly onFailure: "stop" | "rollback";
  /** Maintenance windows and freezes, in addition to the rules of the Stack and the operator. */
  readonly rules: WindowRuleSet;
}

/** A pipeline: ordered stages. */
export interface Pipeline extends ExtensionDocument {
  readonly kind: "Pipeline";
  readonly name: string;
  readonly stages: readonly Stage[];
  /** The stack's folder as commands in messages name it. Set where a caller finds the pipeline by its name. */
  readonly displayPath?: string | undefined;
  /** The document, for the places of diagnostics. */
  readonly document: Document;
}

/** Reads a Pipeline document. The pipeline is undefined if there are errors; all errors are reported. */
export function readPipeline(
  document: Document,
  scope: Scope,
): { readonly pipeline: Pipeline | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const { head, name, diagnostics } = readBuiltIn(document, scope, format);
  if (name === undefined) return { pipeline: undefined, diagnostics };
  const stages = stageSpecs(head.spec).map((one, index, all) =>
    stageFromSpec(one, all[index - 1]?.name),
  );
  const { place } = document;
  return { pipeline: { kind: "Pipeline", name, stages, document, place }, diagnostics };
}

function stageSpecs(spec: JsonValue): readonly StageSpec[] {
  const given = isObject(spec) ? spec["stages"] : undefined;
  return Array.isArray(given) ? (given as readonly StageSpec[]) : [];
}

/** Returns errors that the schema cannot express, of the stages that it accepts. */
function semanticErrors(
  stages: readonly StageSpec[],
  isValid: (path: string) => boolean,
): readonly FieldError[] {
  return stages.flatMap((one, index) => {
    if (!isValid(`/spec/stages/${index}`)) return [];
    // Of a stage with errors, the name may be any value.
    const before = stages
      .slice(0, index)
      .flatMap((earlier: Partial<StageSpec> | null) => earlier?.name ?? []);
    const found: FieldError[] = [];
    const report = (path: string, summary: string, remedy: string): void => {
      const at = `/spec/stages/${index}${path}`;
      found.push({ code: "invalid-stage", path: at, inKey: false, summary, remedy });
    };
    if (before.includes(one.name)) {
      report(
        "/name",
        `the stage name "${one.name}" is used twice`,
        "Give each stage a unique name.",
      );
    }
    const { names, labels } = one.deployments;
    if ((names === undefined) === (labels === undefined)) {
      const summary = `the stage "${one.name}" has ${names ? "both names and labels" : "neither names nor labels"}`;
      report("/deployments", summary, "Write exactly one of the two.");
    }
    sourceErrors(one, before, report);
    const { windows = [], freezes = [] } = one;
    for (const wrong of windowRuleErrors({ windows, freezes })) {
      report(wrong.path, wrong.summary, wrong.remedy);
    }
    for (const [at, { http, command, api, query, timeout }] of (one.checks ?? []).entries()) {
      for (const [path, given] of [
        ["/http/timeout", http?.timeout],
        ["/timeout", timeout],
      ] as const) {
        if (given === undefined || milliseconds(given) <= limits.checkCommandMs) continue;
        const summary = `the timeout ${given} of a check is longer than 10m`;
        report(`/checks/${at}${path}`, summary, "Write 10m or less.");
      }
      if (http !== undefined && timeout !== undefined) {
        report(
          `/checks/${at}/timeout`,
          "this timeout does not apply to http",
          "Move it into http.",
        );
      }
      if ([http, command, api, query].filter((kind) => kind !== undefined).length === 1) continue;
      const summary = "a check is http, command, api or query";
      report(`/checks/${at}`, summary, "Write exactly one of the four.");
    }
    return found;
  });
}

function sourceErrors(
  { source, name }: StageSpec,
  before: readonly string[],
  report: (path: string, summary: string, remedy: string) => void,
): void {
  if (source === undefined) {
    if (before.length > 0) return;
    report(
      "",
      `the first stage, "${name}", has no source of versions`,
      "Add source: { channel: latest }.",
    );
    return;
  }
  if ((source.channel === undefined) === (source.stage === undefined)) {
    report("/source", "source takes either a channel or a stage", "Write exactly one of the two.");
  } else if (source.stage !== undefined && !before.includes(source.stage)) {
    const meant = closestMatch(source.stage, before);
    const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
    const summary = `no stage "${source.stage}" precedes "${name}"`;
    report("/source/stage", summary, `${guess}Name an earlier stage.`);
  }
}

function stageFromSpec(given: StageSpec, before: string | undefined): Stage {
  const { name, deployments, source = {}, checks = [], validFor, soak, batchSize = "100%" } = given;
  const share = typeof batchSize === "number" ? undefined : Number(batchSize.slice(0, -1));
  return {
    name,
    names: deployments.names ?? [],
    labels: deployments.labels,
    source:
      source.channel === undefined
        ? { stage: source.stage ?? before ?? "" }
        : { channel: source.channel },
    checks: checks.map(checkFromSpec),
    validForMs: validFor === undefined ? undefined : milliseconds(validFor),
    soakMs: soak === undefined ? 0 : milliseconds(soak),
    isAutomatic: given.promotion === "automatic",
    batchSize: share === undefined ? { count: Number(batchSize) } : { percent: share },
    onFailure: given.onFailure === "rollback" ? "rollback" : "stop",
    rules: {
      by: `the stage ${name}`,
      windows: given.windows ?? [],
      freezes: given.freezes ?? [],
    },
  };
}

function checkFromSpec({ http, command, api, query, timeout }: Static<typeof check>): Check {
  const inMs = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : milliseconds(text);
  const asked = releaseCheckNames.find((name) => name === api);
  if (asked !== undefined) return { of: "api", name: asked, timeoutMs: inMs(timeout) };
  if (query !== undefined) return { of: "query", query, timeoutMs: inMs(timeout) };
  if (http === undefined) return { of: "command", name: command ?? "", timeoutMs: inMs(timeout) };
  return {
    of: "http",
    url: http.url,
    status: http.status ?? 200,
    contains: http.contains,
    timeoutMs: inMs(http.timeout),
  };
}
