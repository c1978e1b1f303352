// Area user-attributes: account-wide definitions and the values of users.
import {
  createUserAttribute,
  createUserAttributes,
  deleteUserAttribute,
  listUserAttributes,
  listUserAttributeValues,
  replaceUserAttributeValues,
  setUserAttributeValue,
  updateUserAttribute,
} from "../../../api/user-attributes.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { writeInBulk } from "../shared/bulk.ts";
import { pageOf, singlePage } from "../shared/pagination.ts";
import { toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import {
  createAttribute,
  dropAttribute,
  selectAttributes,
  showAttribute,
  updateAttribute,
} from "./definitions.ts";
import { readValues, replaceValues, setValue } from "./values.ts";

/** The handlers of this area. */
export const userAttributes: readonly OperationHandler[] = [
  handleList(listUserAttributes, async (call) => {
    const { name, type } = call.query;
    let found = selectAttributes(call.db);
    if (name !== undefined) found = found.where("name", "=", name);
    if (type !== undefined) found = found.where("type", "=", type);
    return pageOf(call, keyset(found, "user_attributes.id"), showAttribute);
  }),
  handle(createUserAttribute, async ({ db, body, now }) =>
    createAttribute(db, body, toTimestamp(now())),
  ),
  handle(createUserAttributes, async ({ db, body, now }) =>
    writeInBulk(db, body.attributes, (one) => createAttribute(db, one, toTimestamp(now()))),
  ),
  handle(updateUserAttribute, async ({ db, params, body }) => updateAttribute(db, params.id, body)),
  handle(deleteUserAttribute, async ({ db, params }) => dropAttribute(db, params.id)),
  handleList(listUserAttributeValues, async ({ db, params }) =>
    singlePage(await readValues(db, params.userId)),
  ),
  handle(setUserAttributeValue, async ({ db, body }) =>
    setValue(db, {
      userId: Number(body.userId),
      attributeId: Number(body.userAttributeId),
      value: body.value ?? null,
    }),
  ),
  handle(replaceUserAttributeValues, async ({ db, params, body }) => {
    await replaceValues(db, params.userId, body.userAttributes);
    return { items: await readValues(db, params.userId) };
  }),
];
