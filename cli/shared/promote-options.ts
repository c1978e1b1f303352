// The options of `svc promote`: which pipeline and stage, how to act, who acts, and what the pipeline may do.
import { Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { isGrantableOrigin } from "../../reconciler/operator/origins.ts";
import type { PromotionMode } from "../../promotion/promotion-run.ts";
import type { PipelineOptions, PromotionGrants } from "../../promotion/options.ts";
import { appendValue, pathsHelp } from "./stack-options.ts";
import { policyJudge, type PolicyFlags } from "./policy-options.ts";
import type { VerbFlags } from "./verb.ts";

/** What the options of `svc promote` and its words give. */
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

/** A word of `svc promote` with the pipeline that it is about. */
export function pipelineCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<pipeline>", "metadata.name of the Pipeline")
    .argument("[paths...]", pathsHelp);
}

/** Adds what the caller lets the pipeline do. */
export function grantOptions(command: Command): Command {
  return command
    .optionsGroup("What the pipeline may do:")
    .option(
      "--allow-automatic <stage>",
      "let this automatic stage go on by itself, or all",
      appendValue,
    )
    .option(
      "--allow-origin <origin>",
      "let checks ask https://host or https://*.host",
      appendOrigin,
    )
    .option("--allow-check <name=file>", "let checks run a file by this name", appendCheckFile);
}

/** Who does it. */
export function actorOption(): Option {
  return new Option("--by <name>", "who does it, as the record tells (else SVC_ACTOR, else you)");
}

/** Why something is done. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "why, for whoever asks");
}

/** The one stage that a word is about. */
export function stageOption(): Option {
  return new Option("--stage <stage>", "name of the stage").makeOptionMandatory();
}

/** Adds how to act. */
export function modeOptions(command: Command): Command {
  return command
    .addOption(new Option("--direct", "plan and apply at once").conflicts("write"))
    .option("--write", "write the versions that manifests pin, and commit them")
    .addOption(
      new Option("--push", "with --write: push to the branch's upstream").conflicts("direct"),
    )
    .addOption(
      new Option("--diff", "with --write: write nothing, show what would be committed").conflicts([
        "direct",
        "push",
      ]),
    )
    .option("-y, --yes", "do not ask");
}

/** What the options say to every verb of pipelines. */
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

/** How to act; undefined where only looking was asked for. */
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
  throw new Failure("usage", "--push, --diff and --request belong to --write");
}

/** What plans are held against. Fails with `usage` where nothing is applied, for then there is no plan. */
export function policiesOf(
  flags: PromoteFlags,
): Pick<PipelineOptions, "evaluatePolicies" | "failOn"> {
  const { direct, policy = [], failOn = "error" } = flags;
  if (direct === true) return { failOn, evaluatePolicies: policyJudge({ policy, failOn }) };
  if (policy.length === 0 && failOn === "error") return {};
  throw new Failure("usage", "--policy and --fail-on belong to --direct", {
    remedy: "what --write commits is held against policies by svc plan and svc apply",
  });
}

/** Fails with `usage`: acting needs a way. */
export function failWithoutMode(): never {
  throw new Failure("usage", "it is not said how to act", { remedy: "pass --direct or --write" });
}

function appendOrigin(text: string, before: readonly string[] = []): readonly string[] {
  if (!isGrantableOrigin(text))
    throw new InvalidArgumentError("Write https://host or https://*.host.");
  return [...before, text];
}

function appendCheckFile(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, file] = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)$/su.exec(text) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError("Write name=file.");
  return { ...before, [name]: file };
}
