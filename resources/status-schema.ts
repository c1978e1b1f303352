// The schema of a kind's status: values that the service reports and that a spec does not contain.
import { type TObject, type TProperties, Type } from "typebox";
import { describeMembers } from "../api/field-descriptions.ts";

/** Returns a status schema. Members without a description get the API's default description of their name. */
export function statusSchema<Members extends TProperties>(members: Members): TObject<Members> {
  return Type.Object(describeMembers(members));
}
