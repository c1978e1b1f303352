// Converts YAML nodes to JSON values. Bounds aliases and depth; requires unique text keys and exact numbers.
import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";

/** An error in a YAML text; `offset` counts from the start of the text. */
export interface ConversionError {
  readonly code: DiagnosticCode;
  readonly offset: number;
  readonly summary: string;
  readonly remedy?: string;
}

/** A JSON value with its errors. Invalid parts are omitted or null. */
export interface Converted {
  readonly value: JsonValue;
  readonly errors: readonly ConversionError[];
}

interface Anchor {
  readonly value: JsonValue;
  /** The number of aliases expanded inside it. */
  readonly aliases: number;
}

interface ConversionState {
  readonly errors: ConversionError[];
  readonly anchors: Map<string, Anchor | "open">;
  aliases: number;
  /** True once the excess of aliases was reported. */
  isReported: boolean;
}

/** The error for values that are nested too deep. */
export const tooDeep = {
  code: "out-of-bounds",
  summary: `values are nested deeper than ${limits.depth}`,
  remedy: "Flatten them.",
} as const;

/** Converts a YAML node to a JSON value. Reports everything that JSON cannot hold. Never throws. */
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

/** Returns the value of the anchor. The limit counts aliases as if they were expanded in full. */
function aliased(run: ConversionState, node: Node, name: string): JsonValue {
  const anchor = run.anchors.get(name);
  if (anchor === undefined || anchor === "open") {
    const why = anchor === "open" ? "is inside its own anchor" : "has no anchor before it";
    return addError(run, node, { code: "yaml-syntax", summary: `the alias "*${name}" ${why}` });
  }
  run.aliases += 1 + anchor.aliases;
  if (run.aliases <= limits.yamlAliases) return anchor.value;
  // Report the excess once.
  if (run.isReported) return null;
  run.isReported = true;
  const summary = `the document expands more than ${limits.yamlAliases} aliases`;
  return addError(run, node, {
    code: "out-of-bounds",
    summary,
    remedy: "Write the values in full.",
  });
}

function scalar(run: ConversionState, node: Scalar): JsonValue {
  const { value } = node;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value) && isExact(value, node.source)) {
    return value;
  }
  const summary = `the number ${node.source ?? ""} is too large to be exact`;
  const remedy = "Use a smaller number, or put it in quotes if it is text.";
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

/** Returns the text of a key, or undefined if the member is invalid. */
function keyOf(run: ConversionState, key: unknown, seen: Set<string>): string | undefined {
  const error = keyError(key, seen);
  if (error !== undefined) {
    addError(run, key, error);
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
    const summary = `the key "${name}" occurs twice`;
    return { code, summary, remedy: "Keep one of them." };
  }
  if (name === "<<" && key.type === "PLAIN") {
    const remedy = "Repeat the members in each map. Aliases are supported for whole values only.";
    return {
      code,
      summary: 'the merge key "<<" is not supported: it is not part of YAML 1.2',
      remedy,
    };
  }
  // Assigning to this name would set the prototype of the object.
  if (name === "__proto__") {
    return { code: "unknown-field", summary: '"__proto__" cannot be a key', remedy: "Remove it." };
  }
  return undefined;
}

function addError(
  run: ConversionState,
  node: unknown,
  error: Omit<ConversionError, "offset">,
): null {
  run.errors.push({ ...error, offset: offsetOf(node) ?? 0 });
  return null;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null | undefined)?.range?.[0];
}
