// Runs `svc explain [KIND[.field]]`: documents the resource types you can declare.
import { Failure } from "../../core/errors.ts";
import { closestMatch, sentences, suggestionRemedy } from "../../core/text/naming.ts";
import { components, kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { explainJson, typeListJson } from "../../reconciler/report/explain-json.ts";
import { explain, explainText, kindList } from "../../reconciler/verbs/explain.ts";
import type topics from "../shared/help/topics.json";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";

/** Runs `svc explain`. */
export function runExplain(typeName: string | undefined, flags: OutputFlags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    if (typeName === undefined) {
      const types = [...kinds, ...components];
      output.result({ text: () => kindList(types), json: () => typeListJson(types) });
      return exitCodes.done;
    }
    const found = explain([...kinds, ...components], typeName);
    if ("unknown" in found) throw documentTypeError(typeName) ?? unknownKindError(typeName, found);
    output.result({
      text: ({ width }) => explainText(found, width),
      json: () => explainJson(found),
    });
    return exitCodes.done;
  });
}

/** Help topics of the document types that are not resource types. */
const documentTypeTopics: ReadonlyMap<string, keyof typeof topics> = new Map([
  ["Stack", "stack"],
  ["Pipeline", "pipelines"],
  ["Removed", "manifests"],
]);

function documentTypeError(typeName: string): Failure | undefined {
  const [type = ""] = typeName.split(/[./]/u);
  const topic = documentTypeTopics.get(type);
  if (topic === undefined) return undefined;
  return new Failure("usage", `${type} is a document of svc, not a resource type`, {
    remedy: `\`svc help ${topic}\` explains it, and \`svc explain\` lists the resource types.`,
  });
}

function unknownKindError(
  typeName: string,
  found: { readonly unknown: string; readonly meant: string | undefined },
): Failure {
  const meant = found.meant ?? closestMatch(typeName, documentTypeTopics.keys());
  return new Failure("usage", found.unknown, {
    remedy: sentences(
      meant && suggestionRemedy(meant, String),
      "`svc explain` lists the resource types, `svc explain TYPE` the fields of one.",
    ),
  });
}
