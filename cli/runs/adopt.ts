// Runs `svc adopt`: imports existing objects into the inventory of a stack without changing them.
import { type AdoptResult, adopt } from "../../reconciler/adopt.ts";
import { splitAddresses } from "../shared/lookup/addresses.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { foldNames } from "../../reconciler/report/fold-lists.ts";
import type { TextStyle } from "../../reconciler/report/style.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportUnconfirmed } from "../shared/run/confirmation.ts";
import { runVerb } from "../shared/run/verb.ts";
import type { VerbFlags } from "../shared/options/verb-options.ts";

export interface Flags extends VerbFlags {
  readonly only?: readonly string[];
  readonly yes?: true;
}

/** Runs `svc adopt`. */
export function runAdopt(given: string[], flags: Flags): Promise<void> {
  return runAction(flags, (context) => run(given, flags, context));
}

async function run(
  given: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const { addresses, paths } = splitAddresses(given);
  const only = [...(flags.only ?? []), ...addresses];
  const wanted = (address: string) => only.length === 0 || only.includes(address);
  let rest: Rest = { missing: [], blocked: [] };
  let unconfirmed: readonly string[] | undefined;
  const adopted = await runVerb({ paths, flags, context }, ({ options, clearProgress }) => {
    const approve = async (offered: readonly string[], plan: Plan): Promise<boolean> => {
      if (flags.yes === true) return true;
      clearProgress();
      rest = restOf(plan, { only, notAdopted: leftBy(plan, offered) });
      output.print((style) =>
        [
          ...foldNames("would adopt", offered, style),
          ...restLines(rest, style),
          `${pluralize(offered.length, "object")} to adopt.`,
        ].join("\n"),
      );
      const question = `Adopt ${pluralize(offered.length, "object")}?`;
      const isConfirmed = isInteractive() && (await confirmInRun(question, context));
      if (!isConfirmed) unconfirmed = offered;
      return isConfirmed;
    };
    return adopt({ ...options, adopt: wanted, approve });
  });
  if (adopted === undefined) return exitCodes.failed;
  const { plan, alreadyOwned, notAdopted } = adopted;
  if (unconfirmed !== undefined) {
    const { missing: notFound, blocked } = rest;
    const facts = { adopts: unconfirmed, notFound, blocked: blocked.map(toJson) };
    return reportUnconfirmed(context, { facts });
  }
  rest = restOf(plan, { only, notAdopted });
  const { missing, blocked } = rest;
  const declared = [...adopted.adopted, ...alreadyOwned, ...notAdopted];
  const unknown = only.filter((address) => !declared.includes(address));
  output.result({
    text: (style) => adoptedText(adopted, { only, rest }, style),
    json: () =>
      commandJson("adopt", {
        adopted: adopted.adopted,
        notFound: [...missing, ...unknown],
        blocked,
      }),
  });
  if (unknown.length > 0) {
    output.warn(() => undeclaredText(unknown, declared));
  }
  // Without addresses, objects that do not exist yet are for the next apply.
  if (unknown.length > 0 || (only.length > 0 && missing.length > 0)) return exitCodes.failed;
  if (blocked.length === 0) return exitCodes.done;
  const isConflict = blocked.every(({ code }) => code === "owned-by-other-stack");
  return isConflict ? exitCodes.conflict : exitCodes.failed;
}

/** A declared object that was not adopted, with the reason. */
interface Blocked {
  readonly address: string;
  readonly code: string;
  readonly summary: string;
  readonly remedy?: string;
}

/** The requested objects that are not adopted. */
interface Rest {
  /** Addresses of the objects that the server does not have. */
  readonly missing: readonly string[];
  readonly blocked: readonly Blocked[];
}

function restOf(
  { changes, diagnostics }: Plan,
  {
    only,
    notAdopted,
  }: { readonly only: readonly string[]; readonly notAdopted: readonly string[] },
): Rest {
  const errors = new Map(
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map((error) => [error.address, error]),
  );
  const created = new Set(
    changes.filter(({ action }) => action === "create").map(({ address }) => address),
  );
  const requested = notAdopted.filter((address) => only.length === 0 || only.includes(address));
  const missing = requested.filter((address) => created.has(address));
  const blocked = requested.flatMap((address): readonly Blocked[] => {
    if (created.has(address)) return [];
    const { code, summary, remedy } = errors.get(address) ?? unexplained;
    return [{ address, code, summary, ...(remedy !== undefined && { remedy }) }];
  });
  return { missing, blocked };
}

/** The reason where the plan has no error about an object. */
const unexplained = {
  code: "not-owned",
  summary: "the plan does not adopt it",
  remedy: "`svc plan` shows why.",
} as const;

/** Returns the declared objects that a plan does not adopt. */
function leftBy({ changes }: Plan, adopted: readonly string[]): readonly string[] {
  return changes
    .filter(({ action }) => action === "create" || action === "refuse")
    .map(({ address }) => address)
    .filter((address) => !adopted.includes(address));
}

/** Lists the objects that are not adopted, with the reasons and what to do. */
function restLines({ missing, blocked }: Rest, style: TextStyle): readonly string[] {
  const reasons = blocked.map(({ address, summary }) => `${address}: ${summary}`);
  const remedies = [...new Set(blocked.flatMap(({ remedy }) => remedy ?? []))];
  const shown = style.full === true ? remedies : remedies.slice(0, limits.placesNamed);
  return [
    ...foldNames("not on the server:", missing, style),
    ...foldNames("not adopted:", reasons, style),
    ...shown.map((remedy) => `    → ${escapeInvisible(remedy)}`),
  ];
}

function toJson(blocked: Blocked): JsonObject {
  return { ...blocked };
}

function adoptedText(
  { adopted, alreadyOwned, notAdopted }: AdoptResult,
  { only, rest }: { readonly only: readonly string[]; readonly rest: Rest },
  style: TextStyle,
): string {
  const owned = only.filter((address) => alreadyOwned.includes(address));
  const lines = [
    ...foldNames("adopted", adopted, style),
    ...foldNames("already owned:", owned, style),
    ...restLines(rest, style),
  ];
  // The stack declares none of the addresses, as the error says.
  if (only.length > 0 && lines.length === 0) return "";
  return [
    ...lines,
    adopted.length === 0 && only.length === 0 && alreadyOwned.length > 0
      ? `no object to adopt: the stack already owns ${ownedPart(alreadyOwned.length, notAdopted.length)}.`
      : `${pluralize(adopted.length, "object")} adopted.`,
  ].join("\n");
}

/** The error for addresses that the stack does not declare, with the closest that it does. */
function undeclaredText(unknown: readonly string[], declared: readonly string[]): string {
  const meant = unknown.slice(0, limits.placesNamed).map((one) => didYouMean(one, declared));
  const remedy =
    sentences(...meant) || "An address is the type and the name of a document: Kind/name.";
  return errorText("not_found", `the stack does not declare ${unknown.join(", ")}`, remedy);
}

/** Returns how many of its declared objects a stack owns. */
function ownedPart(owned: number, others: number): string {
  const declared = pluralize(owned + others, "declared object");
  return others === 0 ? `its ${declared}` : `${owned} of its ${declared}`;
}
