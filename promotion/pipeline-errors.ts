// Errors of the stages of a pipeline that its schema cannot express.
import { queryFormErrors } from "../api/query-schema.ts";
import { isObject } from "../core/json.ts";
import type { CandidateName } from "../core/kind/releases.ts";
import { limits } from "../core/limits/limits.ts";
import { milliseconds } from "../core/text/duration.ts";
import { didYouMean, quoted, sentences } from "../core/text/naming.ts";
import { type FieldError, windowRuleErrors } from "../reconciler/document-types.ts";
import { checkUrlProblem, isCheckUrl, urlFor } from "./check-url.ts";
import type { CheckSpec, StageSpec } from "./pipeline-schema.ts";

/** Reports an error at a path in a stage. */
type Report = (path: string, summary: string, remedy: string) => void;

/**
 * Returns errors that the schema cannot express. Of a stage with errors, checks the members that the schema accepts:
 * `isValid` says whether it accepts the value at a path.
 */
export function stageErrors(
  stages: readonly StageSpec[],
  candidates: CandidateName,
  isValid: (path: string) => boolean,
): readonly FieldError[] {
  return stages.flatMap((stage, index) => {
    const place = `/spec/stages/${index}`;
    if (!isObject(stage)) return [];
    const errors: FieldError[] = [];
    const report: Report = (path, summary, remedy) => {
      errors.push({
        code: "invalid-stage",
        path: `${place}${path}`,
        inKey: false,
        summary,
        remedy,
      });
    };
    const accepts = (path: string): boolean => isValid(`${place}${path}`);
    const before = namesOf(stages.slice(0, index));
    const isNamed = namesOf([stage]).length > 0;
    if (isNamed && before.includes(stage.name)) {
      const summary = `the stage name "${stage.name}" is used twice`;
      report("/name", summary, "Give each stage a unique name.");
    }
    if (isNamed && accepts("/deployments")) deploymentErrors(stage, report);
    if (isNamed && accepts("/source"))
      sourceErrors(stage, { before, isFirst: index === 0, candidates }, report);
    if (accepts("/windows") && accepts("/freezes")) {
      const { windows = [], freezes = [] } = stage;
      for (const wrong of windowRuleErrors({ windows, freezes }))
        report(wrong.path, wrong.summary, wrong.remedy);
    }
    if (stage.approvers !== undefined && stage.promotion === "automatic")
      report("/approvers", "an automatic stage has no approvals", "Write promotion: approval.");
    if (accepts("/every") && accepts("/soak") && accepts("/failureLimit"))
      soakErrors(stage, report);
    for (const [number, check] of (Array.isArray(stage.checks) ? stage.checks : []).entries()) {
      if (accepts(`/checks/${number}`)) checkErrors(check, `/checks/${number}`, report);
    }
    return errors;
  });
}

/** Returns the names of stages. Of a stage with errors, the name may be any value. */
function namesOf(stages: readonly (Partial<StageSpec> | null)[]): readonly string[] {
  return stages.flatMap((stage) => (typeof stage?.name === "string" ? stage.name : []));
}

function deploymentErrors({ name, deployments }: StageSpec, report: Report): void {
  const { names, labels } = deployments;
  if ((names === undefined) !== (labels === undefined)) return;
  const summary = `the stage "${name}" has ${names ? "both names and labels" : "neither names nor labels"}`;
  report("/deployments", summary, "Write exactly one of the two.");
}

function sourceErrors(
  { source, name }: StageSpec,
  {
    before,
    isFirst,
    candidates,
  }: {
    readonly before: readonly string[];
    readonly isFirst: boolean;
    readonly candidates: CandidateName;
  },
  report: Report,
): void {
  if (source === undefined) {
    if (!isFirst || candidates === "commits") return;
    const summary = `the first stage, "${name}", has no source of versions`;
    report("", summary, "Add source: { channel: latest }.");
    return;
  }
  if (candidates === "commits" && source.channel !== undefined) {
    report("/source/channel", "commits have no channel", "Remove it: each object names a branch.");
  } else if ((source.channel === undefined) === (source.stage === undefined)) {
    report("/source", "source takes either a channel or a stage", "Write exactly one of the two.");
  } else if (source.stage !== undefined && !before.includes(source.stage)) {
    const hint = didYouMean(source.stage, before, quoted);
    const summary = `no stage "${source.stage}" precedes "${name}"`;
    report("/source/stage", summary, sentences(hint, "Name an earlier stage."));
  }
}

function soakErrors({ soak, every, failureLimit }: StageSpec, report: Report): void {
  if (every !== undefined && (soak === undefined || milliseconds(soak) === 0))
    report(
      "/every",
      "checks are repeated during the soak time, and the stage has none",
      "Add soak.",
    );
  if (failureLimit !== undefined && every === undefined)
    report("/failureLimit", "failureLimit counts the checks that `every` repeats", "Add every.");
}

/** Reports the errors of a check that its schema cannot express. */
export function checkErrors(
  { http, command, api, query, timeout }: CheckSpec,
  place: string,
  report: Report,
): void {
  for (const [path, duration] of [
    ["/http/timeout", http?.timeout],
    ["/timeout", timeout],
  ] as const) {
    if (duration === undefined || milliseconds(duration) <= limits.checkCommandMs) continue;
    const summary = `the timeout ${duration} of a check is longer than 10m`;
    report(`${place}${path}`, summary, "Write 10m or less.");
  }
  if (http !== undefined && timeout !== undefined)
    report(`${place}/timeout`, "this timeout does not apply to http", "Move it into http.");
  if (http !== undefined && !isCheckUrl(urlFor(http.url, sampleDeployment))) {
    report(
      `${place}/http/url`,
      checkUrlProblem,
      "Write a full URL, such as https://example.com or {url}.",
    );
  }
  for (const { path, message, remedy } of query === undefined ? [] : queryFormErrors(query.load)) {
    const help = "`svc query --help` shows the form of a query.";
    report(`${place}/query/load${path}`, message, remedy ?? help);
  }
  if ([http, command, api, query].filter((kind) => kind !== undefined).length === 1) return;
  report(place, "a check is http, command, api or query", "Write exactly one of the four.");
}

/** The deployment whose name and URL stand for those of every deployment in the URL of a check. */
const sampleDeployment = { key: "a", url: "https://example.com" };
