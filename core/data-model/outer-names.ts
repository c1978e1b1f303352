// What a data model names outside itself, with the places: groups, roles and user attributes in its access policies, and
// dashboards that its links lead to.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import { limits } from "../limits/limits.ts";
import { snakeCase } from "../text/naming.ts";
import { isModelFile, isModelYaml } from "./model-path.ts";
import { hasTags } from "./model-template.ts";

/** A group, role or user attribute that a policy names, or the slug of a dashboard that a link names. */
export interface OuterName {
  readonly what: "group" | "role" | "user attribute" | "dashboard";
  readonly name: string;
  /** Line and column in the file, both from 1. */
  readonly line: number;
  readonly column: number;
}

/** Keys of a policy that name whom it concerns. */
const concerned = [
  ["group", "group"],
  ["groups", "group"],
  ["role", "role"],
] as const;

const attributePattern = /^\s*\{\s*(?:userAttributes|user_attributes)\.([A-Za-z_]\w*)/u;

/** Returns what the policies and links of a file name; none for a file that is not plain YAML. */
export function outerNames(path: string, text: string): readonly OuterName[] {
  if (!isModelFile(path) || !isModelYaml(path) || !/access_?policy|links/iu.test(text)) return [];
  if (text.length > limits.modelFileBytes || hasTags(text)) return [];
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  if (document.errors.length > 0) return [];
  const found: OuterName[] = [];
  const add = (what: OuterName["what"], name: string, node: Node) => {
    const { line, col: column } = lineCounter.linePos(node.range?.[0] ?? 0);
    found.push({ what, name, line, column });
  };
  const subjects = ["cubes", "views"].flatMap((list) => itemsOf(valueOf(document.contents, list)));
  for (const policy of subjects.flatMap((subject) => itemsOf(valueOf(subject, "access_policy")))) {
    for (const [key, what] of concerned)
      for (const node of itemsOf(valueOf(policy, key)))
        if (isScalar(node) && typeof node.value === "string") add(what, node.value, node);
    visit(policy, {
      Scalar: (_, node) => {
        const [, name] = attributePattern.exec(String(node.value)) ?? [];
        if (name !== undefined) add("user attribute", name, node);
      },
    });
  }
  const dimensions = subjects.flatMap((subject) => itemsOf(valueOf(subject, "dimensions")));
  for (const link of dimensions.flatMap((dimension) => itemsOf(valueOf(dimension, "links")))) {
    const node = valueOf(link, "dashboard");
    if (isScalar(node) && typeof node.value === "string") add("dashboard", node.value, node);
  }
  return found;
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
