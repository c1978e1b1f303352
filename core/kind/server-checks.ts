// Checks values that a run would write, before the first write: at the server, and against other objects that the stack
// declares.
import type { JsonObject, JsonValue } from "../json.ts";
import type { Operation, RequestShape } from "../operation/operation.ts";

type ReadOperation = Operation<RequestShape, unknown, "read">;

/** A field whose valid values only the server knows. */
export interface FieldChoices<Reader> {
  /** JSON Pointer into the spec: `/release/version`. */
  readonly path: string;
  /** Operations that {@link FieldChoices.list} calls. */
  readonly needs: readonly ReadOperation[];
  /** Returns the account's valid values for a spec, undefined if the server does not list them. `id`: any existing object. */
  list(
    reader: Reader,
    subject: { readonly id: string | undefined; readonly spec: JsonObject },
  ): Promise<readonly string[] | undefined>;
}

/** Asks the server whether it would refuse values, such as the files of a data model. */
export interface ValueCheck<Reader> {
  /** The subject of the check, for the list of checks that could not run. */
  readonly what: string;
  /** Operations that {@link ValueCheck.run} calls. */
  readonly needs: readonly ReadOperation[];
  /**
   * The kind that decides the answer. The check is skipped if the same plan writes an object of it with the same field value.
   * `own` is the field of the checked kind, if it has another name. `required`: the server refuses the checked object without
   * the other one, so it is written after it.
   */
  readonly dependsOn?: {
    readonly kind: string;
    readonly field: string;
    readonly own?: string;
    readonly required?: true;
  };
  /** Returns the errors of a spec, or why they are not known. */
  run(reader: Reader, write: CheckedWrite): Promise<CheckResult>;
  /**
   * Returns the values of a declared object that have no effect, whether the plan writes it or not: a plan repeats these
   * warnings as long as their cause remains. Sends requests only if the stack does not declare what the values name.
   */
  lasting?(reader: Reader, declared: DeclaredObject): Promise<LastingFindings>;
}

/** An object that the stack declares. */
export interface DeclaredObject {
  readonly spec: JsonObject;
  /**
   * Returns the texts of a field in all objects of a kind that the stack declares, or only in those whose field
   * `within.field` equals `within.value`. The sets are made once for all checked objects.
   */
  readonly textsOf: (
    kind: string,
    field: string,
    within?: { readonly field: string; readonly value: string },
  ) => ReadonlySet<string>;
}

/** The values of a declared object that have no effect. */
export interface LastingFindings {
  readonly warnings: readonly ValueError[];
  readonly unchecked?: readonly UncheckedPart[];
}

/** A write that is planned. */
export interface CheckedWrite {
  readonly spec: JsonObject;
  readonly changed: ChangedValues | undefined;
  /** ID of the object that the new one replaces, which is deleted first. */
  readonly replacedId?: string | undefined;
  /** Returns the object with these key fields, if the plan writes it. */
  readonly planned: (kind: string, key: JsonObject) => PlannedObject | undefined;
  /** Returns the specs of the objects of a kind that the plan writes. */
  readonly plannedOf: (kind: string) => readonly JsonObject[];
  /** Returns the live object with this ID, if the plan changes it and does not replace it. */
  readonly plannedById: (kind: string, id: string) => PlannedObject | undefined;
}

/** The values that change, by JSON Pointer into the spec, with the live values; undefined for a new object. */
type ChangedValues = readonly {
  readonly path: string;
  readonly before?: JsonValue | undefined;
}[];

/** An object that the plan writes. */
export interface PlannedObject {
  readonly address: string;
  readonly spec: JsonObject;
  readonly changed: ChangedValues | undefined;
  /** ID of the live object; undefined if the plan creates it. */
  readonly id: string | undefined;
}

/** The answer of the server. */
export type CheckResult =
  | {
      readonly errors: readonly ValueError[];
      readonly errorCount: number;
      /** Values that the server accepts and that have no effect. */
      readonly warnings?: readonly ValueError[];
      /** Parts of the spec that could not be checked. */
      readonly unchecked?: readonly UncheckedPart[];
    }
  | {
      readonly unknown: string;
      /** True if the reason applies to every object of the kind; the server is then not asked again. */
      readonly ofAll?: true;
    };

/** A part of a spec that could not be checked. */
export interface UncheckedPart {
  /** The part, such as `the queries of charts`. */
  readonly what: string;
  readonly why: string;
}

/** An error in a value. */
export interface ValueError {
  /** JSON Pointer into the spec; "" for the whole. */
  readonly path: string;
  /** Line and column in the value, which is a text; both from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** The remedy, if the message does not contain it. */
  readonly remedy?: string | undefined;
}

/** An error in a value, which was found without a server. */
export interface OfflineError {
  /** JSON Pointer into the spec. */
  readonly path: string;
  /** A predicate whose subject is the value: `is not a path of a file`. Never contains the value. */
  readonly message: string;
  /** The remedy, if the message does not contain it. */
  readonly remedy?: string | undefined;
  /** The line and column of the error in a value that is the text of a file, from 1. */
  readonly position?: Readonly<Record<"line" | "column", number>>;
}

/** Returns the spec of the object with these key fields, if the stack declares it. */
export type DeclaredObjects = (kind: string, key: JsonObject) => JsonObject | undefined;

/** Returns the values of a spec that have no effect, given the other objects that the stack declares. */
export type OfflineWarnings = (
  spec: JsonObject,
  declared: DeclaredObjects,
) => readonly ValueError[];
