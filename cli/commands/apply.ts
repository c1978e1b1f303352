// `svc apply`: makes the server what the manifests say, or carries out exactly a saved plan.
import path from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/errors.ts";
import type { ApplyResult, Plan } from "../../reconciler/model/index.ts";
import { planJson } from "../../reconciler/report/json.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import { deletions, writes } from "../../reconciler/model/plan-filters.ts";
import type { ApplyOptions } from "../../reconciler/verbs/apply-session.ts";
import type { ObjectLocations } from "../../reconciler/verbs/session.ts";
import { apply } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { requestApproval, type ApprovalOptions, needsApproval } from "../shared/plan-approval.ts";
import { deleteConfirmation, exitCodes } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/apply-exit-code.ts";
import type { Output } from "../shared/output.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";
import { shellQuote } from "../../reconciler/model/shell-command.ts";
import { policyJudge, type PolicyFlags, policyOptions } from "../shared/policy-options.ts";
import { isPlanFile, type PlanFile, readPlan } from "../../reconciler/engine/plan-file.ts";
import { pathsHelp } from "../shared/stack-options.ts";
import { isInteractive } from "../shared/streams.ts";
import { declined, confirmationRequired } from "../shared/confirmation.ts";
import {
  adoptOption,
  allowEmptyOption,
  fullOption,
  type VerbRequest,
  replaceOption,
  resultOf,
  runVerb,
  type VerbFlags,
  verbOptions,
} from "../shared/verb.ts";

/** The flags of what plans, asks and applies. */
export interface ApplyFlags extends VerbFlags, PolicyFlags {
  readonly plan?: string;
  readonly yes?: true;
  readonly allowDeletes?: number;
  readonly message?: string;
}

/** The command, to be added to the program. */
export function applyCommand(): Command {
  const command = new Command("apply")
    .description(
      "Make the server what the manifests say: plans, shows the plan, asks, and asks again for deletes and " +
        "replaces. A saved plan is carried out exactly, or refused when anything has moved since.\n" +
        "Ends with 3 when only a part could be done, 4 when the plan is stale or another run holds the lock, " +
        "5 when it needs confirmation, 6 when a window is closed or a freeze holds.",
    )
    .argument("[paths...]", `${pathsHelp}; or a saved plan`)
    .option("--plan <file>", "carry out this saved plan")
    .option("-y, --yes", "do not ask; deletes and replaces only within the stack's own budget")
    .option("--allow-deletes <n>", "allow as many deletes and replaces", wholeNumber)
    .option("-m, --message <text>", "why, for `svc history`")
    .addOption(adoptOption())
    .addOption(replaceOption())
    .addOption(allowEmptyOption())
    .addOption(fullOption())
    .action((paths: string[], flags: ApplyFlags) =>
      runAction(flags, (context) => run(paths, flags, context)),
    );
  return verbOptions(policyOptions(command), formatNames);
}

async function run(
  given: readonly string[],
  flags: ApplyFlags,
  context: CommandContext,
): Promise<number> {
  const { file, saved, paths } = savedPlan(given, flags);
  const code = await executeApply({ paths, flags, context, saved }, (options) =>
    apply({ ...options, savedPlan: saved }),
  );
  const hint =
    code === exitCodes.failed && paths.length === 0 ? manifestsHint(file, saved) : undefined;
  if (hint !== undefined) context.output.warn(() => hint);
  return code;
}

/** Where the current folder is not what a plan was made of: the command that names it. */
function manifestsHint(file: string | undefined, saved: PlanFile | undefined) {
  if (file === undefined || saved?.manifests === undefined) return undefined;
  const folder = path.dirname(path.resolve(file));
  const made = saved.manifests.map((one) => path.relative("", path.resolve(folder, one)) || ".");
  if (made.every((one) => one === ".")) return undefined;
  const command = ["svc", "apply", file, ...made].map(shellQuote).join(" ");
  return `the plan was made of other manifests than those in the current folder; name them: ${command}`;
}

/** Plans by `call`, shows, asks, applies and reports; answers the exit code. */
export async function executeApply(
  {
    paths,
    flags,
    context,
    saved,
  }: VerbRequest & { readonly flags: ApplyFlags; readonly saved?: Plan | undefined },
  call: (options: ApplyOptions) => ReturnType<typeof apply>,
): Promise<number> {
  const { output, signal, interrupt } = context;
  const terms: ApprovalOptions = {
    preapproved: flags.yes === true || saved !== undefined,
    interactive: isInteractive(),
    signal,
  };
  const judge = policyJudge(flags);
  let left: "declined" | "unasked" | undefined;
  const done = await runVerb({ paths, flags, context }, ({ options, clearProgress: clear }) => {
    const show: ApplyOptions["onPlan"] = (plan, { refused, addressesByKey: names }) => {
      clear();
      const unasked = !terms.interactive && (refused || needsApproval(plan, terms));
      showPlan(plan, { output, unasked, addressesByKey: names });
    };
    const approve = async (plan: Plan): Promise<boolean> => {
      interrupt.setPrompting(true);
      const answer = await requestApproval(plan, terms);
      interrupt.setPrompting(false);
      if (answer !== "approved") left = answer;
      return answer === "approved";
    };
    const { allowDeletes, message, failOn } = flags;
    const author = { message };
    return call({
      ...options,
      allowDeletes,
      author,
      onPlan: show,
      approve,
      evaluatePolicies: judge,
      failOn,
    });
  }).catch((error: unknown) => reportDeleteLimit(error, output));
  if (typeof done === "number") return done;
  if (done === undefined) return exitCodes.failed;
  const { plan, applied, diagnostics: found, places, addressesByKey: names } = done;
  if (applied === undefined) {
    if (signal.aborted) throw new Failure("aborted", "stopped before anything was written");
    return left === "unasked" ? reportNoTerminal(output, plan) : reportDeclined(output);
  }
  context.output.result(
    resultOf({ type: "apply", applied, kinds, manifestDiagnostics: found, places, names }),
  );
  return exitCodeOfRun(applied, saved !== undefined, context);
}

function exitCodeOfRun(
  applied: ApplyResult,
  fromSaved: boolean,
  { output, interrupt }: CommandContext,
): number {
  const stopped = interrupt.exitCode();
  if (stopped !== undefined && applied.outcomes.some(({ result }) => result === "skipped")) {
    output.warn(() => resumeText(fromSaved));
  }
  return exitCodeOfApply(applied, stopped);
}

/** A plan that was carried out in part is stale, so what is left needs another. */
function resumeText(fromSaved: boolean): string {
  const how = fromSaved ? "plan again for the rest" : "run it again for the rest";
  return `stopped before the end: ${how}; what is done is not done twice`;
}

/** A plan that nobody could be asked about leaves standard output to the command that would say yes. */
function showPlan(
  plan: Plan,
  how: { readonly output: Output; readonly unasked: boolean } & Pick<
    ObjectLocations,
    "addressesByKey"
  >,
): void {
  const { output, unasked, addressesByKey: names } = how;
  const say = unasked ? output.info : output.print;
  say((look) => planText(plan, { ...look, kinds, names }));
}

function savedPlan(
  given: readonly string[],
  flags: ApplyFlags,
): {
  readonly file: string | undefined;
  readonly saved: PlanFile | undefined;
  readonly paths: readonly string[];
} {
  const files = given.filter(isPlanFile);
  const named = [...files, ...(flags.plan === undefined ? [] : [flags.plan])];
  if (named.length > 1) throw new Failure("usage", `several plans are given: ${named.join(", ")}`);
  const [file] = named;
  const paths = given.filter((one) => !files.includes(one));
  return { file, saved: file === undefined ? undefined : readPlan(file), paths };
}

/** More deletes than may be done without a word: told, with the command that says it. */
function reportDeleteLimit(error: unknown, output: Output): number {
  const needed = deleteConfirmation(error);
  if (needed === undefined || !(error instanceof Failure)) throw error;
  output.warn(() => `error: ${error.code}: ${error.message}\n  ${error.remedy ?? ""}`);
  if (!output.isText || !isInteractive()) {
    output.result(confirmationRequired({ deletes: needed.count }, { deletes: needed.count }));
  }
  return exitCodes.confirmation;
}

function reportNoTerminal(output: Output, plan: Plan): number {
  output.warn(() => "error: nobody is there to confirm this plan, so nothing was written");
  const counts = { writes: writes(plan).length, deletes: deletions(plan).length };
  output.result(confirmationRequired({ ...counts, plan: planJson(plan, { kinds }) }));
  return exitCodes.confirmation;
}

function reportDeclined(output: Output): number {
  output.warn(() => "not confirmed: nothing was written");
  output.result(declined());
  return exitCodes.confirmation;
}

/** Reads a whole number of an option. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/u.test(text)) return number;
  throw new InvalidArgumentError("It is a whole number.");
}
