// Reads the JavaScript files of a data model: runs them in the sandbox, and returns what they declare as the values that
// YAML files would have.
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import type { KeyOrValue } from "../../core/text/yaml-locator.ts";
import { type CompileContext, type ContextReader, withContextRemedy } from "./compile-context.ts";
import { type Located, type Problems, SourceFile } from "./problems.ts";
import type { ModelFile } from "./types.ts";
import { declarationOf, placeIn } from "./javascript/declared-file.ts";
import { instrument, type InstrumentedFile } from "./javascript/instrument.ts";
import { brokenFile } from "./javascript/sandbox-program.ts";
import type {
  DeclaredCall,
  DeclaredKind,
  Encoded,
  RunError,
  Sandbox,
} from "./javascript/sandbox.ts";

/** What a file declares. */
export interface JavaScriptFile {
  readonly file: SourceFile;
  /** The lists of declarations, as in YAML. */
  readonly value: Readonly<Record<DeclaredList, readonly unknown[]>>;
}

type DeclaredList = `${DeclaredKind}s`;

/** More than the characters of a file. */
const filePlaces = 2 ** 21;

const broken: InstrumentedFile = { code: brokenFile, literals: new Map(), offsetOf: () => 0 };

interface Source {
  readonly file: SourceFile;
  readonly instrumented: InstrumentedFile;
}

/** A declaration, and the call that made it. */
interface Declaration {
  readonly value: unknown;
  /** Where the call is in its file. */
  readonly offset: number;
  readonly encoded: Encoded;
}

/** What files declare, and where one first reads the context of the compilation. */
interface JavaScriptFiles {
  readonly files: readonly JavaScriptFile[];
  readonly contextReader: ContextReader | undefined;
}

/** Runs files. Adds their errors to `problems`. */
export function readJavaScript(
  files: readonly ModelFile[],
  { sandbox, context }: { readonly sandbox: Sandbox; readonly context: CompileContext },
  problems: Problems,
): JavaScriptFiles {
  const sources: Source[] = [];
  for (const { path, content } of files) {
    const file = new SourceFile(path, content);
    const instrumented = instrument(content);
    if ("errors" in instrumented) {
      for (const { offset, message } of instrumented.errors) problems.addAt(file, offset, message);
      sources.push({ file, instrumented: broken });
    } else sources.push({ file, instrumented });
  }
  const { calls, errors } = sandbox(
    sources.map(({ file: { path }, instrumented: { code } }, index) => ({
      path,
      code,
      place: (index + 1) * filePlaces,
    })),
    context,
  );
  const [contextReader] = sources.flatMap(({ file, instrumented: { readsContextAt: offset } }) =>
    offset === undefined ? [] : [{ file, offset }],
  );
  for (const { path, offset = 0, error } of errors) {
    const source = sources.find(({ file }) => file.path === path);
    if (source) report(error, { source, offset, sources, contextReader }, problems);
  }
  const run = { sources, calls, contextReader, problems };
  return { files: sources.map((source) => declared(source, run)), contextReader };
}

interface Run {
  readonly sources: readonly Source[];
  readonly calls: readonly DeclaredCall[];
  readonly contextReader: ContextReader | undefined;
  readonly problems: Problems;
}

function declared(
  source: Source,
  { sources, calls, contextReader, problems }: Run,
): JavaScriptFile {
  const { path, text } = source.file;
  const lists: Record<DeclaredList, Declaration[]> = { cubes: [], views: [], view_groups: [] };
  const isList = (name: string): name is DeclaredList => Object.hasOwn(lists, name);
  for (const call of calls) {
    if (call.path !== path) continue;
    const { kind, offset, encoded } = call;
    if ("error" in encoded) {
      report(encoded.error, { source, offset, sources, contextReader }, problems);
      continue;
    }
    const made = declarationOf(kind, encoded.values);
    const declaration = { offset, encoded: encoded.values };
    if ("value" in made) {
      lists[`${kind}s`].push({ ...declaration, value: made.value });
      continue;
    }
    for (const { pointer, message } of made.errors) {
      const wanted = { pointer, side: "value" } as const;
      const said = withContextRemedy(message, contextReader);
      problems.addFrom(() => placeOf(declaration, wanted, { source, sources }), said);
    }
  }
  const file = new SourceFile(path, text, (pointer, side) => {
    const [list = "", index = "", ...rest] = splitPointer(pointer);
    const one = isList(list) ? lists[list][Number(index)] : undefined;
    if (one === undefined) return { file: source.file, offset: 0 };
    return placeOf(one, { pointer: joinPointer(rest), side }, { source, sources });
  });
  const value = {
    cubes: lists.cubes.map((one) => one.value),
    views: lists.views.map((one) => one.value),
    view_groups: lists.view_groups.map((one) => one.value),
  };
  return { file, value };
}

/** Returns where the value at a pointer in a declaration is written, which may be in another file. */
function placeOf(
  { offset, encoded }: Pick<Declaration, "offset" | "encoded">,
  wanted: { readonly pointer: string; readonly side: KeyOrValue },
  { source, sources }: { readonly source: Source; readonly sources: readonly Source[] },
): Located {
  const place = placeIn(encoded, wanted, (literal, member, side) => {
    const literals = sourceAt(literal, sources)?.instrumented.literals;
    const found = literals?.get(literal % filePlaces)?.get(member)?.[side];
    return found === undefined ? undefined : literal - (literal % filePlaces) + found;
  });
  const owner = place === undefined ? undefined : sourceAt(place, sources);
  if (place === undefined || owner === undefined) return { file: source.file, offset };
  return { file: owner.file, offset: place % filePlaces };
}

function sourceAt(place: number, sources: readonly Source[]): Source | undefined {
  return sources[Math.floor(place / filePlaces) - 1];
}

interface Thrown {
  readonly sources: readonly Source[];
  readonly source: Source;
  /** Where the error is if it names no place in a file. */
  readonly offset: number;
  readonly contextReader: ContextReader | undefined;
}

/** Adds an error at the place in a file that threw it. */
function report(
  { message: thrown, stack }: RunError,
  { source, offset, sources, contextReader }: Thrown,
  problems: Problems,
): void {
  const message = withContextRemedy(thrown, contextReader);
  const [, place, line, column] = /place-(\d+):(\d+):(\d+)/u.exec(stack) ?? [];
  const thrower = place === undefined ? undefined : sourceAt(Number(place), sources);
  if (thrower === undefined) return problems.addAt(source.file, offset, message);
  const at = thrower.instrumented.offsetOf(Number(line), Number(column));
  return problems.addAt(thrower.file, at, message);
}
