// `svc validate-manifests`: everything that can be known of manifests without a server.
import { Command } from "commander";
import { loadStack } from "../../reconciler/manifest/load.ts";
import { formNames } from "../../reconciler/report/render.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { type FailOnFlags, failOnOption } from "../policy-options.ts";
import { reaches } from "../../reconciler/policy/rule.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes, resultOf, tellDiagnostics } from "../verb.ts";

/** The command, to be added to the program. */
export function validateManifestsCommand(): Command {
  const command = new Command("validate-manifests")
    .description("Check manifests without a server: every mistake at once, with its place.")
    .argument("[paths...]", pathsHelp)
    .addOption(failOnOption())
    .action((paths: string[], flags: StackFlags & OutputFlags & FailOnFlags) =>
      perform(flags, async ({ output }) => {
        const { desired, diagnostics } = await loadStack(loadOptions(paths, flags));
        if (desired === undefined) return reportMistakes(output, diagnostics);
        tellDiagnostics(output, diagnostics);
        const { stack, wishes, digest } = desired;
        const summary = { name: stack.name, objects: wishes.length, digest };
        output.result(resultOf({ of: "manifests", stack: summary, found: diagnostics }));
        return reaches(diagnostics, flags.failOn) ? exits.failed : exits.done;
      }),
    );
  return outputOptions(stackOptions(command), formNames);
}
