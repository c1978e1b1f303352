// `svc explain [KIND[.field]]`: what can be wished for, in words.
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { explain, explainJson, explainText, kindList } from "../../reconciler/verbs/explain.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";

/** The command, to be added to the program. */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description(
      "Say what a kind or one of its fields means: what it may hold, what leaving it out means, and what a change does.",
    )
    .argument("[kind]", "KIND or KIND.field; without it, all kinds")
    .action((asked: string | undefined, flags: OutputFlags) =>
      runAction(flags, async ({ output }) => {
        if (asked === undefined) {
          const json = () => kinds.map(({ name, plural, doc }) => ({ kind: name, plural, doc }));
          output.result({ text: () => kindList(kinds), json });
          return exitCodes.done;
        }
        const found = explain(kinds, asked);
        if ("unknown" in found) throw unknownKindError(found);
        output.result({
          text: ({ width }) => explainText(found, width),
          json: () => explainJson(found),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(command);
}

function unknownKindError(found: {
  readonly unknown: string;
  readonly meant: string | undefined;
}): Failure {
  const guess = found.meant === undefined ? "" : `Did you mean ${found.meant}? `;
  return new Failure("usage", found.unknown, {
    remedy: `${guess}\`svc explain\` lists all kinds, \`svc explain KIND\` the fields of one.`,
  });
}
