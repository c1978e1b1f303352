// What the service reports of an object beside what was wished for.
import { type TObject, type TProperties, Type } from "typebox";
import { describeMembers } from "../api/field-descriptions.ts";

/** The status of a kind: members of answers, each described in the API's words unless it has words of its own. */
export function statusSchema<Members extends TProperties>(members: Members): TObject<Members> {
  return Type.Object(describeMembers(members));
}
