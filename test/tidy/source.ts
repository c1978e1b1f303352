// Parses a TypeScript file for the conventions: its text, syntax tree, comments and imports.
import {
  type Comment,
  type Node,
  type ParseResult,
  parseSync,
  type Program,
  visitorKeys,
} from "oxc-parser";

/** A parsed file; `path` is relative to the repository, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly ImportOf[];
  /** The first folder of the path, or "" for a file at the root. */
  readonly folder: string;
  /** True for `*.test.ts`. */
  readonly isTest: boolean;
}

/** One import, re-export, dynamic import or import type. */
export interface ImportOf {
  readonly specifier: string;
  readonly line: number;
}

/** Returns true for sources that are generated from the declarations, which name kinds and may have any length. */
export function isGenerated(path: string): boolean {
  return /^provider\/[a-z]+\/sdk\//.test(path);
}

/** Parses `text`. Throws if it is not TypeScript, because then no rule could be checked. */
export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text);
  const fatal = parsed.errors[0];
  if (fatal) throw new Error(`${path}: ${fatal.message}`);
  const imports = [...importedAt(parsed, text)].map(([at, specifier]) => ({
    specifier,
    line: lineAt(text, at),
  }));
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
  return {
    path,
    text,
    // Creates the tree on first use, because it takes most of the time of a file, and few rules need the tree of every
    // file.
    get program() {
      return parsed.program;
    },
    comments: parsed.comments,
    imports,
    folder,
    isTest: path.endsWith(".test.ts"),
  };
}

/** Returns the imported specifiers by their positions. */
function importedAt(parsed: ParseResult, text: string): ReadonlyMap<number, string> {
  const { staticImports, staticExports } = parsed.module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.flatMap((one) => one.moduleRequest ?? [])),
  ];
  const found = new Map(requests.map(({ start, value }) => [start, value]));
  // Dynamic imports and import types are only in the tree.
  if (!/\bimport\s*\(/u.test(text)) return found;
  walk(parsed.program, (node) => {
    if ("source" in node && node.source?.type === "Literal") {
      found.set(node.source.start, String(node.source.value));
    }
  });
  return found;
}

/** Calls `visit` for every node below and including `node`, parents first. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void): void {
  const step = (current: Node, parent: Node | undefined): void => {
    visit(current, parent);
    for (const key of visitorKeys[current.type] ?? []) {
      const value: unknown = Reflect.get(current, key);
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) step(child, current);
      }
    }
  };
  step(node, undefined);
}

/** Returns the line, counted from 1, that contains the character at `offset`. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line++;
  return line;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
