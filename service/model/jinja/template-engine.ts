// Renders Jinja templates with MiniJinja, compiled to WebAssembly: without files, network and functions of the host, and with
// bounds of steps and memory.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { limits } from "../../../core/limits/limits.ts";
import { withMaximumMemory } from "./wasm-memory.ts";

/** An error of a template. */
export interface TemplateError {
  readonly message: string;
  /** The template that has the error, and its line and column, from 1; undefined if the error has no place. */
  readonly at:
    | { readonly name: string; readonly line: number; readonly column: number }
    | undefined;
}

/** Renders templates that can import each other by name. */
export interface TemplateEngine {
  /**
   * Returns what the templates `names` render, or their errors. `compileContext` is the JSON of their `COMPILE_CONTEXT`. Throws
   * {@link EngineFailure}.
   */
  render(
    templates: ReadonlyMap<string, string>,
    names: readonly string[],
    compileContext: string | undefined,
  ): ReadonlyMap<string, Rendered>;
}

/** What a template renders, or its error. */
type Rendered = { readonly text: string } | { readonly error: TemplateError };

/** The engine of this thread has no more memory, and cannot be used again. `code` reaches other threads. */
export class EngineFailure extends Error {
  readonly code = "ERR_TEMPLATES_OUT_OF_MEMORY";
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
};

let loaded: Promise<TemplateEngine> | undefined;

/** Loads the engine of this thread. */
export function loadTemplateEngine(): Promise<TemplateEngine> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<TemplateEngine> {
  const { initSync, Environment } = await import("minijinja-js/dist/web/minijinja_js.js");
  const path = createRequire(import.meta.url).resolve("minijinja-js/dist/web/minijinja_js_bg.wasm");
  const bytes = withMaximumMemory(readFileSync(path), limits.templateMegabytes);
  const module = new WebAssembly.Module(bytes);
  initSync({ module } as Parameters<typeof initSync>[0]);
  return {
    render: (templates, names, compileContext) => {
      const environment = new Environment();
      // Errors then have columns.
      environment.debug = true;
      // Templates can test whether a context has a member.
      environment.undefinedBehavior = compileContext === undefined ? "strict" : "semi_strct";
      environment.enablePyCompat();
      if (compileContext !== undefined)
        environment.addGlobal("COMPILE_CONTEXT", JSON.parse(compileContext));
      const broken = new Map<string, TemplateError>();
      for (const [name, text] of templates) {
        const error = tried(() => environment.addTemplate(name, text));
        if (error) broken.set(name, error);
      }
      const rendered = names.map((name): readonly [string, Rendered] => {
        const error = broken.get(name);
        if (error) return [name, { error }];
        environment.fuel = limits.templateSteps;
        let text = "";
        const failed = tried(() => (text = environment.renderTemplate(name, {})));
        return [name, failed ? { error: failed } : { text }];
      });
      environment.free();
      return new Map(rendered);
    },
  };
}

/** Returns the error of work in the engine. */
function tried(work: () => unknown): TemplateError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    // Anything else stopped the engine in its work: its memory is full, or the stack of the thread.
    if (!(error instanceof Error) || error.constructor !== Error) {
      throw new EngineFailure("the engine of templates stopped", { cause: error });
    }
    return templateError(error.message);
  }
}

/** Reads the message of an error, whose other lines show the source: `MESSAGE (in NAME:LINE)`. */
function templateError(text: string): TemplateError {
  const [first = "", ...shown] = text.split("\n");
  const [, message = first, name, line] = /^(.*) \(in (.+):(\d+)\)$/u.exec(first) ?? [];
  if (name === undefined) return { message, at: undefined };
  const index = shown.findIndex((one) => /^\s*i\s+\^+/u.test(one));
  const marks = shown[index] ?? "";
  const start = marks.indexOf("^");
  const source = shown[index - 1]?.slice(start, marks.lastIndexOf("^", marks.indexOf("^ ")) + 1);
  // Each line of the source follows its number and a mark.
  const column = start < 0 ? 1 : start - marginLength + 1;
  const what = message === "undefined value" && source ? `${source} is not defined` : message;
  return { message: what, at: { name, line: Number(line), column: Math.max(column, 1) } };
}

const marginLength = "   1 > ".length;
