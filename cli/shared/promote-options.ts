// Options of `svc promote`: pipeline, stage, mode and actor.
import { Command, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import type { PromotionMode } from "../../promotion/promotion-run.ts";
import type { PipelineOptions } from "../../promotion/options.ts";
import { pathsHelp } from "./stack-options.ts";
import { policyJudge } from "./policy-judge.ts";
import type { PolicyFlags } from "./policy-options.ts";
import type { VerbFlags } from "./verb-options.ts";

/** Values of the options of `svc promote` and its subcommands. */
export interface PromoteFlags extends VerbFlags, Partial<PolicyFlags> {
  readonly direct?: true;
  readonly write?: true;
  readonly push?: boolean;
  readonly diff?: boolean;
  readonly request?: boolean;
  readonly to?: string;
  readonly stage?: string;
  readonly version?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly yes?: true;
}

/** Creates a subcommand of `svc promote` with its pipeline argument. */
export function pipelineCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<pipeline>", "metadata.name of the Pipeline")
    .argument("[paths...]", pathsHelp);
}

/** Returns the option for the actor. */
export function actorOption(): Option {
  return new Option(
    "--by <name>",
    "name of the actor, recorded (default: SVC_ACTOR, then the current user)",
  );
}

/** Returns the option for the reason. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "reason, recorded");
}

/** Returns the option for the stage. */
export function stageOption(): Option {
  return new Option("--stage <stage>", "name of the stage").makeOptionMandatory();
}

/** Adds the options for the mode. */
export function modeOptions(command: Command): Command {
  return command
    .addOption(new Option("--direct", "plan and apply immediately").conflicts("write"))
    .option("--write", "write the versions to the manifests that pin them, and commit")
    .addOption(
      new Option("--push", "with --write: push to the branch's upstream").conflicts("direct"),
    )
    .addOption(
      new Option("--diff", "with --write: write nothing, print what would be committed").conflicts([
        "direct",
        "push",
      ]),
    )
    .option("-y, --yes", "do not ask for confirmation");
}

/** Returns the library options common to every pipeline verb. */
export function pipelineOptions(
  pipeline: string,
  flags: PromoteFlags,
): { readonly pipeline: string; readonly by: string } {
  return { pipeline, by: flags.by ?? actorFromEnvironment(process.env) };
}

/** Returns the mode; undefined to only show the steps. */
export function modeOf({
  direct,
  write,
  push = false,
  diff = false,
  request = false,
}: PromoteFlags): PromotionMode | undefined {
  if (direct === true) return "direct";
  if (write === true) return { push, dryRun: diff, forPullRequest: request };
  if (!push && !diff && !request) return undefined;
  throw new Failure("usage", "--push, --diff and --request need --write");
}

/**
 * Returns the policies. Fails with `usage` if nothing is applied, because then there is no plan.
 */
export function policiesOf(
  flags: PromoteFlags,
): Pick<PipelineOptions, "evaluatePolicies" | "failOn"> {
  const { direct, policy = [], failOn = "error" } = flags;
  if (direct === true) return { failOn, evaluatePolicies: policyJudge({ policy, failOn }) };
  if (policy.length === 0 && failOn === "error") return {};
  throw new Failure("usage", "--policy and --fail-on need --direct", {
    remedy: "svc plan and svc apply check what --write commits",
  });
}

/** Fails with `usage` if no mode is given. */
export function failWithoutMode(): never {
  throw new Failure("usage", "no mode given", { remedy: "pass --direct or --write" });
}
