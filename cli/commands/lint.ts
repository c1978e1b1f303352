// `svc lint`: checks manifests offline.
import { Command } from "commander";
import { loadStack } from "../../reconciler/manifest/load.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { type FailOnFlags, failOnOption } from "../shared/policy-options.ts";
import { reachesSeverity } from "../../reconciler/policy/policy-rule.ts";
import { runStacks } from "../shared/run-stacks.ts";
import { loadOptions, stacksHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests, resultOf, reportDiagnostics } from "../shared/verb.ts";

/** Returns the `lint` command. */
export function lintCommand(): Command {
  const command = new Command("lint")
    .description(
      "Check manifests offline. All errors are reported in one run, with their positions.",
    )
    .argument("[paths...]", stacksHelp)
    .addOption(failOnOption())
    .action((paths: string[], flags: StackFlags & OutputFlags & FailOnFlags) =>
      runStacks({ paths, flags }, async (stackPaths, { output }) => {
        const { desired, diagnostics } = await loadStack(loadOptions(stackPaths, flags));
        if (desired === undefined) return reportInvalidManifests(output, diagnostics);
        reportDiagnostics(output, diagnostics);
        const { stack, objects, digest } = desired;
        const summary = { name: stack.name, objects: objects.length, digest };
        output.result(
          resultOf({ type: "manifests", stack: summary, manifestDiagnostics: diagnostics }),
        );
        return reachesSeverity(diagnostics, flags.failOn) ? exitCodes.failed : exitCodes.done;
      }),
    );
  return outputOptions(stackOptions(command), formatNames);
}
