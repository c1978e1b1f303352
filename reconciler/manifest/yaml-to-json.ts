// From YAML nodes to JSON values: aliases and depth are bounded, keys are text and unique, numbers are JSON's.
import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";

/** Something in a YAML text that no manifest may hold; `offset` counts from the start of the text. */
export interface ConversionError {
  readonly code: DiagnosticCode;
  readonly offset: number;
  readonly summary: string;
  readonly remedy?: string;
}

/** A JSON value and what was wrong on the way to it; what is wrong is left out of the value, or null. */
export interface Converted {
  readonly value: JsonValue;
  readonly errors: readonly ConversionError[];
}

interface Anchor {
  readonly value: JsonValue;
  /** Aliases expanded inside it. */
  readonly aliases: number;
}

interface ConversionState {
  readonly errors: ConversionError[];
  readonly anchors: Map<string, Anchor | "open">;
  aliases: number;
  /** It was said that there are too many. */
  isReported: boolean;
}

/** Said of values that are nested too deep. */
export const tooDeep = {
  code: "out-of-bounds",
  summary: `values are nested deeper than ${limits.depth}`,
  remedy: "Flatten them.",
} as const;

/** The JSON value of a YAML node, with everything that is not JSON about it as troubles. Never throws. */
export function convert(node: unknown): Converted {
  const run: ConversionState = { errors: [], anchors: new Map(), aliases: 0, isReported: false };
  return { value: valueOf(run, node, 0), errors: run.errors };
}

function valueOf(run: ConversionState, node: unknown, depth: number): JsonValue {
  if (depth > limits.depth) {
    return addError(run, node, tooDeep);
  }
  if (isAlias(node)) return aliased(run, node, node.source);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const anchor = node.anchor;
  if (anchor === undefined) return plainValue(run, node, depth);
  const before = run.aliases;
  run.anchors.set(anchor, "open");
  const value = plainValue(run, node, depth);
  run.anchors.set(anchor, { value, aliases: run.aliases - before });
  return value;
}

function plainValue(run: ConversionState, node: Node, depth: number): JsonValue {
  if (isScalar(node)) return scalar(run, node);
  if (isSeq(node)) return node.items.map((item) => valueOf(run, item, depth + 1));
  return isMap(node) ? members(run, node.items, depth) : null;
}

/** An alias gives the very value of its anchor; what it would be written out in full is what counts. */
function aliased(run: ConversionState, node: Node, name: string): JsonValue {
  const anchor = run.anchors.get(name);
  if (anchor === undefined || anchor === "open") {
    const why = anchor === "open" ? "stands inside its own anchor" : "has no anchor before it";
    return addError(run, node, { code: "yaml-syntax", summary: `the alias "*${name}" ${why}` });
  }
  run.aliases += 1 + anchor.aliases;
  if (run.aliases <= limits.yamlAliases) return anchor.value;
  // Every further alias is one too many as well.
  if (run.isReported) return null;
  run.isReported = true;
  const summary = `the document expands more than ${limits.yamlAliases} aliases`;
  return addError(run, node, { code: "out-of-bounds", summary, remedy: "Write the values out." });
}

function scalar(run: ConversionState, node: Scalar): JsonValue {
  const { value } = node;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value) && isExact(value, node.source)) {
    return value;
  }
  const summary = `the number ${node.source ?? "here"} cannot be held exactly`;
  const remedy = "Use a smaller number, or put it in quotes where text is meant.";
  return addError(run, node, { code: "out-of-bounds", summary, remedy });
}

function isExact(value: number, source = ""): boolean {
  return Number.isSafeInteger(value) || !/^[-+]?(?:[0-9]+|0x[0-9a-f]+|0o[0-7]+)$/i.test(source);
}

function members(
  run: ConversionState,
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  depth: number,
): JsonObject {
  const object: Record<string, JsonValue> = {};
  const seen = new Set<string>();
  for (const { key, value } of items) {
    const name = keyOf(run, key, seen);
    const member = valueOf(run, value, depth + 1);
    if (name !== undefined) object[name] = member;
  }
  return object;
}

/** The text of a key, or undefined where the member must be left out. */
function keyOf(run: ConversionState, key: unknown, seen: Set<string>): string | undefined {
  const trouble = keyError(key, seen);
  if (trouble !== undefined) {
    addError(run, key, trouble);
    return undefined;
  }
  const name = (key as Scalar<string>).value;
  seen.add(name);
  return name;
}

function keyError(
  key: unknown,
  seen: ReadonlySet<string>,
): Omit<ConversionError, "offset"> | undefined {
  const code = "yaml-syntax";
  if (!isScalar(key) || typeof key.value !== "string") {
    return { code, summary: "a key is not text", remedy: "Put the key in quotes." };
  }
  const name = key.value;
  if (seen.has(name)) {
    const summary = `the key "${name}" is given twice`;
    return { code, summary, remedy: "Keep one of them." };
  }
  if (name === "<<" && key.type === "PLAIN") {
    const remedy = "Write the members out, or use aliases for single values.";
    return { code, summary: 'the merge key "<<" is not part of YAML 1.2', remedy };
  }
  // Assigning to this name would change what an object is instead of giving it a member.
  if (name === "__proto__") {
    return { code: "unknown-field", summary: '"__proto__" is not a name', remedy: "Remove it." };
  }
  return undefined;
}

function addError(
  run: ConversionState,
  node: unknown,
  trouble: Omit<ConversionError, "offset">,
): null {
  run.errors.push({ ...trouble, offset: offsetOf(node) ?? 0 });
  return null;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}
