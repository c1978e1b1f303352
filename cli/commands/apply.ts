// `svc apply`: makes the server what the manifests say, or carries out exactly a saved plan.
import path from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/errors.ts";
import type { Applied, Plan } from "../../reconciler/model.ts";
import { planJson } from "../../reconciler/report/json.ts";
import { formNames } from "../../reconciler/report/render.ts";
import { planText } from "../../reconciler/report/text.ts";
import { deletions, writes } from "../../reconciler/planning/parts.ts";
import type { ApplyOptions } from "../../reconciler/apply-session.ts";
import type { Located } from "../../reconciler/session.ts";
import { apply } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { approval, type ApprovalTerms, needsApproval } from "../approval.ts";
import { confirmationOf, exits } from "../exit.ts";
import { exitOfApplied } from "../outcome.ts";
import type { Output } from "../output.ts";
import { type Context, perform } from "../perform.ts";
import { shellWord } from "../../reconciler/command.ts";
import { judgeBy, type PolicyFlags, policyOptions } from "../policy-options.ts";
import { holdsPlan, type PlanInFile, readPlan } from "../../reconciler/applying/plan-file.ts";
import { pathsHelp } from "../stack-options.ts";
import { isInteractive } from "../streams.ts";
import { declined, unconfirmed } from "../unwritten.ts";
import {
  adoptOption,
  allowEmptyOption,
  fullOption,
  type Asked,
  replaceOption,
  resultOf,
  runVerb,
  type VerbFlags,
  verbOptions,
} from "../verb.ts";

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
      perform(flags, (context) => run(paths, flags, context)),
    );
  return verbOptions(policyOptions(command), formNames);
}

async function run(given: readonly string[], flags: ApplyFlags, context: Context): Promise<number> {
  const { file, saved, paths } = savedPlan(given, flags);
  const code = await carryOutWith({ paths, flags, context, saved }, (options) =>
    apply({ ...options, saved }),
  );
  const hint = code === exits.failed && paths.length === 0 ? manifestsHint(file, saved) : undefined;
  if (hint !== undefined) context.output.warn(() => hint);
  return code;
}

/** Where the current folder is not what a plan was made of: the command that names it. */
function manifestsHint(file: string | undefined, saved: PlanInFile | undefined) {
  if (file === undefined || saved?.manifests === undefined) return undefined;
  const folder = path.dirname(path.resolve(file));
  const made = saved.manifests.map((one) => path.relative("", path.resolve(folder, one)) || ".");
  if (made.every((one) => one === ".")) return undefined;
  const command = ["svc", "apply", file, ...made].map(shellWord).join(" ");
  return `the plan was made of other manifests than those in the current folder; name them: ${command}`;
}

/** Plans by `call`, shows, asks, applies and reports; answers the exit code. */
export async function carryOutWith(
  {
    paths,
    flags,
    context,
    saved,
  }: Asked & { readonly flags: ApplyFlags; readonly saved?: Plan | undefined },
  call: (options: ApplyOptions) => ReturnType<typeof apply>,
): Promise<number> {
  const { output, signal, interrupt } = context;
  const terms: ApprovalTerms = {
    given: flags.yes === true || saved !== undefined,
    interactive: isInteractive(),
    signal,
  };
  const judge = judgeBy(flags);
  let left: "declined" | "unasked" | undefined;
  const done = await runVerb({ paths, flags, context }, ({ options, clear }) => {
    const show: ApplyOptions["show"] = (plan, { refused, names }) => {
      clear();
      const unasked = !terms.interactive && (refused || needsApproval(plan, terms));
      showPlan(plan, { output, unasked, names });
    };
    const approve = async (plan: Plan): Promise<boolean> => {
      interrupt.asking(true);
      const answer = await approval(plan, terms);
      interrupt.asking(false);
      if (answer !== "approved") left = answer;
      return answer === "approved";
    };
    const { allowDeletes, message, failOn } = flags;
    const author = { message };
    return call({ ...options, allowDeletes, author, show, approve, judge, failOn });
  }).catch((error: unknown) => overBudget(error, output));
  if (typeof done === "number") return done;
  if (done === undefined) return exits.failed;
  const { plan, applied, diagnostics: found, places, names } = done;
  if (applied === undefined) {
    if (signal.aborted) throw new Failure("aborted", "stopped before anything was written");
    return left === "unasked" ? tellUnasked(output, plan) : tellDeclined(output);
  }
  context.output.result(resultOf({ of: "apply", applied, kinds, found, places, names }));
  return finished(applied, saved !== undefined, context);
}

function finished(applied: Applied, fromSaved: boolean, { output, interrupt }: Context): number {
  const stopped = interrupt.exit();
  if (stopped !== undefined && applied.outcomes.some(({ result }) => result === "skipped")) {
    output.warn(() => resumeText(fromSaved));
  }
  return exitOfApplied(applied, stopped);
}

/** A plan that was carried out in part is stale, so what is left needs another. */
function resumeText(fromSaved: boolean): string {
  const how = fromSaved ? "plan again for the rest" : "run it again for the rest";
  return `stopped before the end: ${how}; what is done is not done twice`;
}

/** A plan that nobody could be asked about leaves standard output to the command that would say yes. */
function showPlan(
  plan: Plan,
  how: { readonly output: Output; readonly unasked: boolean } & Pick<Located, "names">,
): void {
  const { output, unasked, names } = how;
  const say = unasked ? output.tell : output.show;
  say((look) => planText(plan, { ...look, kinds, names }));
}

function savedPlan(
  given: readonly string[],
  flags: ApplyFlags,
): {
  readonly file: string | undefined;
  readonly saved: PlanInFile | undefined;
  readonly paths: readonly string[];
} {
  const files = given.filter(holdsPlan);
  const named = [...files, ...(flags.plan === undefined ? [] : [flags.plan])];
  if (named.length > 1) throw new Failure("usage", `several plans are given: ${named.join(", ")}`);
  const [file] = named;
  const paths = given.filter((one) => !files.includes(one));
  return { file, saved: file === undefined ? undefined : readPlan(file), paths };
}

/** More deletes than may be done without a word: told, with the command that says it. */
function overBudget(error: unknown, output: Output): number {
  const needed = confirmationOf(error);
  if (needed === undefined || !(error instanceof Failure)) throw error;
  output.warn(() => `error: ${error.code}: ${error.message}\n  ${error.remedy ?? ""}`);
  if (!output.isText || !isInteractive()) {
    output.result(unconfirmed({ deletes: needed.count }, { deletes: needed.count }));
  }
  return exits.confirmation;
}

function tellUnasked(output: Output, plan: Plan): number {
  output.warn(() => "error: nobody is there to confirm this plan, so nothing was written");
  const counts = { writes: writes(plan).length, deletes: deletions(plan).length };
  output.result(unconfirmed({ ...counts, plan: planJson(plan, { kinds }) }));
  return exits.confirmation;
}

function tellDeclined(output: Output): number {
  output.warn(() => "not confirmed: nothing was written");
  output.result(declined());
  return exits.confirmation;
}

/** Reads a whole number of an option. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/u.test(text)) return number;
  throw new InvalidArgumentError("It is a whole number.");
}
