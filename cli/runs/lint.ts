// Runs `svc lint`: checks manifests offline.
import { loadStack } from "../../reconciler/manifest/load.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import type { FailOnFlags } from "../shared/options/policy-options.ts";
import { reachesSeverity } from "../../reconciler/policy/policy-rule.ts";
import { runStacks } from "../shared/run/run-stacks.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportDiagnostics, reportInvalidManifests, resultOf } from "../shared/run/verb.ts";

/** Runs `svc lint`. */
export function runLint(
  paths: string[],
  flags: StackFlags & OutputFlags & FailOnFlags,
): Promise<void> {
  return runStacks({ paths, flags }, async (stackPaths, { output }) => {
    const { desired, diagnostics } = await loadStack({
      ...loadOptions(stackPaths, flags),
      purpose: "check",
    });
    if (desired === undefined) return reportInvalidManifests(output, diagnostics);
    if (!output.isText) reportDiagnostics(output, diagnostics);
    const { stack, objects, digest } = desired;
    const summary = { name: stack.name, objects: objects.length, digest };
    output.result(
      resultOf({ type: "manifests", stack: summary, manifestDiagnostics: diagnostics }),
    );
    return reachesSeverity(diagnostics, flags.failOn) ? exitCodes.failed : exitCodes.done;
  });
}
