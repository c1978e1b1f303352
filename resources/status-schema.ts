// The schema of a kind's status: values that the service reports and that a spec does not contain.
import { type TObject, type TProperties, Type } from "typebox";
import { withDefaultDescriptions } from "../api/field-descriptions.ts";
import { Timestamp } from "../api/schemas.ts";
import { field } from "../core/schema/traits.ts";

/** Returns a status schema. Members without a description get the API's default description of their name. */
export function statusSchema<Members extends TProperties>(members: Members): TObject<Members> {
  return withDefaultDescriptions(Type.Object(members));
}

/** Number of users in a group or tenant. */
export const userCountField = field(Type.Integer({ minimum: 0 }), {
  doc: "Number of users it contains.",
  volatile: true,
});

/** Time of a user's last sign-in. */
export const lastLogin = field(Timestamp, {
  doc: "Time of the user's last sign-in, in UTC.",
  volatile: true,
});
