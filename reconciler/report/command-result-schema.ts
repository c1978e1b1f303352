// The head of every command result, and the type of a value without it.
import { type Static, type TObject, type TProperties, Type } from "typebox";
import { reportFormat } from "../model/report-format.ts";

/** Properties of an object that permits no others. */
export const closed = { additionalProperties: false } as const;

/** Members of every result besides the name of its report. */
export const head = {
  format: Type.Literal(reportFormat, {
    description: "Increases with every incompatible change of the format.",
  }),
};

/** Returns the schema of a command result: the head that identifies it, and the properties. */
export function commandResult<P extends TProperties>(name: string, properties: P) {
  return Type.Object({ ...head, report: Type.Literal(name), ...properties }, closed);
}

/** A value that a schema permits. Its lists are read-only, and optional members can be undefined. */
type Accepted<T> = T extends readonly (infer Item)[]
  ? readonly Accepted<Item>[]
  : T extends object
    ? {
        readonly [Name in keyof T]: {} extends Pick<T, Name>
          ? Accepted<T[Name]> | undefined
          : Accepted<T[Name]>;
      }
    : T;

/** The members of a command result without its head. */
export type CommandValue<Schema extends TObject> = Schema extends TObject
  ? Accepted<Omit<Static<Schema>, "format" | "report">>
  : never;
