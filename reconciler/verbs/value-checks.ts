// Asks the server about written values that only it can check, such as the files of a data model.
import pLimit from "p-limit";
import { appendTo } from "../../core/append-to.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isFailure } from "../../core/errors.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import type { Kind, Reader } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { address as addressOf, keyOf } from "../../core/kind/identity.ts";
import type {
  CheckedWrite,
  CheckResult,
  PlannedObject,
  UncheckedPart,
  ValueError,
} from "../../core/kind/server-checks.ts";
import { checkDeciders } from "../model/check-dependencies.ts";
import { declaredWarnings } from "../model/declared-warnings.ts";
import { objectsByAddress } from "../model/stack-index.ts";
import { type Change, type DesiredObject, locationIn, type Plan } from "../model/index.ts";
import { ineffectiveValues, valueRefused } from "../model/value-diagnostics.ts";
import { declaredTexts } from "./declared-texts.ts";
import type { Session } from "./session.ts";

interface CheckContext {
  readonly session: Pick<Session, "desired" | "apiDiscovery">;
  readonly reader: Reader;
}

/** Returns the errors that the server finds in written values, and the checks that could not run. */
export async function checkValues(
  written: readonly Change[],
  { session: { desired, apiDiscovery }, reader }: CheckContext,
): Promise<{
  readonly diagnostics: readonly Diagnostic[];
  readonly notChecked: readonly string[];
}> {
  const desiredObjects = objectsByAddress(desired.objects);
  const deciderOf = checkDeciders(
    written.flatMap(({ address }) => desiredObjects.get(address) ?? []),
  );
  const planned = plannedObjects(written, desiredObjects);
  const ask = askerOf();
  const limit = pLimit(limits.concurrency);
  const answer = async (change: Change): Promise<CheckedObject | undefined> => {
    const object = desiredObjects.get(change.address);
    const check = object?.kind.check;
    if (object === undefined || check === undefined || change.action === "delete") return undefined;
    const isOffered = check.needs.every((operation) => apiDiscovery.has(operation));
    const decider = deciderOf(object);
    const beside = decider && `the plan writes ${decider} too`;
    const skipped = isOffered ? beside : notOffered;
    const run = () => unlessForbidden(check.run(reader, checkedWrite(change, object, planned)));
    const result = skipped === undefined ? await ask(check, run) : { unknown: skipped };
    return { object, check, result };
  };
  const answers = await Promise.all(written.map((change) => limit(() => answer(change))));
  const { diagnostics, notChecked } = reportOf(answers.filter((one) => one !== undefined));
  return { diagnostics: withoutReported(diagnostics, desired.objects), notChecked };
}

/** Returns the warnings about values of declared objects that a plan repeats as long as their cause remains. */
export async function checkLastingValues(
  { targets }: Pick<Plan, "targets">,
  { session: { desired }, reader }: CheckContext,
): ReturnType<typeof checkValues> {
  const checked = desired.objects.filter(
    ({ kind, address }) =>
      kind.check?.lasting !== undefined && (targets?.includes(address) ?? true),
  );
  if (checked.length === 0) return { diagnostics: [], notChecked: [] };
  const textsOf = declaredTexts(desired.objects);
  const limit = pLimit(limits.concurrency);
  const answer = async (object: DesiredObject): Promise<readonly CheckedObject[]> => {
    const { check } = object.kind;
    const finding = await check?.lasting?.(reader, { spec: object.spec, textsOf });
    if (check === undefined || finding === undefined) return [];
    return [{ object, check, result: { errors: [], errorCount: 0, ...finding } }];
  };
  const answers = await Promise.all(checked.map((object) => limit(() => answer(object))));
  const { diagnostics, notChecked } = reportOf(answers.flat());
  return { diagnostics: withoutReported(diagnostics, desired.objects), notChecked };
}

/** Leaves out the warnings about values that the manifests were already warned of, without the server. */
function withoutReported(
  diagnostics: readonly Diagnostic[],
  objects: readonly DesiredObject[],
): readonly Diagnostic[] {
  if (diagnostics.every(({ severity }) => severity !== "warning")) return diagnostics;
  const reported = Map.groupBy(declaredWarnings(objects), ({ address }) => address);
  return diagnostics.filter(
    ({ severity, address, path }) =>
      severity !== "warning" ||
      !reported
        .get(address)
        ?.some((diagnostic) => `${diagnostic.path ?? ""}/`.startsWith(`${path ?? ""}/`)),
  );
}

/** Objects that the credential may not read stay unknown: the server checks them when they are written. */
async function unlessForbidden(checked: Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await checked;
  } catch (error) {
    if (!isFailure(error, "forbidden")) throw error;
    return { unknown: error.message };
  }
}

function checkedWrite(
  change: Change,
  { spec }: DesiredObject,
  planned: PlannedLookups,
): CheckedWrite {
  const { action, id } = change;
  const replacedId = action === "replace" ? id : undefined;
  return { spec, changed: changedValues(change), replacedId, ...planned };
}

function changedValues({ action, fields }: Change): CheckedWrite["changed"] {
  return action === "create" || action === "replace" ? undefined : fields;
}

type PlannedLookups = Pick<CheckedWrite, "planned" | "plannedOf" | "plannedById">;

/** An object with the server's answer. */
interface CheckedObject {
  readonly object: DesiredObject;
  readonly check: Check;
  readonly result: CheckResult;
}

/** Returns the findings in the order of the objects. */
function reportOf(checked: readonly CheckedObject[]): Awaited<ReturnType<typeof checkValues>> {
  const diagnostics: Diagnostic[] = [];
  const unknown = collectUnknown();
  for (const { object, check, result } of checked) {
    const { address } = object;
    if ("unknown" in result) unknown.add({ what: check.what, why: result.unknown }, address);
    else {
      const { warnings = [], unchecked = [] } = result;
      for (const part of unchecked) unknown.add(part, address);
      diagnostics.push(...errorsOf(object, result), ...ineffectiveValues(object, warnings));
    }
  }
  return { diagnostics, notChecked: unknown.texts() };
}

/**
 * Returns a function that asks for the first object of each check alone: the answer may be that the server answers for
 * no object.
 */
function askerOf() {
  const firstAnswers = new Map<Check, Promise<CheckResult>>();
  return async (check: Check, run: () => Promise<CheckResult>): Promise<CheckResult> => {
    const first = firstAnswers.get(check);
    if (first === undefined) {
      const answer = run();
      firstAnswers.set(check, answer);
      return answer;
    }
    const firstAnswer = await first;
    return "unknown" in firstAnswer && firstAnswer.ofAll === true ? firstAnswer : run();
  };
}

/** Returns lookups of the objects that the plan creates or changes, by natural key and by ID. */
function plannedObjects(
  written: readonly Change[],
  desiredObjects: ReadonlyMap<string, DesiredObject>,
): PlannedLookups {
  const objects = new Map<string, PlannedObject>();
  const live = new Map<string, PlannedObject>();
  const kinds = new Map<string, Kind>();
  const specs = new Map<string, JsonObject[]>();
  for (const change of written) {
    const { address } = change;
    const object = desiredObjects.get(address);
    if (object === undefined || change.action === "delete") continue;
    const { kind, key, spec } = object;
    kinds.set(kind.name, kind);
    appendTo(specs, kind.name, spec);
    const changed = changedValues(change);
    const id = changed && change.id;
    const planned: PlannedObject = { address, spec, changed, id };
    objects.set(addressOf(kind.name, key), planned);
    if (id !== undefined) live.set(addressOf(kind.name, id), planned);
  }
  return {
    planned: (name, key) => {
      const kind = kinds.get(name);
      return kind && objects.get(addressOf(name, keyOf(kind, key)));
    },
    plannedOf: (name) => specs.get(name) ?? [],
    plannedById: (name, id) => live.get(addressOf(name, id)),
  };
}

const notOffered = "only an apply validates them on this server";

type Check = NonNullable<DesiredObject["kind"]["check"]>;

/** Collects what could not be checked, with one text for each part and reason. */
function collectUnknown() {
  const parts = new Map<string, UncheckedPart & { readonly addresses: string[] }>();
  return {
    add: ({ what, why }: UncheckedPart, address: string): void => {
      const key = JSON.stringify([what, why]);
      const part = parts.get(key);
      if (part === undefined) parts.set(key, { what, why, addresses: [address] });
      else part.addresses.push(address);
    },
    texts: (): readonly string[] =>
      [...parts.values()].map(({ what, why, addresses }) => {
        return `${what} of ${firstNames(addresses)} (${why})`;
      }),
  };
}

function errorsOf(
  object: DesiredObject,
  { errors, errorCount }: { readonly errors: readonly ValueError[]; readonly errorCount: number },
): readonly Diagnostic[] {
  const shown = errors
    .slice(0, limits.diagnosticsShown)
    .map((error) => valueRefused(object, error));
  const rest = errorCount - shown.length;
  if (rest <= 0) return shown;
  const summary = `the server found ${pluralize(rest, "more error")} in ${object.address}`;
  return [
    ...shown,
    { code: "value-refused", severity: "error", ...locationIn(object, ""), summary },
  ];
}
