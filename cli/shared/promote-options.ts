// Options of `svc promote`: pipeline, stage, mode, actor and grants.
import { Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { isGrantableOrigin } from "../../reconciler/operator/origins.ts";
import type { PromotionMode } from "../../promotion/promotion-run.ts";
import type { PipelineOptions, PromotionGrants } from "../../promotion/options.ts";
import { appendValue, pathsHelp } from "./stack-options.ts";
import { policyJudge, type PolicyFlags } from "./policy-options.ts";
import type { VerbFlags } from "./verb.ts";

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
  readonly allowAutomatic?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowCheck?: Readonly<Record<string, string>>;
}

/** Creates a subcommand of `svc promote` with its pipeline argument. */
export function pipelineCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<pipeline>", "metadata.name of the Pipeline")
    .argument("[paths...]", pathsHelp);
}

/** Adds the grants of the pipeline. */
export function grantOptions(command: Command): Command {
  return command
    .optionsGroup("Grants of the pipeline:")
    .option(
      "--allow-automatic <stage>",
      "allow this automatic stage to continue without approval, or `all`",
      appendValue,
    )
    .option(
      "--allow-origin <origin>",
      "allow checks to call https://host or https://*.host",
      appendOrigin,
    )
    .option(
      "--allow-check <name=file>",
      "allow checks to run a file under this name",
      appendCheckFile,
    );
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
): { readonly pipeline: string; readonly by: string; readonly runGrants: PromotionGrants } {
  const { allowAutomatic = [], allowOrigin = [], allowCheck = {} } = flags;
  return {
    pipeline,
    by: flags.by ?? actorFromEnvironment(process.env),
    runGrants: {
      automatic: allowAutomatic.includes("all") ? "all" : allowAutomatic,
      origins: allowOrigin,
      commands: allowCheck,
    },
  };
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

function appendOrigin(text: string, before: readonly string[] = []): readonly string[] {
  if (!isGrantableOrigin(text))
    throw new InvalidArgumentError("Use https://host or https://*.host.");
  return [...before, text];
}

function appendCheckFile(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, file] = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)$/su.exec(text) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError("Use name=file.");
  return { ...before, [name]: file };
}
