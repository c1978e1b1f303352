// Handlers of operations that change branches, and with them start builds.
import type { Effect, Operation, RequestShape } from "../../../core/operation.ts";
import { type Call, handleThenFinish, type OperationHandler } from "../operation-handler.ts";
import { branchContext, type BranchContext } from "./branches.ts";
import { wakeBuilder } from "./builder.ts";

interface DeploymentRequest extends RequestShape {
  readonly params: { readonly deploymentId: number };
}

/** Creates the handler of an operation on one deployment. The builds that it queues start after the commit. */
export function handleBuilding<R extends DeploymentRequest, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (on: BranchContext, call: Call<R>) => Promise<A>,
): OperationHandler {
  const work = async (call: Call<R>) => run(await branchContext(call), call);
  return handleThenFinish(operation, work, wakeBuilder);
}
