// Writes exported documents as YAML files. The same documents always give the same bytes.
import { Document, Scalar, visit } from "yaml";
import { apiVersion, exampleDocument } from "../../core/kind/json-schema.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { parse } from "../manifest/parse.ts";
import { escapeInvisible, hasRunnerCommand, inlineCommand } from "../../core/text/escape-text.ts";
import type { ExportedDocument } from "./documents.ts";

/**
 * How to split documents: one file, one per kind, or one per parent object with everything in it.
 */
export type Split = "one" | "kind" | "parent";

/** One exported file. */
export interface ExportedFile {
  /** Relative to the folder of the stack. */
  readonly path: string;
  readonly text: string;
}

/** Content of the exported Stack document. */
export interface StackHeader {
  readonly name: string;
  /** Origin of the service. */
  readonly url: string;
}

/** File of the Stack, and of everything if there is only one. */
export const stackFile = "stack.yaml";

/**
 * Returns the files sorted by path, the Stack's first; without a Stack document if `stack` is
 * undefined.
 */
export function filesFor(
  documents: readonly ExportedDocument[],
  { split, stack }: { readonly split: Split; readonly stack: StackHeader | undefined },
): readonly ExportedFile[] {
  const parts = [
    ...(stack === undefined ? [] : [{ path: stackFile, text: stackText(stack) }]),
    ...documents.map((document) => ({
      path: pathFor(document, split),
      text: documentText(document),
    })),
  ];
  return [...Map.groupBy(parts, ({ path }) => path)]
    .map(([path, texts]) => ({ path, text: texts.map(({ text }) => text).join("---\n") }))
    .toSorted((left, right) => (sortKey(left.path) < sortKey(right.path) ? -1 : 1));
}

function pathFor({ kind, parentPath }: ExportedDocument, split: Split): string {
  if (split === "one") return stackFile;
  return split === "kind" ? `${kind.plural}.yaml` : `${parentPath}.yaml`;
}

function sortKey(path: string): string {
  return path === stackFile ? "" : path;
}

function stackText({ name, url }: StackHeader): string {
  return yaml({ apiVersion, kind: "Stack", metadata: { name }, spec: { target: { url } } });
}

/** Formats one document as YAML; an incomplete one as a comment with the reasons. */
export function documentText({ kind, name, spec, missing }: ExportedDocument): string {
  const document = exampleDocument(kind, { title: "", name, spec, variations: {} });
  const text = yaml(document);
  if (missing.length === 0 && parsesTo(text, document)) return text;
  const why = missing.length > 0 ? missing : ["a value cannot be written as YAML"];
  return commented(
    `${why.map((lack) => escapeInvisible(`Not declared: ${lack}.`)).join("\n")}\n${text}`,
  );
}

/**
 * Formats a value as YAML. Texts with commands that a CI runner would execute are on one line and escaped; their value
 * is the same.
 */
export function yaml(value: JsonObject): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  let isEscaped = false;
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== "string" || !hasRunnerCommand(node.value)) return;
      node.type = Scalar.QUOTE_DOUBLE;
      isEscaped = true;
    },
  });
  if (!isEscaped) return document.toString({ lineWidth: 0 });
  const oneLine = Number.MAX_SAFE_INTEGER;
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: oneLine });
  return text.replace(inlineCommand, "\\x23");
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
