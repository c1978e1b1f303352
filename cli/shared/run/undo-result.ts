// Reports on an undo beyond those of an apply: it undid only a part of the run.
import type { Plan } from "../../../reconciler/model/index.ts";
import { escapeInvisible, pluralize } from "../../../core/text/escape-text.ts";
import { firstNames } from "../../../core/text/first-names.ts";
import { errorText } from "../error-text.ts";
import { exitCodes, worstExitCode } from "../exit-codes.ts";
import type { Output } from "../output/output.ts";

/** Reports the changes of the run that the undo could not revert, as the last line. Returns the exit code of the undo. */
export function exitCodeOfUndo({ diagnostics }: Plan, code: number, output: Output): number {
  const notes = diagnostics.filter((one) => one.code === "cannot-undo");
  const lost = [...new Set(notes.map(({ address = "" }) => escapeInvisible(address)))];
  if (lost.length === 0) return code;
  const message = `the run is only partly undone: changes of ${pluralize(lost.length, "object")} remain: ${firstNames(lost)}`;
  output.warn(() => errorText("cannot-undo", message));
  return worstExitCode([code, exitCodes.partial]);
}
