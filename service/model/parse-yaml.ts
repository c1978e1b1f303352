// Parses the YAML of a data model, and collects its errors.
import { parseModelYaml } from "../../core/data-model/model-yaml.ts";
import type { Problems, SourceFile } from "./problems.ts";

/** Returns the value of a file; null if it is empty. Adds its errors to `problems` and returns undefined if it has any. */
export function parseYaml(file: SourceFile, problems: Problems): unknown {
  const parsed = parseModelYaml(file.text);
  if ("value" in parsed) return parsed.value;
  for (const { offset, message } of parsed.errors) problems.addAt(file, offset, message);
  return undefined;
}
