// What a report holds against the stack or the server, one by one: the common ground of SARIF, JUnit and annotations.
import {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  type Place,
} from "../../core/diagnostics.ts";
import { errorCodes } from "../../core/errors.ts";
import type { Change, Outcome } from "../model/index.ts";
import { labelOf, type Unmanaged } from "../verbs/unmanaged.ts";
import { dependentsText, blockedChains, type DependentChains } from "./dependent-chains.ts";
import { changeLines } from "./change-text.ts";
import type { AppliedReport, PlanReport, Report } from "./report.ts";
import { escapeInvisible } from "./escape-text.ts";

/** One finding; its texts are visible already, each line of `detail` for itself; the first says again what it is about. */
export interface Finding {
  readonly code: string;
  readonly level: Diagnostic["severity"];
  readonly message: string;
  readonly detail: readonly string[];
  readonly remedy: string | undefined;
  readonly place: Place | undefined;
  readonly address: string | undefined;
}

/** What the codes that are neither a diagnostic's nor a failure's mean. */
const reportCodes: Readonly<Record<string, string>> = {
  drifted: "a live object was changed behind the manifests' back",
  unmanaged: "a live object exists that nobody declared",
  conflict: "a live object was changed both in the manifests and on the server",
  residual: "what was written does not read back as wished",
  unverified: "what was written could not be read again",
  bug: "a mistake in svc itself",
};

/** One sentence on a finding's code. */
export function meaningOf(code: string): string {
  const known: Readonly<Record<string, string>> = { ...errorCodes, ...diagnosticCodes };
  return reportCodes[code] ?? known[code] ?? "a finding of a policy";
}

/** Every finding of a report, in the order of its parts. */
export function findingsOf(report: Report): readonly Finding[] {
  switch (report.type) {
    case "failure":
      return [
        { ...simpleFinding(report.code, "error", report.message), remedy: shown(report.remedy) },
      ];
    case "manifests":
      return report.manifestDiagnostics.map((one) => ofDiagnostic(one, new Map()));
    case "plan":
    case "drift":
      return ofPlan(report);
    case "apply":
      return ofApplied(report);
  }
}

function ofPlan(report: PlanReport): readonly Finding[] {
  const { plan, manifestDiagnostics: found, places } = report;
  const chains = blockedChains(plan.changes);
  const told = [...found, ...plan.diagnostics].map((one) => withDependents(one, chains, places));
  if (report.type === "plan") return told;
  const moved = plan.changes.filter(isDrifted);
  const others = (report.unmanaged ?? []).map(ofUnmanaged);
  return [...told, ...moved.map((change) => ofDrifted(change, report)), ...others];
}

/** What an error keeps from being done is told with it. */
function withDependents(
  one: Diagnostic,
  chains: DependentChains,
  places: ReadonlyMap<string, Place>,
): Finding {
  const finding = ofDiagnostic(one, places);
  const behind = one.severity === "error" ? dependentsText(chains.get(one.address ?? "")) : [];
  return behind.length === 0 ? finding : { ...finding, detail: [finding.message, ...behind] };
}

function ofUnmanaged(one: Unmanaged): Finding {
  const at = labelOf(one);
  return {
    ...simpleFinding("unmanaged", "warning", `${at} exists, and nobody declared it`),
    remedy: "`svc export` writes a document for it; or leave it to whoever made it",
    address: escapeInvisible(at),
  };
}

/** Differs, and not by the manifests' hand alone. */
export function isDrifted({ action, direction }: Change): boolean {
  return action !== "none" && direction !== "pending";
}

function ofDrifted(change: Change, report: PlanReport): Finding {
  const both = change.direction === "conflict";
  const how = both ? "was changed here and on the server" : "was changed on the server";
  return {
    ...simpleFinding(both ? "conflict" : "drifted", "warning", `${change.address} ${how}`),
    ...aboutChange(change, report),
    remedy: "apply to put back what is declared, or declare what is there",
  };
}

/** Where a change is declared, and what it would do. */
function aboutChange(
  change: Change,
  { places, kinds }: Pick<PlanReport, "places" | "kinds">,
): Pick<Finding, "detail" | "place" | "address"> {
  const { address } = change;
  const detail = changeLines(change, { color: false, width: 200, kinds });
  return { detail, place: places.get(address), address: escapeInvisible(address) };
}

function ofApplied(report: AppliedReport): readonly Finding[] {
  const { applied, manifestDiagnostics: found, places } = report;
  const { outcomes, residual, unverified, stopped, plan } = applied;
  const failed = outcomes.filter(({ result }) => result === "failed");
  const still = residual.map((change): Finding => {
    const message = `${change.address} does not read back as wished`;
    return { ...simpleFinding("residual", "error", message), ...aboutChange(change, report) };
  });
  const unread =
    unverified === undefined ? [] : [simpleFinding("unverified", "warning", unverified)];
  return [
    ...[...found, ...plan.diagnostics].map((one) => ofDiagnostic(one, places)),
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
      `failed to ${action} ${address}: ${why}`,
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
  const at = address === undefined || summary.includes(address) ? "" : ` of ${address}`;
  const where = path === "" ? "" : `${path}${at}: `;
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
