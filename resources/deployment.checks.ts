// The checks of a deployment's version: its build, and the validation of its data model.
import { buildStatus, validateDataModel } from "../api/data-model.ts";
import { getDeploymentSettings } from "../api/deployments.ts";
import type { Reader, ReleaseCheck } from "../core/kind/kind.ts";
import { modelErrorsText } from "../core/data-model/model-error-text.ts";
import type { ReleaseCheckName } from "../core/kind/releases.ts";

/** The newest build of production succeeded, on the version. */
const build: ReleaseCheck = {
  needs: [getDeploymentSettings, buildStatus],
  async run(reader, id, version) {
    const params = { deploymentId: Number(id) };
    const settings = await reader.one(getDeploymentSettings, { params });
    if (settings === undefined) return { passed: false, message: "does not exist" };
    return checkBuild(reader, params.deploymentId, settings.deployBranchName, version);
  },
};

/**
 * Returns whether the newest build of the deploy branch succeeded; undefined while it runs, or until it is on the platform
 * version, if one is named.
 */
export async function checkBuild(
  reader: Reader,
  deploymentId: number,
  // Without a name, the answer is about the branch of the caller's dev mode.
  branchName: string,
  version?: string,
): ReturnType<ReleaseCheck["run"]> {
  const on = { params: { deploymentId }, query: { branchName } };
  const found = await reader.one(buildStatus, on);
  if (found === undefined) return { passed: false, message: "does not exist" };
  const { status, errorText = "" } = found;
  if (status === "failed" || status === "cancelled") {
    return { passed: false, message: `${status}: ${errorText}`.split("\n", 1)[0] ?? status };
  }
  if (status === "none") return { passed: false, message: "has no build" };
  const onVersion = found.version ?? version;
  if (status !== "built" || (version !== undefined && onVersion !== version)) return undefined;
  return { passed: true, message: `built on ${onVersion ?? "an unknown version"}` };
}

/** The data model of the deploy branch has no errors. */
export const validate: ReleaseCheck = {
  needs: [validateDataModel],
  async run(reader, id) {
    const params = { deploymentId: Number(id) };
    const report = await reader.one(validateDataModel, { params, query: {} });
    if (report === undefined) return { passed: false, message: "does not exist" };
    if (report.valid) return { passed: true, message: "valid" };
    const [first = { message: "the model is invalid" }, ...more] = report.errors;
    return { passed: false, message: `invalid: ${modelErrorsText(first, more)}` };
  },
};

/** The checks by name. */
export const checks: Readonly<Record<ReleaseCheckName, ReleaseCheck>> = { build, validate };
