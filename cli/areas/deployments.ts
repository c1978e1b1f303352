// `svc deployments`: the commands on deployments.
import { buildStatus } from "../../api/data-model.ts";
import {
  advanceCreationStep,
  createDeployment,
  deleteDeployment,
  deploymentToken,
  getDeployment,
  getDeployments,
  getDeploymentSettings,
  listDeploymentVersions,
  resetCreationStep,
  updateDeployment,
} from "../../api/deployments.ts";
import { listPods } from "../../api/logs.ts";
import { Failure } from "../../core/errors.ts";
import { buildWaitOptions, waitOutcome, waitsForBuild } from "../operations/build-run.ts";
import { type Area, command, type Outcome, type RunContext } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** Commands that list, create, change and delete deployments. */
export const deployments: Area = {
  name: "deployments",
  description: "List, create, change and delete deployments.",
  groups: { "creation-step": "the creation step of a deployment in the application" },
  commands: [
    command("list", getDeployments, {
      columns: { ID: "id", NAME: "name", STEP: "creationStep", URL: "deploymentUrl" },
    }),
    command("get", getDeployment, { lookups }),
    command("create", createDeployment, {
      arguments: ["name"],
      dataWins: true,
      ...waitsForBuild(createDeployment),
    }),
    command("update", updateDeployment, {
      lookups,
      ...waitsForBuild(updateDeployment),
      flags: {
        releaseChannel: { name: "channel" },
        releaseChannelVersion: {
          name: "version",
          doc: "version 1.2.3, v1.2.3 or IMAGE:v1.2.3, or a channel for its newest version",
        },
        releaseChannelVersionHold: { name: "hold-version" },
      },
    }),
    command("delete", deleteDeployment, { lookups }),
    command("settings", getDeploymentSettings, { lookups }),
    command("versions", listDeploymentVersions, {
      lookups,
      columns: {
        VERSION: "version",
        CHANNEL: "releaseChannel",
        LATEST: "isLatestInChannel",
        CURRENT: "isCurrent",
        "PASS AS": "releaseChannelVersion",
      },
    }),
    command("token", deploymentToken, { lookups }),
    command("pods", listPods, { lookups }),
    command("build-status", buildStatus, {
      lookups,
      extraOptions: buildWaitOptions,
      run: showBuildStatus,
    }),
    command("creation-step advance", advanceCreationStep, {
      lookups,
      arguments: ["creationStep"],
    }),
    command("creation-step reset", resetCreationStep, { lookups }),
  ],
};

/** Returns the status of a build, with `--wait` when it has ended. */
async function showBuildStatus(context: RunContext): Promise<Outcome> {
  const { client, request, extra } = context;
  const { params, query } = request;
  const deploymentId = Number(params["deploymentId"]);
  if (extra.options["wait"] !== true) {
    return {
      answer: { ...(await client.reader.call(buildStatus, { params: { deploymentId }, query })) },
    };
  }
  const given = query["branchName"];
  if (given === "") {
    throw new Failure("usage", "the branch to wait for must not be empty", {
      remedy: "Omit --branch for the open dev-mode branch, otherwise for the deploy branch.",
    });
  }
  const branchName = typeof given === "string" ? given : undefined;
  return waitOutcome(context, { deploymentId, branchName, isNew: false, isStarted: false });
}
