// From exported documents to the files that hold them: the same documents give the same text, byte for byte.
import { stringify } from "yaml";
import { apiVersion, exampleDocument } from "../../core/json-schema.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { parse } from "../manifest/parse.ts";
import type { ExportedDocument } from "./documents.ts";

/** How documents are shared out: all in one file, a file a kind, or a file for each object that others lie in, with all of them. */
export type Split = "one" | "kind" | "parent";

/** One file of an export. */
export interface ExportedFile {
  /** Relative to the folder of the stack. */
  readonly path: string;
  readonly text: string;
}

/** What the Stack document of an export says. */
export interface StackHeader {
  readonly name: string;
  /** Origin of the service. */
  readonly url: string;
}

/** The file of the Stack, and of everything where there is but one. */
export const stackFile = "stack.yaml";

/** The files in the order of their paths, that of the Stack first; no Stack is written where none is given. */
export function filesFor(
  documents: readonly ExportedDocument[],
  { split, stack }: { readonly split: Split; readonly stack: StackHeader | undefined },
): readonly ExportedFile[] {
  const groups = new Map<string, string[]>(
    stack === undefined ? [] : [[stackFile, [stackText(stack)]]],
  );
  for (const document of documents) {
    const path = pathFor(document, split);
    groups.set(path, [...(groups.get(path) ?? []), documentText(document)]);
  }
  return [...groups]
    .map(([path, texts]) => ({ path, text: texts.join("---\n") }))
    .toSorted((left, right) => (sortKey(left.path) < sortKey(right.path) ? -1 : 1));
}

function pathFor({ kind, parentPath: home }: ExportedDocument, split: Split): string {
  if (split === "one") return stackFile;
  return split === "kind" ? `${kind.plural}.yaml` : `${home}.yaml`;
}

function sortKey(path: string): string {
  return path === stackFile ? "" : path;
}

function stackText({ name, url }: StackHeader): string {
  return yaml({ apiVersion, kind: "Stack", metadata: { name }, spec: { target: { url } } });
}

/** One document as YAML; one that lacks something as a comment that says what. */
export function documentText({ kind, name, spec, missing: lacks }: ExportedDocument): string {
  const document = exampleDocument(kind, { title: "", name, spec, variations: {} });
  const text = yaml(document);
  if (lacks.length === 0 && parsesTo(text, document)) return text;
  const why = lacks.length > 0 ? lacks : ["a value of it has no spelling in YAML"];
  return commented(`${why.map((lack) => `Not declared: ${lack}.`).join("\n")}\n${text}`);
}

function yaml(value: JsonObject): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function parsesTo(text: string, value: JsonObject): boolean {
  const { documents, diagnostics } = parse("", text);
  const [only, another] = documents;
  return diagnostics.length === 0 && another === undefined && equal(only?.value, value);
}

function commented(text: string): string {
  return `${text
    .trimEnd()
    .split(/\r\n|[\r\n]/u)
    .map((line) => `# ${line}`.trimEnd())
    .join("\n")}\n`;
}
