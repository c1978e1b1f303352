// The groups, roles and user attributes that the access policies of a data model name, with their places.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import { limits } from "../limits/limits.ts";
import { snakeCase } from "../text/naming.ts";
import { isModelFile, isModelYaml } from "./model-path.ts";
import { hasTags } from "./model-template.ts";

/** A group, role or user attribute that a policy names. */
export interface PolicyName {
  readonly what: "group" | "role" | "user attribute";
  readonly name: string;
  /** Line and column in the file, both from 1. */
  readonly line: number;
  readonly column: number;
}

/** Keys of a policy that name whom it concerns. */
const subjects = [
  ["group", "group"],
  ["groups", "group"],
  ["role", "role"],
] as const;

const attributePattern = /^\s*\{\s*(?:userAttributes|user_attributes)\.([A-Za-z_]\w*)/u;

/**
 * Returns the groups, roles and user attributes that the policies of a file name. Returns none for a file that is not
 * plain YAML.
 */
export function policyNames(path: string, text: string): readonly PolicyName[] {
  if (!isModelFile(path) || !isModelYaml(path) || !/access_?policy/iu.test(text)) return [];
  if (text.length > limits.modelFileBytes || hasTags(text)) return [];
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  if (document.errors.length > 0) return [];
  const found: PolicyName[] = [];
  const add = (what: PolicyName["what"], name: string, node: Node) => {
    const { line, col: column } = lineCounter.linePos(node.range?.[0] ?? 0);
    found.push({ what, name, line, column });
  };
  for (const policy of policiesIn(document.contents)) {
    for (const [key, what] of subjects)
      for (const node of itemsOf(valueOf(policy, key)))
        if (isScalar(node) && typeof node.value === "string") add(what, node.value, node);
    visit(policy, {
      Scalar: (_, node) => {
        const [, name] = attributePattern.exec(String(node.value)) ?? [];
        if (name !== undefined) add("user attribute", name, node);
      },
    });
  }
  return found;
}

function policiesIn(contents: Node | null): readonly Node[] {
  return ["cubes", "views"]
    .flatMap((list) => itemsOf(valueOf(contents, list)))
    .flatMap((subject) => itemsOf(valueOf(subject, "access_policy")));
}

/** Returns the value of a key, in snake_case as the compiler reads it. */
function valueOf(node: Node | null, name: string): Node | null {
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && snakeCase(String(key.value)) === name);
  return (pair?.value ?? null) as Node | null;
}

/** Returns the items of a list. A single value counts as a list of one item. */
function itemsOf(node: Node | null): readonly Node[] {
  if (node === null) return [];
  return isSeq(node) ? (node.items as Node[]) : [node];
}
