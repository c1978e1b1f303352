// `svc explain [KIND[.field]]`: what can be wished for, in words.
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { kinds } from "../../resources/index.ts";
import { exits } from "../exit.ts";
import { explain, explainJson, explainText, kindList } from "../../reconciler/explain.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";

/** The command, to be added to the program. */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description(
      "Say what a kind or one of its fields means: what it may hold, what leaving it out means, and what a change does.",
    )
    .argument("[kind]", "KIND or KIND.field; without it, all kinds")
    .action((asked: string | undefined, flags: OutputFlags) =>
      perform(flags, async ({ output }) => {
        if (asked === undefined) {
          const json = () => kinds.map(({ name, plural, doc }) => ({ kind: name, plural, doc }));
          output.result({ text: () => kindList(kinds), json });
          return exits.done;
        }
        const found = explain(kinds, asked);
        if ("unknown" in found) throw unknown(found);
        output.result({
          text: ({ width }) => explainText(found, width),
          json: () => explainJson(found),
        });
        return exits.done;
      }),
    );
  return outputOptions(command);
}

function unknown(found: { readonly unknown: string; readonly meant: string | undefined }): Failure {
  const guess = found.meant === undefined ? "" : `Did you mean ${found.meant}? `;
  return new Failure("usage", found.unknown, {
    remedy: `${guess}\`svc explain\` lists all kinds, \`svc explain KIND\` the fields of one.`,
  });
}
