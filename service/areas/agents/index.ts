// Area agents: rules and skills for agents, from the files of a data model.
import { listAgentSkills } from "../../../api/agents.ts";
import { Failure } from "../../../core/errors.ts";
import { isSkillFile } from "../../../core/data-model/model-path.ts";
import { Problems } from "../../model/problems.ts";
import { readSkills } from "../../model/read-skills.ts";
import { branchContext, targetBranch } from "../data-model/branches.ts";
import { modelFilesIn, requireServedBuild } from "../data-model/builds.ts";
import { isServed } from "../data-model/serving.ts";
import { readTree } from "../data-model/trees.ts";
import { handle, type OperationHandler } from "../shared/operation-handler.ts";

/** The handlers of this area. */
export const agents: readonly OperationHandler[] = [
  handle(listAgentSkills, async (call) => {
    const { db, query } = call;
    const on = await branchContext(call);
    const branchName = query.branchName || on.deployment.deploy_branch_name;
    const branch = await targetBranch(on, { branchName });
    if (!(await isServed(on, branch))) {
      throw new Failure("invalid", `no environment serves the branch ${branch.name}`);
    }
    const build = await requireServedBuild(db, branch.id);
    const files = [...(await readTree(db, build.tree_id))].filter(([path]) => isSkillFile(path));
    // The skills of a build without errors have no errors either.
    const skills = readSkills(await modelFilesIn(db, files), new Problems());
    return {
      skills: skills.filter(
        ({ space }) => query.space === undefined || space === undefined || space === query.space,
      ),
    };
  }),
];
