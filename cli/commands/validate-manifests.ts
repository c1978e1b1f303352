// `svc validate-manifests`: everything that can be known of manifests without a server.
import { Command } from "commander";
import { loadStack } from "../../reconciler/manifest/load.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { type FailOnFlags, failOnOption } from "../shared/policy-options.ts";
import { reachesSeverity } from "../../reconciler/policy/policy-rule.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests, resultOf, reportDiagnostics } from "../shared/verb.ts";

/** The command, to be added to the program. */
export function validateManifestsCommand(): Command {
  const command = new Command("validate-manifests")
    .description("Check manifests without a server: every mistake at once, with its place.")
    .argument("[paths...]", pathsHelp)
    .addOption(failOnOption())
    .action((paths: string[], flags: StackFlags & OutputFlags & FailOnFlags) =>
      runAction(flags, async ({ output }) => {
        const { desired, diagnostics } = await loadStack(loadOptions(paths, flags));
        if (desired === undefined) return reportInvalidManifests(output, diagnostics);
        reportDiagnostics(output, diagnostics);
        const { stack, objects: wishes, digest } = desired;
        const summary = { name: stack.name, objects: wishes.length, digest };
        output.result(
          resultOf({ type: "manifests", stack: summary, manifestDiagnostics: diagnostics }),
        );
        return reachesSeverity(diagnostics, flags.failOn) ? exitCodes.failed : exitCodes.done;
      }),
    );
  return outputOptions(stackOptions(command), formatNames);
}
