// Finds names of kinds outside of resources/: other code asks the declaration of a kind.
import { isGenerated, lineAt, type Source, walk } from "./source.ts";

/** Folders that cannot import the kinds; their objects have the same nouns. */
const serverFolders = /^(?:api|service)\//;
/** The file of permissions, whose types of objects and roles have the same nouns. */
const permissionsFile = "core/operation/permission-actions.ts";
/** Folders of SCIM, because RFC 7643 uses the same words for its resource types. */
const scimFolders = /^service\/(?:areas\/)?scim\//;
const kindNameFolders = /^(?:resources|examples|docs|test|scripts|schemas)\//;

/** Returns one line for every kind that `source` names outside the folders in which kinds may be named. */
export function kindProblems(source: Source, kinds: readonly string[]): readonly string[] {
  const { path, text, program, isTest } = source;
  if (isTest || isGenerated(path) || kindNameFolders.test(path)) return [];
  if (path === permissionsFile || scimFolders.test(path)) return [];
  const problems: string[] = [];
  const report = (at: number, kind: string): void => {
    problems.push(`${path}:${lineAt(text, at)}: names the kind ${kind}`);
  };
  walk(program, (node) => {
    if (node.type === "Literal" && typeof node.value === "string") {
      const named = kindNamedIn(node.value, kinds);
      if (named) report(node.start, named);
    }
    if (node.type === "TemplateElement") {
      const named = kindNamedIn(node.value.raw, kinds);
      if (named) report(node.start, named);
    }
    // A name of one word, such as a user, is also an ordinary word of the product's code.
    const isName = node.type === "Identifier" && !serverFolders.test(path);
    if (isName && kinds.includes(node.name) && /[a-z][A-Z]/.test(node.name)) {
      report(node.start, node.name);
    }
  });
  return problems;
}

/** Returns one line for every `switch` in `source` that distinguishes kinds by name. */
export function switchProblems(source: Source, kinds: readonly string[]): readonly string[] {
  if (isGenerated(source.path)) return [];
  const problems: string[] = [];
  walk(source.program, (node) => {
    if (node.type !== "SwitchCase" || node.test?.type !== "Literal") return;
    if (kinds.includes(String(node.test.value))) {
      const line = lineAt(source.text, node.start);
      problems.push(`${source.path}:${line}: a switch on the kind ${String(node.test.value)}`);
    }
  });
  return problems;
}

/**
 * Returns the kind that a text names. A kind of several words counts anywhere in the text, a kind of one word only as
 * the whole text.
 */
function kindNamedIn(value: string, kinds: readonly string[]): string | undefined {
  const words: readonly string[] = value.match(/\w+/g) ?? [];
  return kinds.find((kind) => (/[a-z][A-Z]/.test(kind) ? words.includes(kind) : value === kind));
}
