// Area user-attributes: account-wide definitions, and the values that users have of them.
import {
  createUserAttribute,
  deleteUserAttribute,
  listUserAttributes,
  listUserAttributeValues,
  replaceUserAttributeValues,
  setUserAttributeValue,
  updateUserAttribute,
} from "../../../api/user-attributes.ts";
import { behave, behaveList, type Behaviour } from "../../area.ts";
import { pageOf, whole } from "../../paging.ts";
import { moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import {
  createAttribute,
  dropAttribute,
  selectAttributes,
  showAttribute,
  updateAttribute,
} from "./definitions.ts";
import { readValues, replaceValues, setValue } from "./values.ts";

/** What the operations of the area do. */
export const userAttributes: readonly Behaviour[] = [
  behaveList(listUserAttributes, async (call) => {
    const { name, type } = call.query;
    let found = selectAttributes(call.db);
    if (name !== undefined) found = found.where("name", "=", name);
    if (type !== undefined) found = found.where("type", "=", type);
    return pageOf(call, keyset(found, "user_attributes.id"), showAttribute);
  }),
  behave(createUserAttribute, async ({ db, body, now }) =>
    createAttribute(db, body, moment(now())),
  ),
  behave(updateUserAttribute, async ({ db, params, body }) => updateAttribute(db, params.id, body)),
  behave(deleteUserAttribute, async ({ db, params }) => dropAttribute(db, params.id)),
  behaveList(listUserAttributeValues, async ({ db, params }) =>
    whole(await readValues(db, params.userId)),
  ),
  behave(setUserAttributeValue, async ({ db, body }) =>
    setValue(db, {
      userId: Number(body.userId),
      attributeId: Number(body.userAttributeId),
      value: body.value ?? null,
    }),
  ),
  behave(replaceUserAttributeValues, async ({ db, params, body }) => {
    await replaceValues(db, params.userId, body.userAttributes);
    return { items: await readValues(db, params.userId) };
  }),
];
