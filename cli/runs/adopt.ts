// Runs `svc adopt`: imports existing objects into the inventory of a stack without changing them.
import { type AdoptResult, adopt } from "../../reconciler/verbs/verbs.ts";
import { splitAddresses } from "../shared/lookup/addresses.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { Output } from "../shared/output/output.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { foldNames } from "../../reconciler/report/fold-lists.ts";
import type { TextStyle } from "../../reconciler/report/style.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportUnasked, declined } from "../shared/run/confirmation.ts";
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
  let left: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" } | undefined;
  const adopted = await runVerb({ paths, flags, context }, ({ options, clearProgress }) => {
    const approve = async (asked: readonly string[]): Promise<boolean> => {
      if (flags.yes === true) return true;
      clearProgress();
      output.print((style) => foldNames("would adopt", asked, style).join("\n"));
      if (!isInteractive()) left = { asked, how: "unasked" };
      else if (!(await confirmInRun(`Adopt ${pluralize(asked.length, "object")}?`, context))) {
        left = { asked, how: "declined" };
      }
      return left === undefined;
    };
    return adopt({ ...options, adopt: wanted, approve });
  });
  if (adopted === undefined) return exitCodes.failed;
  if (left !== undefined) return reportNotAdopted(output, left);
  const blocked = blockedObjects(adopted, only);
  const known = [...adopted.adopted, ...adopted.alreadyOwned, ...blocked.map((one) => one.address)];
  const notFound = only.filter((address) => !known.includes(address));
  output.result({
    text: (style) => adoptedText(adopted, only, style),
    json: () => ({ adopted: adopted.adopted, notFound, blocked }),
  });
  const unknown = notFound.filter((address) => !adopted.notAdopted.includes(address));
  if (unknown.length > 0) {
    output.warn(() => errorText("not_found", `the stack does not declare ${unknown.join(", ")}`));
  }
  if (notFound.length > 0) return exitCodes.failed;
  if (blocked.length === 0) return exitCodes.done;
  const isConflict = blocked.every(({ code }) => code === "owned-by-other-stack");
  return isConflict ? exitCodes.conflict : exitCodes.failed;
}

/** Returns the requested objects that an error of the plan keeps from being adopted. */
function blockedObjects({ notAdopted, plan }: AdoptResult, only: readonly string[]) {
  const errors = errorsByAddress(plan);
  return notAdopted.flatMap((address) => {
    const error = errors.get(address);
    const isWanted = only.length === 0 || only.includes(address);
    return error === undefined || !isWanted
      ? []
      : [{ address, code: error.code, summary: error.summary }];
  });
}

function errorsByAddress({ diagnostics }: AdoptResult["plan"]) {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return new Map(errors.map((error) => [error.address, error]));
}

/** Reports that nothing was adopted, because the user declined or there was no terminal. */
function reportNotAdopted(
  output: Output,
  { asked, how }: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" },
): number {
  if (how === "declined") {
    output.warn(() => "not confirmed: no object was adopted");
    output.result(declined());
    return exitCodes.confirmation;
  }
  return reportUnasked(output, { adopts: asked }, { consequence: ". No object was adopted" });
}

/** Adds to an address the error that the plan reports about it. */
function withReason(plan: AdoptResult["plan"]): (address: string) => string {
  const errors = errorsByAddress(plan);
  return (address) => {
    const reason = errors.get(address)?.summary;
    return reason === undefined ? `${address}: see svc plan` : `${address}: ${reason}`;
  };
}

function adoptedText(
  { adopted, alreadyOwned, notAdopted, plan }: AdoptResult,
  only: readonly string[],
  style: TextStyle,
): string {
  const requested = (addresses: readonly string[]) =>
    only.length === 0 ? addresses : only.filter((address) => addresses.includes(address));
  const created = new Set(
    plan.changes.filter(({ action }) => action === "create").map(({ address }) => address),
  );
  const missing = requested(notAdopted).filter((address) => created.has(address));
  const others = requested(notAdopted).filter((address) => !created.has(address));
  return [
    ...foldNames("adopted", adopted, style),
    ...foldNames("already owned:", only.length === 0 ? [] : requested(alreadyOwned), style),
    ...foldNames("not on the server:", missing, style),
    ...foldNames("not adopted:", others.map(withReason(plan)), style),
    adopted.length === 0 && only.length === 0 && alreadyOwned.length > 0
      ? `no object to adopt: the stack already owns ${ownedPart(alreadyOwned.length, notAdopted.length)}.`
      : `${pluralize(adopted.length, "object")} adopted.`,
  ].join("\n");
}

/** Returns how many of its declared objects a stack owns. */
function ownedPart(owned: number, others: number): string {
  const declared = pluralize(owned + others, "declared object");
  return others === 0 ? `its ${declared}` : `${owned} of its ${declared}`;
}
