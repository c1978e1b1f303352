// Parses the YAML of a data model.
import { parseDocument } from "yaml";
import { limits } from "../../core/limits.ts";
import type { Problems, SourceFile } from "./problems.ts";

/** Returns the value of a file; null if it is empty. Adds its errors to `problems` and returns undefined if it has any. */
export function parseYaml(file: SourceFile, problems: Problems): unknown {
  try {
    const document = parseDocument(file.text, { prettyErrors: false, uniqueKeys: true });
    for (const { message, pos } of document.errors) {
      problems.addAt(file, pos[0], `YAML syntax: ${message.split("\n", 1)[0] ?? message}`);
    }
    if (document.errors.length > 0) return undefined;
    return document.toJS({ maxAliasCount: limits.yamlAliases });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    problems.addAt(file, 0, `YAML: ${reason}`);
    return undefined;
  }
}
