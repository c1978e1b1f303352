// Reports on an undo beyond those of an apply: it undid only a part of the run, or there is nothing to undo.
import type { Plan } from "../../../reconciler/model/index.ts";
import { limits } from "../../../core/limits/limits.ts";
import { escapeInvisible, pluralize } from "../../../core/text/escape-text.ts";
import { errorText } from "../error-text.ts";
import { exitCodes, worstExitCode } from "../exit-codes.ts";
import type { Output } from "../output/output.ts";

/** Returns the line for an undo with nothing to do; undefined if there is more to show. */
export function nothingToUndoText({ changes, diagnostics }: Plan): string | undefined {
  const [only, ...others] = diagnostics;
  const isNothing = changes.length === 0 && only?.code === "nothing-to-undo" && others.length === 0;
  return isNothing ? `Nothing to undo: ${escapeInvisible(only.summary)}.` : undefined;
}

/** Reports the changes of the run that the undo could not revert, as the last line. Returns the exit code of the undo. */
export function exitCodeOfUndo({ diagnostics }: Plan, code: number, output: Output): number {
  const lost = diagnostics.flatMap((one) =>
    one.code === "cannot-undo" ? (one.address ?? []) : [],
  );
  const addresses = [...new Set(lost)];
  if (addresses.length === 0) return code;
  const named = addresses.slice(0, limits.placesNamed).map(escapeInvisible).join(", ");
  const rest = addresses.length - limits.placesNamed;
  const objects = rest > 0 ? `${named} and ${rest} more` : named;
  const message = `the run is only partly undone: changes of ${pluralize(addresses.length, "object")} remain: ${objects}`;
  output.warn(() => errorText("cannot-undo", message));
  return worstExitCode([code, exitCodes.partial]);
}
