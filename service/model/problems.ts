// Collects the errors of a compilation with their places.
import { LineCounter } from "yaml";
import { limits } from "../../core/limits/limits.ts";
import { snakeCase } from "../../core/text/naming.ts";
import { joinPointer } from "../../core/pointer.ts";
import { locator, type KeyOrValue } from "../../core/text/yaml-locator.ts";
import type { ModelError, ModelWarning } from "./types.ts";

/** A place in a file. */
export interface Located {
  readonly file: SourceFile;
  /** Characters from the start of the file. */
  readonly offset: number;
}

/** Returns where the value, or its key, at a JSON Pointer is written. */
export type Locate = (pointer: string, side: KeyOrValue) => Located;

/** A source file. Positions are found on demand: few files have errors. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  #lines: LineCounter | undefined;
  #locate: Locate | undefined;

  /** `locate` is for files that are not YAML. */
  constructor(path: string, text: string, locate?: Locate) {
    this.path = path;
    this.text = text;
    this.#locate = locate;
  }

  /** Returns the line and the column of an offset. */
  position(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#counted().linePos(offset);
    return { line, column: col };
  }

  /** Returns the text and the offset of a line, from 1. */
  line(number: number): { readonly text: string; readonly start: number } {
    const { lineStarts } = this.#counted();
    const start = lineStarts[number - 1] ?? this.text.length;
    const next = lineStarts[number];
    return { text: this.text.slice(start, next === undefined ? undefined : next - 1), start };
  }

  #counted(): LineCounter {
    if (this.#lines !== undefined) return this.#lines;
    this.#lines = new LineCounter();
    this.#lines.addNewLine(0);
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1))
      this.#lines.addNewLine(at + 1);
    return this.#lines;
  }

  /** Returns where the value, or its key, at a JSON Pointer is written. */
  located(pointer: string, side: KeyOrValue): Located {
    if (this.#locate === undefined) {
      // A data model may spell its keys in camelCase.
      const offsetOf = locator(this.text, snakeCase);
      this.#locate = (...of) => ({ file: this, offset: offsetOf(...of) });
    }
    return this.#locate(pointer, side);
  }
}

/** The place of a value in a source file. */
export interface Place {
  readonly file: SourceFile;
  /** JSON Pointer. */
  readonly pointer: string;
  readonly side?: KeyOrValue;
}

/** Returns the place of a member of the value at `place`. */
export function within(place: Place, ...keys: readonly (string | number)[]): Place {
  return { file: place.file, pointer: `${place.pointer}${joinPointer(keys)}` };
}

/** The errors of one compilation. Keeps a bounded number and counts the rest. */
export class Problems {
  readonly #errors: ModelError[] = [];
  readonly #warnings: ModelWarning[] = [];
  readonly #seen = new Set<string>();
  /** The subject that first had an error at each place. */
  readonly #subjects = new Map<string, string>();
  #subject = "";
  #count = 0;
  #attempts = 0;
  #isIncomplete = false;

  /** Notes that all files are read. With an error so far, some of their declarations are missing. */
  endReading(): void {
    this.#isIncomplete = this.#count > 0;
  }

  /**
   * Notes whose errors follow. What several subjects inherit is written at one place, and has the errors of the first of
   * them that has any.
   */
  enter(subject: string): void {
    this.#subject = subject;
  }

  get count(): number {
    return this.#count;
  }

  /** Errors with those that are left out because another one names their cause. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Notes an error whose cause another one names. */
  skip(): void {
    this.#attempts++;
  }

  /** Adds an error at a value. */
  add(place: Place, message: string): void {
    this.#attempts++;
    const { file, pointer, side = "value" } = place;
    const value = `${file.path}\0${pointer}`;
    const key = `${value}\0${message}`;
    if (this.#seen.has(key)) return;
    if ((this.#subjects.get(value) ?? this.#subject) !== this.#subject) return;
    this.#seen.add(key);
    this.#subjects.set(value, this.#subject);
    if (this.#mayKeep()) this.#errors.push(placed(file.located(pointer, side), message));
  }

  /** Adds an error about a name of a cube or view, unless its declaration may be missing because of another error. */
  addMissing(place: Place, message: string): void {
    if (this.#isIncomplete) this.skip();
    else this.add(place, message);
  }

  /** Adds a warning about a value. */
  warn(
    { file, pointer, side = "value" }: Place,
    code: ModelWarning["code"],
    message: string,
  ): void {
    const key = `${file.path}\0${pointer}\0${message}`;
    if (this.#seen.has(key) || this.#warnings.length === limits.modelErrors) return;
    this.#seen.add(key);
    this.#warnings.push({ code, ...placed(file.located(pointer, side), message) });
  }

  /** Adds a warning at an offset. */
  warnAt(
    file: SourceFile,
    offset: number,
    { code, message }: Pick<ModelWarning, "code" | "message">,
  ): void {
    this.#warnings.push({ code, ...placed({ file, offset }, message) });
  }

  /** Adds an error at an offset. */
  addAt(file: SourceFile, offset: number, message: string): void {
    if (this.#mayKeep()) this.#errors.push(placed({ file, offset }, message));
  }

  /** Adds an error at a place that is searched only if the error is kept. */
  addFrom(locate: () => Located, message: string): void {
    if (this.#mayKeep()) this.#errors.push(placed(locate(), message));
  }

  #mayKeep(): boolean {
    this.#count++;
    return this.#errors.length < limits.modelErrors;
  }

  /** Returns the kept errors, sorted by place. */
  sorted(): readonly ModelError[] {
    return this.#errors.toSorted(byPlace);
  }

  /** Returns the kept warnings, sorted by place. */
  warnings(): readonly ModelWarning[] {
    return this.#warnings.toSorted(byPlace);
  }
}

function placed({ file, offset }: Located, message: string): ModelError {
  const most = limits.modelErrorLength;
  const text = message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message;
  return { message: text, fileName: file.path, ...file.position(offset) };
}

function byPlace(a: ModelError, b: ModelError): number {
  return compareText(a.fileName, b.fileName) || a.line - b.line || a.column - b.column;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
