// Reads the Jinja templates of a data model: renders them, and parses the YAML that they write.
import { limits } from "../../core/limits/limits.ts";
import { yamlFile } from "../../core/data-model/model-path.ts";
import { parseModelYaml } from "../../core/data-model/model-yaml.ts";
import { snakeCase } from "../../core/text/naming.ts";
import { locator } from "../../core/text/yaml-locator.ts";
import { compileContextReason } from "./javascript/instrument.ts";
import type { TemplateEngine, TemplateError } from "./jinja/template-engine.ts";
import {
  markLines,
  nameInTags,
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
  readonly engine: TemplateEngine;
  readonly texts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, SourceFile>;
}

/**
 * Renders the files among `files` that are templates. They can import all of them, by the path below `model` or `schema`.
 * Adds their errors to `problems`. Throws as the engine.
 */
export function readTemplates(
  files: readonly ModelFile[],
  isTemplate: (file: ModelFile) => boolean,
  { engine, problems }: { readonly engine: TemplateEngine; readonly problems: Problems },
): readonly RenderedFile[] {
  const named = files.map(
    ({ path, content }) => [path.slice(path.indexOf("/") + 1), path, content] as const,
  );
  const texts = new Map(
    named.flatMap(([name, , content]) => [
      [name, content] as const,
      [renderedName(name), content] as const,
    ]),
  );
  const sources = new Map(
    named.flatMap(([name, path, content]) => {
      const file = new SourceFile(path, content);
      return [[name, file] as const, [renderedName(name), file] as const];
    }),
  );
  const templates = { engine, texts, files: sources };
  const wanted = files.filter(isTemplate).filter((file) => {
    const at = nameInTags(file.content, /\bCOMPILE_CONTEXT\b/u);
    if (at !== undefined)
      problems.addAt(new SourceFile(file.path, file.content), at, compileContextReason);
    return at === undefined;
  });
  const names = wanted.map(({ path }) => renderedName(path.slice(path.indexOf("/") + 1)));
  const rendered = engine.render(texts, names);
  return wanted.flatMap(({ path, content }, index): readonly RenderedFile[] => {
    const name = names[index] ?? "";
    const result = rendered.get(name);
    if (result === undefined) return [];
    if ("error" in result) {
      reportError(result.error, { file: new SourceFile(path, content), templates, problems });
      return [];
    }
    return renderedFile(result.text, { path, content, name }, { templates, problems });
  });
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
  const placeOf = (offset: number): Located => {
    places ??= linePlaces(text, name, templates);
    return placeAt(text, offset, { places, own, files: templates.files });
  };
  const parsed = parseModelYaml(text);
  if ("errors" in parsed) {
    for (const { offset, message } of parsed.errors) {
      const { file, offset: at } = placeOf(offset);
      problems.addAt(file, at, message);
    }
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
  { engine, texts }: Templates,
): readonly TemplatePlace[] {
  const result = engine.render(markLines(texts), [name]).get(name);
  const found =
    result && "text" in result ? placesOfLines(text, result.text, [...texts.keys()]) : undefined;
  return found ?? [];
}

interface Lines {
  readonly places: readonly TemplatePlace[];
  readonly own: SourceFile;
  readonly files: ReadonlyMap<string, SourceFile>;
}

/** Returns the place in a template of an offset in its result. The column is exact where the template writes the line as it is. */
function placeAt(text: string, offset: number, { places, own, files }: Lines): Located {
  const before = text.slice(0, offset).split("\n");
  const place = places[before.length - 1];
  const file = place && files.get(place.name);
  if (place === undefined || file === undefined) return { file: own, offset: 0 };
  const lines = file.text.split("\n");
  const start = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[place.line - 1] ?? "";
  const column = before.at(-1)?.length ?? 0;
  const isSame = line.startsWith(text.split("\n")[before.length - 1]?.slice(0, column + 1) ?? "\n");
  return { file, offset: start + (isSame ? column : line.search(/\S|$/u)) };
}

function reportError(
  { message, at }: TemplateError,
  { file, templates, problems }: Context & { readonly file: SourceFile },
): void {
  const python = message.startsWith("unknown function") || message.startsWith("unknown filter");
  const text = `Jinja: ${message}${python ? "; functions of Python and env_var do not exist here, write a macro or the value" : ""}`;
  const source = at && templates.files.get(at.name);
  if (at === undefined || source === undefined) return problems.addAt(file, 0, text);
  const lines = source.text.split("\n").slice(0, at.line - 1);
  const start = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return problems.addAt(source, start + at.column - 1, text);
}
