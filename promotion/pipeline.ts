// The typed pipeline that a Pipeline document declares.
import type { Diagnostic } from "../core/diagnostics.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import {
  type CandidateName,
  candidateNames,
  type ReleaseCheckName,
  releaseCheckNames,
} from "../core/kind/releases.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import {
  type BuiltInFormat,
  readBuiltIn,
  type Document,
  type ExtensionDocument,
  type Scope,
} from "../reconciler/document-types.ts";
import { milliseconds } from "../core/text/duration.ts";
import { stageErrors } from "./pipeline-errors.ts";
import { type CheckSpec, pipelineSpec, type StageSpec } from "./pipeline-schema.ts";
import type { QueryCheck } from "./query-check.ts";
import type { WindowRuleSet } from "../reconciler/index.ts";

const format: BuiltInFormat = {
  kind: "Pipeline",
  schema: pipelineSpec,
  validate: declaredValidator(pipelineSpec),
  semanticErrors: (spec, isValid) => stageErrors(stageSpecs(spec), candidatesOf(spec), isValid),
};

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
  /** JSON Pointer to the stage in its document. */
  readonly path: string;
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** What the stage runs, which decides the objects that it selects. */
  readonly candidates: CandidateName;
  /** The newest version of a channel, the newest commit of the branch, or a version that an earlier stage has verified. */
  readonly source: { readonly channel: string | undefined } | { readonly stage: string };
  readonly checks: readonly Check[];
  /** Undefined: a verification never expires. */
  readonly validForMs: number | undefined;
  readonly soakMs: number;
  /** Interval of the checks during the soak time. Undefined: they are not repeated. */
  readonly everyMs: number | undefined;
  /** Failed verifications that one soak time tolerates. */
  readonly failureLimit: number;
  readonly isAutomatic: boolean;
  readonly batchSize: { readonly count: number } | { readonly percent: number };
  readonly onFailure: "stop" | "rollback";
  /** Who may approve, by the e-mail address of users and the names of groups. Undefined: everyone. */
  readonly approvers:
    | { readonly users: readonly string[]; readonly groups: readonly string[] }
    | undefined;
  /** The merge of a pull request makes every change of its manifests, also of an automatic stage. */
  readonly isByRequest: boolean;
  /** Maintenance windows and freezes, in addition to the rules of the Stack and the operator. */
  readonly rules: WindowRuleSet;
}

/** A pipeline: ordered stages. */
export interface Pipeline extends ExtensionDocument {
  readonly kind: "Pipeline";
  readonly name: string;
  readonly candidates: CandidateName;
  readonly stages: readonly Stage[];
  /** The stack's folder as commands in messages name it. Set where a caller finds the pipeline by its name. */
  readonly displayPath?: string | undefined;
  /** The document, for the places of diagnostics. */
  readonly document: Document;
}

/**
 * Reads a Pipeline document, and reports all its errors. With errors, `partial` has the stages whose name and deployments
 * are valid, so that what they select can be checked as well; `pipeline` is undefined.
 */
export function readPipeline(
  document: Document,
  scope: Scope,
): {
  readonly pipeline: Pipeline | undefined;
  readonly partial: Pipeline | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { head, name, diagnostics } = readBuiltIn(document, scope, format);
  const { place } = document;
  const candidates = candidatesOf(head.spec);
  const about = { kind: "Pipeline", document, place, candidates } as const;
  const specs = stageSpecs(head.spec);
  if (name !== undefined) {
    const stages = specs.map((one, index) =>
      stageFromSpec(one, index, { before: specs[index - 1]?.name, candidates }),
    );
    return { pipeline: { ...about, name, stages }, partial: undefined, diagnostics };
  }
  const none = { pipeline: undefined, partial: undefined, diagnostics };
  if (head.name === undefined || diagnostics.length === 0) return none;
  const isSound = (at: string): boolean =>
    diagnostics.every(({ path = "" }) => path !== at && !path.startsWith(`${at}/`));
  const stages = specs.flatMap(
    (one, index) => validPartOfStage(one, index, { isSound, candidates }) ?? [],
  );
  return { ...none, partial: { ...about, name: head.name, stages } };
}

/** Returns what is valid of a stage with errors. Undefined without a valid name and deployments. */
function validPartOfStage(
  given: StageSpec,
  index: number,
  {
    isSound,
    candidates,
  }: { readonly isSound: (path: string) => boolean; readonly candidates: CandidateName },
): Stage | undefined {
  const at = stagePath(index);
  if (!isObject(given) || !isSound(`${at}/name`) || !isSound(`${at}/deployments`)) return undefined;
  const { name, deployments, source } = given;
  const valid = isSound(`${at}/source`) && source !== undefined ? { source } : {};
  return stageFromSpec({ name, deployments, ...valid }, index, { before: undefined, candidates });
}

function stagePath(index: number): string {
  return `/spec/stages/${index}`;
}

/** Returns what a pipeline promotes; versions if it is not valid. */
function candidatesOf(spec: JsonValue): CandidateName {
  const declared = isObject(spec) ? spec["candidates"] : undefined;
  return candidateNames.find((name) => name === declared) ?? "versions";
}

function stageSpecs(spec: JsonValue): readonly StageSpec[] {
  const given = isObject(spec) ? spec["stages"] : undefined;
  return Array.isArray(given) ? (given as readonly StageSpec[]) : [];
}

interface StagePlace {
  /** Name of the stage before. */
  readonly before: string | undefined;
  readonly candidates: CandidateName;
}

function stageFromSpec(given: StageSpec, index: number, place: StagePlace): Stage {
  const { name, deployments, source = {}, checks = [], validFor, soak, batchSize = "100%" } = given;
  const share = typeof batchSize === "number" ? undefined : Number(batchSize.slice(0, -1));
  return {
    name,
    path: stagePath(index),
    names: deployments.names ?? [],
    labels: deployments.labels,
    candidates: place.candidates,
    source: sourceOf(source, place),
    checks: checks.map(checkFromSpec),
    validForMs: validFor === undefined ? undefined : milliseconds(validFor),
    soakMs: soak === undefined ? 0 : milliseconds(soak),
    everyMs: given.every === undefined ? undefined : milliseconds(given.every),
    failureLimit: given.failureLimit ?? 0,
    isAutomatic: given.promotion === "automatic",
    batchSize: share === undefined ? { count: Number(batchSize) } : { percent: share },
    onFailure: given.onFailure === "rollback" ? "rollback" : "stop",
    approvers: given.approvers && { users: [], groups: [], ...given.approvers },
    isByRequest: given.changes === "pull-request",
    rules: {
      by: `the stage ${name}`,
      windows: given.windows ?? [],
      freezes: given.freezes ?? [],
    },
  };
}

function sourceOf(
  { channel, stage }: NonNullable<StageSpec["source"]>,
  { before, candidates }: StagePlace,
): Stage["source"] {
  const from = stage ?? before;
  const isOfBranch = from === undefined && candidates === "commits";
  return channel !== undefined || isOfBranch ? { channel } : { stage: from ?? "" };
}

/** Returns a declared check. */
export function checkFromSpec({ http, command, api, query, timeout }: CheckSpec): Check {
  const inMs = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : milliseconds(text);
  const releaseCheck = releaseCheckNames.find((name) => name === api);
  if (releaseCheck !== undefined)
    return { of: "api", name: releaseCheck, timeoutMs: inMs(timeout) };
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
