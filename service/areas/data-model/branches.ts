// Branches: finds the branch that a request means.
import { Failure } from "../../../core/errors.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import type { Principal } from "../../security/principal.ts";
import type { Db, Row } from "../../store/schema.ts";
import { readDeployment } from "../../store/deployments.ts";
import { queueBuild } from "./builds.ts";
import { addCommit } from "./commits.ts";
import { storeContent, storeTree } from "./trees.ts";

/** A branch in the store. */
export type BranchRow = Row<"branches">;
type DeploymentRow = Row<"deployments">;

/** A deployment, the caller, and the time of the request. */
export interface BranchContext {
  readonly db: Db;
  readonly deployment: DeploymentRow;
  readonly principal: Principal;
  readonly catalogue: Catalogue;
  readonly now: Date;
  /** IDs of the shared branches with a new last commit, for the push after the transaction. */
  readonly committed?: Set<number>;
}

interface BranchCall {
  readonly db: Db;
  readonly params: { readonly deploymentId: number };
  readonly principal: Principal;
  readonly catalogue: Catalogue;
  readonly now: () => Date;
}

/** Reads the deployment of a call. Throws `not_found` if there is none. */
export async function branchContext(call: BranchCall): Promise<BranchContext> {
  const { db, params, principal, catalogue, now } = call;
  const deployment = await readDeployment(db, params.deploymentId);
  return { db, deployment, principal, catalogue, now: now(), committed: new Set() };
}

/** Returns a branch by name; undefined if there is none. */
export async function findBranch(
  { db, deployment }: Pick<BranchContext, "db" | "deployment">,
  name: string,
): Promise<BranchRow | undefined> {
  return db
    .selectFrom("branches")
    .selectAll()
    .where("deployment_id", "=", deployment.id)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Returns a branch by name. Throws `not_found` if there is none. */
export async function readBranch(on: BranchContext, name: string): Promise<BranchRow> {
  const branch = await findBranch(on, name);
  if (branch) return branch;
  throw new Failure(
    "not_found",
    `deployment ${on.deployment.id} has no branch ${JSON.stringify(name)}`,
  );
}

/** Returns the branch with an id. Throws `not_found` if the deployment has none. */
export async function readBranchById(
  { db, deployment }: BranchContext,
  id: number,
): Promise<BranchRow> {
  const branch = await db
    .selectFrom("branches")
    .selectAll()
    .where("id", "=", id)
    .where("deployment_id", "=", deployment.id)
    .executeTakeFirst();
  if (branch) return branch;
  throw new Failure("not_found", `deployment ${deployment.id} has no branch with the ID ${id}`);
}

/** Returns the deploy branch. */
export function deployBranch(on: BranchContext): Promise<BranchRow> {
  return readBranch(on, on.deployment.deploy_branch_name);
}

/** Returns whether a branch is the deploy branch. */
export function isDeployBranch(
  { deployment }: Pick<BranchContext, "deployment">,
  branch: Pick<BranchRow, "name">,
): boolean {
  return branch.name === deployment.deploy_branch_name;
}

/** Returns the branch of the credential's session; undefined without a session. */
export async function sessionBranch(on: BranchContext): Promise<BranchRow | undefined> {
  return on.db
    .selectFrom("dev_sessions")
    .innerJoin("branches", "branches.id", "dev_sessions.branch_id")
    .selectAll("branches")
    .where("dev_sessions.deployment_id", "=", on.deployment.id)
    .where("dev_sessions.credential", "=", on.principal.credentialId)
    .executeTakeFirst();
}

/** Names of a branch in a request. An empty or absent name means the default. */
export interface BranchTarget {
  readonly branchName?: string | null;
  readonly branchId?: number | null;
}

/**
 * Returns the branch of an upload: the deploy branch if it is `live`, otherwise as {@link targetBranch}. Throws
 * `invalid` if the request names another branch.
 */
export async function uploadBranch(
  on: BranchContext,
  { live, ...target }: BranchTarget & { readonly live?: boolean | null },
): Promise<BranchRow> {
  if (live !== true) return targetBranch(on, target);
  const branch = (await namedBranch(on, target)) ?? (await deployBranch(on));
  if (isDeployBranch(on, branch)) return branch;
  throw new Failure(
    "invalid",
    `live means the deploy branch, not ${JSON.stringify(branch.name)}; send either live or branchName`,
  );
}

/** Returns the named branch, otherwise the session's, otherwise the deploy branch. */
export async function targetBranch(on: BranchContext, target: BranchTarget): Promise<BranchRow> {
  const named = await namedBranch(on, target);
  return named ?? (await sessionBranch(on)) ?? deployBranch(on);
}

/** Returns the branch that a request names; undefined if it names none. */
export async function namedBranch(
  on: BranchContext,
  { branchName, branchId }: BranchTarget,
): Promise<BranchRow | undefined> {
  if (branchName != null && branchName !== "") return readBranch(on, branchName);
  return branchId == null ? undefined : readBranchById(on, branchId);
}

/** Returns the named branch, otherwise the session's. Throws `invalid` if it is not a dev-mode branch of the caller. */
export async function devBranch(on: BranchContext, target: BranchTarget): Promise<BranchRow> {
  const branch = (await namedBranch(on, target)) ?? (await sessionBranch(on));
  if (branch === undefined) {
    throw new Failure(
      "invalid",
      "no branch is named and no dev-mode session is open; enter dev mode first",
    );
  }
  if (branch.dev_user_id === null) {
    throw new Failure(
      "invalid",
      `branch is not a dev-mode branch: ${JSON.stringify(branch.name)}; enter dev mode and write to the branch that it returns`,
    );
  }
  await requireMayChange(on, branch);
  return branch;
}

/**
 * Throws `forbidden` if the caller may not change a branch: the deploy branch, and the dev-mode branch of another user,
 * need `SchemaUpdate`.
 */
export async function requireMayChange(on: BranchContext, branch: BranchRow): Promise<void> {
  const { principal, deployment } = on;
  const isOthers = branch.dev_user_id !== null && branch.dev_user_id !== principal.userId;
  if (!isOthers && !isDeployBranch(on, branch)) return;
  await requireResourcePermission(on, "SchemaUpdate", { type: "deployment", id: deployment.id });
}

/** Creates the deploy branch of a new deployment, with a starter project, or an empty one for a Git provider. */
export async function createDeployBranch(
  tx: Db,
  deployment: DeploymentRow,
  { catalogue, now }: { catalogue: Catalogue; now: Date },
): Promise<void> {
  const files =
    deployment.creation_method === "github"
      ? new Map()
      : new Map([["model/README.md", await storeContent(tx, Buffer.from(starter), now)]]);
  const tree = await storeTree(tx, files, { deploymentId: deployment.id, now });
  const head = await addCommit(tx, {
    deploymentId: deployment.id,
    treeId: tree.id,
    parents: [],
    message: "Create the branch",
    userId: undefined,
    now,
  });
  await insertDeployBranch(tx, deployment, {
    files: { tree_id: tree.id, head_id: head },
    catalogue,
    now,
  });
}

const starter = `# Data model

Describe cubes in YAML files under model/cubes, and views under model/views.
`;

async function insertDeployBranch(
  tx: Db,
  deployment: DeploymentRow,
  {
    files,
    catalogue,
    now,
  }: { files: Pick<BranchRow, "tree_id" | "head_id">; catalogue: Catalogue; now: Date },
): Promise<void> {
  const branch = await tx
    .insertInto("branches")
    .values({ deployment_id: deployment.id, name: deployment.deploy_branch_name, ...files })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (deployment.creation_method !== "github") {
    await queueBuild(tx, branch, { deployment, catalogue, now });
  }
}

/**
 * Makes another branch the deploy branch after a change of settings, and builds it. Creates a missing branch from the
 * old one.
 */
export async function switchDeployBranch(
  tx: Db,
  { before, after }: { before: DeploymentRow; after: DeploymentRow },
  { catalogue, now }: { catalogue: Catalogue; now: Date },
): Promise<void> {
  const on = { db: tx, deployment: after };
  const next = await findBranch(on, after.deploy_branch_name);
  if (next?.dev_user_id != null) {
    throw new Failure(
      "invalid",
      `deployBranchName: ${next.name} is a personal dev-mode branch; choose a shared branch`,
    );
  }
  if (next) {
    // Merges go into the deploy branch, so it has no parent, and its children cannot become its parents.
    const production = { parent_id: null, staging_enabled: 0 };
    await tx.updateTable("branches").set(production).where("id", "=", next.id).execute();
    await queueBuild(tx, next, { deployment: after, catalogue, now });
    return;
  }
  const old = await findBranch(on, before.deploy_branch_name);
  if (!old) return;
  const { tree_id, head_id } = old;
  await insertDeployBranch(tx, after, { files: { tree_id, head_id }, catalogue, now });
}

/** Points the credential's session at a branch. */
export async function openSession(
  { db, deployment, principal }: BranchContext,
  branch: BranchRow,
): Promise<void> {
  await db
    .insertInto("dev_sessions")
    .values({
      deployment_id: deployment.id,
      credential: principal.credentialId,
      branch_id: branch.id,
    })
    .onConflict((on) =>
      on.columns(["deployment_id", "credential"]).doUpdateSet({ branch_id: branch.id }),
    )
    .execute();
}
