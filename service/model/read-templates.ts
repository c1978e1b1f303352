// Reads the Jinja templates of a data model: renders them, and parses the YAML that they write.
import { memoizePerObject } from "../../core/memoize.ts";
import { limits } from "../../core/limits/limits.ts";
import { yamlFile } from "../../core/data-model/model-path.ts";
import { parseModelYaml } from "../../core/data-model/model-yaml.ts";
import { snakeCase } from "../../core/text/naming.ts";
import { locator } from "../../core/text/yaml-locator.ts";
import { type CompileContext, type ContextReader, withContextRemedy } from "./compile-context.ts";
import type { TemplateEngine, TemplateError } from "./jinja/template-engine.ts";
import {
  markLines,
  nameInTags,
  plainComments,
  placesOfLines,
  type TemplatePlace,
} from "./jinja/template-lines.ts";
import { type Located, type Problems, SourceFile } from "./problems.ts";
import type { ModelFile } from "./types.ts";

/** What a template declares. */
export interface RenderedFile {
  readonly file: SourceFile;
  readonly value: unknown;
}

/** All templates by the names with which they import each other. */
interface Templates {
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Renders the templates with marks of their lines, once. */
  readonly marked: () => ReturnType<TemplateEngine["render"]>;
  readonly contextReader: ContextReader | undefined;
}

/** What templates declare, and where one first reads the context of the compilation. */
interface RenderedFiles {
  readonly files: readonly RenderedFile[];
  readonly contextReader: ContextReader | undefined;
}

/** What renders templates. */
interface Renderer {
  readonly engine: TemplateEngine;
  readonly context: CompileContext;
}

/**
 * Renders the files among `files` that are templates. They can import all of them, by the path below `model` or `schema`.
 * Adds their errors to `problems`. Throws as the engine.
 */
export function readTemplates(
  files: readonly ModelFile[],
  isTemplate: (file: ModelFile) => boolean,
  { engine, context }: Renderer,
  problems: Problems,
): RenderedFiles {
  const sources = namedFiles(files, problems);
  const plain = memoizePerObject(({ text }: SourceFile) => plainComments(text));
  const texts = new Map([...sources].map(([name, file]) => [name, plain(file)] as const));
  const wanted = files
    .filter(isTemplate)
    .filter(({ path }) => sources.get(nameOf(path))?.path === path);
  const [contextReader] = [...new Set(sources.values())].flatMap((file) => {
    const offset = nameInTags(plain(file), /\bCOMPILE_CONTEXT\b/u);
    return offset === undefined ? [] : [{ file, offset }];
  });
  const names = wanted.map(({ path }) => renderedName(nameOf(path)));
  // A model that does not read the context does not have it.
  const given = contextReader && context;
  const rendered = engine.render(texts, names, given);
  let marked: ReturnType<TemplateEngine["render"]> | undefined;
  const templates: Templates = {
    files: sources,
    marked: () => (marked ??= engine.render(markLines(texts), names, given)),
    contextReader,
  };
  const found = wanted.flatMap(({ path, content }, index): readonly RenderedFile[] => {
    const name = names[index] ?? "";
    const result = rendered.get(name);
    if (result === undefined) return [];
    if ("error" in result) {
      reportError(result.error, { file: new SourceFile(path, content), templates, problems });
      return [];
    }
    return renderedFile(result.text, { path, content, name }, { templates, problems });
  });
  return { files: found, contextReader };
}

/** Returns files by the names with which they are imported and rendered. Refuses a second file of one name. */
function namedFiles(
  files: readonly ModelFile[],
  problems: Problems,
): ReadonlyMap<string, SourceFile> {
  const named = new Map<string, SourceFile>();
  for (const { path, content } of files) {
    const file = new SourceFile(path, content);
    const names = [nameOf(path), renderedName(nameOf(path))];
    const other = names.map((name) => named.get(name)).find((one) => one !== undefined);
    if (other) {
      const message = `templates import ${other.path} by the same name, ${nameOf(path)}; rename one`;
      problems.addAt(file, 0, message);
    } else for (const name of names) named.set(name, file);
  }
  return named;
}

/** Returns the name with which templates import a file. */
function nameOf(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

/** Returns the name with which a template is rendered. The engine escapes texts, as JSON, where the name is one of YAML. */
function renderedName(name: string): string {
  return yamlFile.test(name) ? name : `${name}.yml`;
}

interface Context {
  readonly templates: Templates;
  readonly problems: Problems;
}

function renderedFile(
  text: string,
  { path, content, name }: ModelFile & { readonly name: string },
  { templates, problems }: Context,
): readonly RenderedFile[] {
  const own = new SourceFile(path, content);
  if (text.length > limits.modelFileBytes) {
    problems.addAt(
      own,
      0,
      `the template writes more than ${limits.modelFileBytes} characters; split it`,
    );
    return [];
  }
  let places: readonly TemplatePlace[] | undefined;
  const result = new SourceFile(path, text);
  const placeOf = (offset: number): Located => {
    places ??= linePlaces(text, name, templates);
    return placeAt(result, offset, { places, own, files: templates.files });
  };
  const parsed = parseModelYaml(text);
  if ("errors" in parsed) {
    for (const { offset, message } of parsed.errors)
      problems.addFrom(() => placeOf(offset), message);
    return [];
  }
  const offsetOf = locator(text, snakeCase);
  const file = new SourceFile(path, content, (...of) => placeOf(offsetOf(...of)));
  return parsed.value == null ? [] : [{ file, value: parsed.value }];
}

/** Returns the places of the lines of a result; none if they are not known. */
function linePlaces(
  text: string,
  name: string,
  { marked, files }: Templates,
): readonly TemplatePlace[] {
  const result = marked().get(name);
  const found =
    result && "text" in result ? placesOfLines(text, result.text, [...files.keys()]) : undefined;
  return found ?? [];
}

interface Lines {
  readonly places: readonly TemplatePlace[];
  readonly own: SourceFile;
  readonly files: ReadonlyMap<string, SourceFile>;
}

/** Returns the place in a template of an offset in its result. The column is exact where the template writes the line as it is. */
function placeAt(result: SourceFile, offset: number, { places, own, files }: Lines): Located {
  const { line, column } = result.position(offset);
  const place = places[line - 1];
  const file = place && files.get(place.name);
  if (place === undefined || file === undefined) return { file: own, offset: 0 };
  const { text, start } = file.line(place.line);
  const isSame = text.startsWith(result.line(line).text.slice(0, column));
  return { file, offset: start + (isSame ? column - 1 : text.search(/\S|$/u)) };
}

function reportError(
  { message, at }: TemplateError,
  { file, templates, problems }: Context & { readonly file: SourceFile },
): void {
  const python = message.startsWith("unknown function") || message.startsWith("unknown filter");
  const said = withContextRemedy(message, templates.contextReader);
  const text = `Jinja: ${said}${python ? "; functions of Python and env_var do not exist here, write a macro or the value" : ""}`;
  const source = at && templates.files.get(at.name);
  if (at === undefined || source === undefined) return problems.addAt(file, 0, text);
  return problems.addAt(source, source.line(at.line).start + at.column - 1, text);
}
