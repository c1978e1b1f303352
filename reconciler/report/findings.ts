// Lists the findings of a report, the common input of SARIF, JUnit and annotations.
import {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  type Place,
} from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import type { Change, Outcome } from "../model/index.ts";
import { labelOf, type Unmanaged } from "../verbs/unmanaged.ts";
import { actionStyles } from "./actions.ts";
import { dependentsText, blockedChains, type DependentChains } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines } from "./change-text.ts";
import { isDeletedOnServer, isRecreated } from "./drift-field.ts";
import type { AppliedReport, PlanReport, Report } from "./report.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";

/**
 * One finding. Its texts are escaped, each line of `detail` separately; the first line repeats the
 * subject.
 */
export interface Finding {
  readonly code: string;
  readonly level: Diagnostic["severity"];
  readonly message: string;
  readonly detail: readonly string[];
  readonly remedy: string | undefined;
  readonly place: Place | undefined;
  readonly address: string | undefined;
}

/** Descriptions of codes that are neither diagnostic nor failure codes. */
const reportCodes: Readonly<Record<string, string>> = {
  drifted: "a live object was changed or deleted outside the manifests",
  unmanaged: "a live object is not declared",
  conflict: "a live object was changed both in the manifests and on the server",
  residual: "the value read back differs from the value written",
  unverified: "the result could not be read back",
  bug: "a bug in svc",
};

/** Returns one sentence about a finding's code. */
export function meaningOf(code: string): string {
  const meanings: Readonly<Record<string, string>> = { ...errorCodes, ...diagnosticCodes };
  return reportCodes[code] ?? meanings[code] ?? "a finding of a policy";
}

/** Returns every finding of a report, in the order of its parts. */
export function findingsOf(report: Report): readonly Finding[] {
  switch (report.type) {
    case "failure": {
      const { code, message, remedy, path } = report;
      const text = path === undefined ? message : `${path}: ${message}`;
      return [{ ...simpleFinding(code, "error", text), remedy: shown(remedy) }];
    }
    case "manifests":
      return report.manifestDiagnostics.map((diagnostic) => ofDiagnostic(diagnostic, new Map()));
    case "plan":
    case "drift":
      return ofPlan(report);
    case "apply":
      return ofApplied(report);
  }
}

function ofPlan(report: PlanReport): readonly Finding[] {
  const { plan, manifestDiagnostics, places } = report;
  const chains = blockedChains(plan.changes);
  const reported = [...manifestDiagnostics, ...plan.diagnostics].map((diagnostic) =>
    withDependents(diagnostic, chains, places),
  );
  if (report.type === "plan") return reported;
  const drifted = plan.changes.filter(isDrifted);
  const others = (report.unmanaged ?? []).map(ofUnmanaged);
  const about = Map.groupBy(plan.diagnostics, ({ address }) => address);
  return [
    ...reported,
    ...drifted.map((change) => ofDrifted(change, report, about.get(change.address))),
    ...others,
  ];
}

/** An error is reported with the changes it blocks. */
function withDependents(
  diagnostic: Diagnostic,
  chains: DependentChains,
  places: ReadonlyMap<string, Place>,
): Finding {
  const finding = ofDiagnostic(diagnostic, places);
  const behind =
    diagnostic.severity === "error" ? dependentsText(chains.get(diagnostic.address ?? "")) : [];
  return behind.length === 0 ? finding : { ...finding, detail: [finding.message, ...behind] };
}

function ofUnmanaged(object: Unmanaged): Finding {
  const name = labelOf(object);
  return {
    ...simpleFinding("unmanaged", "warning", `${name} exists and is not declared`),
    remedy: "`svc export` writes a document for it; ignore it if another tool manages it.",
    address: escapeInvisible(name),
  };
}

/** True for drift and conflicts, but not for pending changes. */
export function isDrifted({ action, direction }: Change): boolean {
  return action !== "none" && direction !== "pending";
}

function ofDrifted(
  change: Change,
  report: PlanReport,
  diagnostics: readonly Diagnostic[] | undefined,
): Finding {
  const code = change.direction === "conflict" ? "conflict" : "drifted";
  const { how, remedy } = serverChange(change);
  return {
    ...simpleFinding(code, "warning", `${change.address} ${how}`),
    ...aboutChange(change, { ...report, isDrift: true }, diagnostics),
    remedy,
  };
}

/** Describes the change to a drifted object on the server, with the remedy. */
function serverChange(change: Change): { readonly how: string; readonly remedy: string } {
  if (isRecreated(change)) {
    const remedy = "Apply to create it again, or remove its document.";
    return { how: "was deleted on the server", remedy };
  }
  if (isDeletedOnServer(change)) {
    const remedy = "Apply to remove it from the inventory.";
    return { how: "was deleted on the server and is no longer declared", remedy };
  }
  const both = change.direction === "conflict";
  return {
    how: both ? "was changed in the manifests and on the server" : "was changed on the server",
    remedy: "Apply to restore the declared values, or declare the live values.",
  };
}

/** Returns the position of the change's document, and the effect of the change. */
function aboutChange(
  change: Change,
  { places, kinds, isDrift }: Pick<PlanReport, "places" | "kinds"> & Pick<ChangeStyle, "isDrift">,
  findings: readonly Diagnostic[] = [],
): Pick<Finding, "detail" | "place" | "address"> {
  const { address } = change;
  const detail = changeLines(
    change,
    { color: false, width: 200, kinds, ...(isDrift && { isDrift }) },
    { findings },
  );
  return { detail, place: places.get(address), address: escapeInvisible(address) };
}

function ofApplied(report: AppliedReport): readonly Finding[] {
  const { applied, manifestDiagnostics, places } = report;
  const { outcomes, residual, unverified, stopped, plan } = applied;
  const failed = outcomes.filter(({ result }) => result === "failed");
  const still = residual.map((change): Finding => {
    const message = `${change.address} differs from what was written`;
    return { ...simpleFinding("residual", "error", message), ...aboutChange(change, report) };
  });
  const unread =
    unverified === undefined ? [] : [simpleFinding("unverified", "warning", unverified)];
  return [
    ...[...manifestDiagnostics, ...plan.diagnostics].map((diagnostic) =>
      ofDiagnostic(diagnostic, places),
    ),
    ...failed.map((outcome) => ofOutcome(outcome, places)),
    ...(stopped === undefined ? [] : [ofFailure(stopped)]),
    ...still,
    ...unread,
  ];
}

function ofOutcome(
  { address, action, failure }: Outcome,
  places: ReadonlyMap<string, Place>,
): Finding {
  const why = failure?.message ?? "it failed";
  return {
    ...simpleFinding(
      failure?.code ?? "internal",
      "error",
      `failed to ${actionStyles[action].verb} ${address}: ${why}`,
    ),
    remedy: shown(failure?.remedy),
    place: places.get(address),
    address: escapeInvisible(address),
  };
}

function ofFailure({ code, message, remedy }: NonNullable<Outcome["failure"]>): Finding {
  return { ...simpleFinding(code, "error", message), remedy: shown(remedy) };
}

function ofDiagnostic(
  { code, severity, summary, remedy, place, path = "", address }: Diagnostic,
  places: ReadonlyMap<string, Place>,
): Finding {
  const owner = address === undefined || summary.includes(address) ? "" : ` of ${address}`;
  const where = path === "" ? "" : `${path}${owner}: `;
  return {
    ...simpleFinding(code satisfies DiagnosticCode, severity, `${where}${summary}`),
    remedy: shown(remedy),
    place: place ?? (address === undefined ? undefined : places.get(address)),
    address: shown(address),
  };
}

function simpleFinding(code: string, level: Finding["level"], message: string): Finding {
  const nothing = { detail: [], remedy: undefined, place: undefined, address: undefined };
  return { code, level, message: escapeInvisible(message), ...nothing };
}

function shown(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeInvisible(text);
}
