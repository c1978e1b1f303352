// Handlers of operations that change branches, which starts builds.
import type { Effect, Operation, RequestShape } from "../../../core/operation/operation.ts";
import { type Call, handleThenFinish, type OperationHandler } from "../shared/operation-handler.ts";
import { branchContext, type BranchContext } from "./branches.ts";
import { remoteMergeConflict } from "./merge-trees.ts";

interface DeploymentRequest extends RequestShape {
  readonly params: { readonly deploymentId: number };
}

/** The result of a change, and the shared branches whose push the request waits for. */
export interface BranchChanges<A> {
  readonly answer: A;
  readonly branchIds: readonly number[];
}

/**
 * Creates the handler of an operation on one deployment. After the commit, the builds that it queues start, and the
 * commits of shared branches are pushed to the Git remote.
 */
export function handleBuilding<R extends DeploymentRequest, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (on: BranchContext, call: Call<R>) => Promise<A>,
): OperationHandler {
  const work = (call: Call<R>) => changeBranches(call, (on) => run(on, call));
  return handleThenFinish(operation, work, (draft, call) => finishChange(draft, call));
}

/** Runs a change, and returns the shared branches that it added commits to. */
export async function changeBranches<A>(
  call: Call<DeploymentRequest>,
  run: (on: BranchContext) => Promise<A>,
): Promise<BranchChanges<A>> {
  const on = await branchContext(call);
  const answer = await run(on);
  return { answer, branchIds: [...(on.committed ?? [])] };
}

/**
 * Starts builds and pushes, and waits for the push of the branches that the request changed. Throws `merge_conflict` if
 * the Git remote changed the same lines of one of them; the change is committed.
 */
export async function finishChange<R extends DeploymentRequest, A>(
  { answer, branchIds }: BranchChanges<A>,
  call: Pick<Call<R>, "builds" | "gitPushes" | "params">,
  { waits = true }: { readonly waits?: boolean } = {},
): Promise<A> {
  call.builds.wake();
  const { deploymentId } = call.params;
  if (!waits || branchIds.length === 0) {
    call.gitPushes.wake(deploymentId);
    return answer;
  }
  try {
    await call.gitPushes.push(deploymentId, branchIds);
  } catch (error) {
    throw remoteMergeConflict(
      error,
      (files) =>
        `the change is stored here and not pushed, because the Git remote changed the same lines of ${files}`,
    );
  }
  return answer;
}
