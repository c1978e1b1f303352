// Runs the JavaScript of a data model in QuickJS, compiled to WebAssembly: without files, network, time and randomness, and
// with bounds of steps, memory and stack. Nothing of the host is reachable from it.
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { brokenFile, marks, sandboxProgram } from "./sandbox-program.ts";

/** A value that left the sandbox: see {@link sandboxProgram}. */
export type Encoded = string | number | boolean | null | readonly Encoded[];

/** A file that runs. */
export interface SandboxFile {
  readonly path: string;
  readonly code: string;
  /** What the sandbox adds to the offset of a literal, so that places of files differ. */
  readonly place: number;
}

/** An error of a run. `stack` names `place-PLACE:LINE:COLUMN` of the code that runs. */
export interface RunError {
  readonly message: string;
  readonly stack: string;
}

/** The functions that declare. */
export type DeclaredKind = "cube" | "view" | "view_group";

/** A call of one of them, or why its arguments are no data. */
export interface DeclaredCall {
  readonly path: string;
  readonly kind: DeclaredKind;
  /** Where the call is in its file. */
  readonly offset: number;
  readonly encoded: { readonly values: Encoded } | { readonly error: RunError };
}

/** What the files declare, and their errors. */
export interface SandboxResult {
  readonly calls: readonly DeclaredCall[];
  readonly errors: readonly {
    readonly path: string;
    readonly offset?: number;
    readonly error: RunError;
  }[];
}

/** Runs files, each once, in one context. `compileContext` is the JSON of their `COMPILE_CONTEXT`. Never throws for any content. */
export type Sandbox = (files: readonly SandboxFile[], compileContext: string) => SandboxResult;

const wasmPage = 64 * 1024;

/** The types of Node.js do not have it. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
  readonly RuntimeError: new () => Error;
};

/** Loads a sandbox for one run: its memory is never used again. */
export async function loadSandbox(): Promise<Sandbox> {
  // QuickJS counts allocations without their sizes, so its memory itself has the bound.
  const wasmMemory = new WebAssembly.Memory({
    initial: (16 * 1024 * 1024) / wasmPage,
    maximum: (limits.scriptMegabytes * 1024 * 1024) / wasmPage,
  });
  // Its types describe the CommonJS module.
  const own = newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory });
  const module = await newQuickJSWASMModuleFromVariant(own);
  return (files, compileContext) => runFiles(module, files, compileContext);
}

/** The run is over: its bounds are used up. */
class ExhaustedError extends Error {}

function runFiles(
  module: QuickJSWASMModule,
  files: readonly SandboxFile[],
  compileContext: string,
): SandboxResult {
  const run = new Run(module);
  const calls: DeclaredCall[] = [];
  const errors: { path: string; offset?: number; error: RunError }[] = [];
  let path = files[0]?.path ?? "";
  try {
    run.start(compileContext);
    for (const file of files) {
      ({ path } = file);
      const error = run.define(file);
      if (error) errors.push({ path, error });
    }
    for (const file of files) {
      ({ path } = file);
      const error = run.file(path);
      if (error) errors.push({ path, error });
    }
    errors.push(...run.asyncModules());
    calls.push(...run.calls());
  } catch (error) {
    if (!(error instanceof ExhaustedError)) throw error;
    errors.push({ path, error: { message: error.message, stack: "" } });
  }
  return { calls, errors };
}

class Run {
  readonly #context: QuickJSContext;
  #steps = 0;
  #functions: QuickJSHandle | undefined;

  constructor(module: QuickJSWASMModule) {
    const runtime = module.newRuntime({ maxStackSizeBytes: limits.scriptStackBytes });
    runtime.setInterruptHandler(() => ++this.#steps > limits.scriptSteps);
    // Neither Date nor typed arrays.
    this.#context = runtime.newContext({
      intrinsics: {
        BaseObjects: true,
        Eval: true,
        StringNormalize: true,
        RegExp: true,
        RegExpCompiler: true,
        JSON: true,
        Proxy: true,
        MapSet: true,
        Promise: true,
      },
    });
  }

  start(compileContext: string): void {
    const context = this.#context;
    const make = this.#evaluate(sandboxProgram, "sandbox");
    invariant("value" in make, "the program of the sandbox is valid");
    const given = context.newObject();
    for (const [name, mark] of Object.entries(marks))
      context.setProp(given, name, context.newString(mark));
    const bounds = [
      limits.modelCubes,
      limits.modelValues,
      limits.modelDepth,
      limits.scriptCharacters,
    ];
    this.#functions = this.#bounded(() =>
      context
        .callFunction(
          make.value,
          context.undefined,
          given,
          context.newString(compileContext),
          ...bounds.map((one) => context.newNumber(one)),
        )
        .unwrap(),
    );
  }

  /** Compiles a file. Returns its error. */
  define({ path, code, place }: SandboxFile): RunError | undefined {
    const compiled = this.#evaluate(code, `place-${place}`);
    if (!("value" in compiled)) {
      this.define({ path, code: brokenFile, place });
      return compiled.error;
    }
    const context = this.#context;
    this.#call("define", context.newString(path), context.newNumber(place), compiled.value);
    return undefined;
  }

  /** Runs a file, unless another one imported it. Returns its error. */
  file(path: string): RunError | undefined {
    const error = this.#json("run", this.#context.newString(path));
    return isRunError(error) ? error : undefined;
  }

  /** Ends the work of all asyncModule calls. Returns their errors. */
  asyncModules(): readonly {
    readonly path: string;
    readonly offset: number;
    readonly error: RunError;
  }[] {
    const ran = this.#bounded(() =>
      this.#context.runtime.executePendingJobs(limits.scriptSteps * 10),
    );
    if (ran.error || this.#context.runtime.hasPendingJob()) throw new ExhaustedError(tooLong);
    const states = this.#json("asyncModules") as readonly AsyncModule[];
    return states.flatMap(({ path, offset, ended, error }) => {
      if (isRunError(error)) return [{ path, offset, error }];
      return ended ? [] : [{ path, offset, error: { message: neverEnds, stack: "" } }];
    });
  }

  calls(): readonly DeclaredCall[] {
    const count = this.#number("calls");
    return Array.from(
      { length: count },
      (_, index) => this.#json("call", this.#context.newNumber(index)) as DeclaredCall,
    );
  }

  #number(name: string): number {
    return this.#context.getNumber(this.#call(name));
  }

  #json(name: string, ...values: readonly QuickJSHandle[]): unknown {
    const result = this.#call(name, ...values);
    const text = this.#bounded(() => this.#context.getString(result));
    result.dispose();
    try {
      return JSON.parse(text);
    } catch {
      throw new ExhaustedError(
        "the JavaScript of the data model replaced a function of the language",
      );
    }
  }

  #call(name: string, ...values: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context;
    const functions = this.#functions ?? context.undefined;
    const called = this.#bounded(() =>
      context.callFunction(context.getProp(functions, name), context.undefined, ...values),
    );
    if (called.error) throw this.#exhausted(called.error);
    return called.value;
  }

  #evaluate(
    code: string,
    path: string,
  ): { readonly value: QuickJSHandle } | { readonly error: RunError } {
    const result = this.#bounded(() => this.#context.evalCode(code, path));
    if (!result.error) return result;
    const { message, stack } = this.#dump(result.error);
    if (this.#steps > limits.scriptSteps) throw new ExhaustedError(tooLong);
    return { error: { message: `JavaScript: ${message}`, stack } };
  }

  #dump(error: QuickJSHandle): RunError {
    const dumped = this.#bounded(() => this.#context.dump(error) as unknown);
    return isRunError(dumped) ? dumped : { message: tooMuch, stack: "" };
  }

  #exhausted(error: QuickJSHandle): ExhaustedError {
    if (this.#steps > limits.scriptSteps) return new ExhaustedError(tooLong);
    const { message } = this.#dump(error);
    return new ExhaustedError(message === "out of memory" ? tooMuch : message);
  }

  /** Calls QuickJS, whose own recursion may exhaust the stack of the thread. */
  #bounded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof RangeError) throw new ExhaustedError(tooDeep);
      if (error instanceof WebAssembly.RuntimeError) throw new ExhaustedError(tooMuch);
      throw error;
    }
  }
}

interface AsyncModule {
  readonly path: string;
  readonly offset: number;
  readonly ended: boolean;
  readonly error?: unknown;
}

function isRunError(value: unknown): value is RunError {
  return typeof value === "object" && value !== null && "message" in value;
}

const tooLong = `the JavaScript of the data model runs longer than ${limits.scriptSteps * 10_000} steps; let it compute less`;
const tooMuch = `the JavaScript of the data model needs more than ${limits.scriptMegabytes} MB of memory; let it declare less`;
const tooDeep = "the JavaScript of the data model nests too deep; flatten it";
const neverEnds = "asyncModule() does not end: it waits for something that does not exist here";
