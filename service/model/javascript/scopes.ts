// The names that JavaScript declares, by scope.
import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Pattern,
} from "acorn";

/** Names that one scope declares, and the scope around it. */
export interface Scope {
  readonly names: ReadonlySet<string>;
  readonly outer?: Scope;
}

/** Returns whether a scope, or one around it, declares a name. */
export function declares(scope: Scope | undefined, name: string): boolean {
  for (let at = scope; at; at = at.outer) if (at.names.has(name)) return true;
  return false;
}

/** Returns the nodes that a node contains, in the order of the source. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  return Object.values(node)
    .flatMap((value: unknown) => [value].flat())
    .filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value;
}

/** A function of any kind. */
export type FunctionNode = ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;

/** Returns whether a node is a function of any kind. */
export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === "ArrowFunctionExpression" ||
    node.type === "FunctionExpression" ||
    node.type === "FunctionDeclaration"
  );
}

/** Returns the names that a pattern binds. */
export function boundNames(pattern: Pattern | null | undefined): readonly string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) =>
        boundNames(one.type === "RestElement" ? one.argument : one.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap(boundNames);
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    default:
      return [];
  }
}

/** Returns the names that the statements of a block declare for the block: `let`, `const`, `class`, `function` and imports. */
export function blockNames(statements: readonly AnyNode[]): readonly string[] {
  return statements.flatMap((statement): readonly string[] => {
    switch (statement.type) {
      case "VariableDeclaration":
        return statement.kind === "var"
          ? []
          : statement.declarations.flatMap(({ id }) => boundNames(id));
      case "FunctionDeclaration":
      case "ClassDeclaration":
        return boundNames(statement.id);
      case "ImportDeclaration":
        return statement.specifiers.flatMap(({ local }) => boundNames(local));
      case "ExportNamedDeclaration":
        return statement.declaration ? blockNames([statement.declaration]) : [];
      case "ExportDefaultDeclaration":
        return blockNames([statement.declaration]);
      default:
        return [];
    }
  });
}

/** Returns the names that `var` declares in a function or program, also in its blocks. */
export function varNames(node: AnyNode): readonly string[] {
  const names: string[] = [];
  const waiting = isFunction(node) ? [] : [node];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.type === "VariableDeclaration" && next.kind === "var")
      names.push(...next.declarations.flatMap(({ id }) => boundNames(id)));
    waiting.push(...childrenOf(next).filter((child) => !isFunction(child)));
  }
  return names;
}

/** Returns the name that a key, an import or an export has without computation. */
export function keyName(key: AnyNode): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}
