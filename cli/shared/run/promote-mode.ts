// Converts the options of `svc promote` to options of the library.
import { Failure } from "../../../core/errors.ts";
import { actorFromEnvironment } from "../../../reconciler/operator/author.ts";
import type { PromotionMode } from "../../../promotion/promotion-run.ts";
import type { PipelineOptions } from "../../../promotion/options.ts";
import type { ActorOptions } from "../../../promotion/record.ts";
import { policyJudge } from "./policy-judge.ts";
import type { PromoteFlags } from "../options/promote-options.ts";

/** Returns the library options common to every pipeline verb. */
export function pipelineOptions(
  pipeline: string,
  flags: PromoteFlags,
): { readonly pipeline: string } & ActorOptions {
  return { pipeline, by: flags.by ?? actorFromEnvironment(process.env), claimedBy: flags.by };
}

/** Returns the mode; undefined to only show the steps. */
export function modeOf({
  direct,
  write,
  push = false,
  diff = false,
  request = false,
  yes,
}: PromoteFlags): PromotionMode | undefined {
  if (direct === true) return "direct";
  if (write === true) return { push, dryRun: diff, forPullRequest: request };
  if (push || diff || request) {
    throw new Failure("usage", "--push, --diff and --request need --write");
  }
  if (yes === true) {
    const message = "--yes needs --direct or --write, because nothing is done without them";
    throw new Failure("usage", message);
  }
  return undefined;
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
    remedy: "`svc plan` and `svc apply` check what --write commits.",
  });
}

/** Fails with `usage` if no mode is given. */
export function failWithoutMode(): never {
  throw new Failure("usage", "no mode given", {
    remedy:
      "Pass --direct to apply the versions, or --write to write them to the manifests and commit.",
  });
}
