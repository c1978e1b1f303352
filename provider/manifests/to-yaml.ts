// Writes documents as YAML, for programs that print manifests.
import { stringify } from "yaml";
import type { ManifestDocument } from "./document.ts";

/**
 * Returns the documents as one YAML stream, which `svc` reads from standard input: `node stack.ts | svc plan -`. Print
 * it once, with the Stack and everything that the stack declares.
 */
export function toYaml(documents: readonly ManifestDocument<object>[]): string {
  const style = { aliasDuplicateObjects: false, lineWidth: 0 };
  return documents.map((document) => `---\n${stringify(document, style)}`).join("");
}
