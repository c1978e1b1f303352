// `svc attributes`: the account-wide user attributes and the users' values.
import {
  createUserAttribute,
  createUserAttributes,
  deleteUserAttribute,
  listUserAttributes,
  listUserAttributeValues,
  replaceUserAttributeValues,
  setUserAttributeValue,
  updateUserAttribute,
} from "../../api/user-attributes.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { jsonLossReason } from "../../core/text/exact-numbers.ts";
import { type Area, command, type Outcome, type RunContext } from "../operations/command.ts";
import type { Lookup } from "../shared/lookup/lookup.ts";
import { userLookup } from "./lookups.ts";

const attribute: Lookup = {
  label: "attribute",
  list: listUserAttributes,
  listCommand: "attributes list",
  names: ["name"],
};
const lookups = { id: attribute };

/** Commands that list, create, change and delete user attributes and the users' values. */
export const attributes: Area = {
  name: "attributes",
  description: "List, create, change and delete user attributes and the users' values.",
  groups: { values: "users' values of an attribute" },
  commands: [
    command("list", listUserAttributes),
    command("create", createUserAttribute, { arguments: ["name", "type"] }),
    command("bulk-create", createUserAttributes),
    command("update", updateUserAttribute, { lookups }),
    command("delete", deleteUserAttribute, { lookups }),
    command("values list", listUserAttributeValues, {
      lookups: { userId: userLookup },
      columns: { ID: "userAttributeId", NAME: "name", TYPE: "type", VALUE: "value" },
    }),
    command("values set", setUserAttributeValue, {
      lookups: { userId: userLookup, userAttributeId: attribute },
      arguments: ["userId", "userAttributeId"],
      description:
        "Set a user's attribute value. --value is read as the type of the attribute says: a text, a number, or a JSON list; null clears the value.",
      flags: {
        value: { isText: true, isRequired: true, doc: "value of the attribute; null clears it" },
      },
      examples: {
        "set a user's attribute value":
          "svc attributes values set ana@example.com region --value EMEA",
        "clear it": "svc attributes values set ana@example.com region --value null",
      },
      run: setValue,
    }),
    command("values replace", replaceUserAttributeValues, { lookups: { userId: userLookup } }),
  ],
};

/** Sets a value. The value of the flag is converted to the type of the attribute. */
async function setValue({ client, request, extra }: RunContext): Promise<Outcome> {
  const { value } = extra.options;
  const { params, body = {} } = request;
  const id = Number(body["userAttributeId"]);
  const all = typeof value === "string" ? await client.reader.all(listUserAttributes, {}) : [];
  const type = all.find((one) => one.id === id)?.type;
  const converted =
    typeof value === "string" && type !== undefined ? valueOf(value, type) : undefined;
  const answer = await client.call(setUserAttributeValue, {
    params,
    body: { ...body, ...(converted !== undefined && { value: converted }) },
  } as never);
  return { answer: { ...answer } as never };
}

/** Reads the text of a value. Fails with `usage` if it is not of the type. */
function valueOf(text: string, type: string): JsonValue {
  if (text === "null") return null;
  if (type === "string") return text;
  const value = parsed(text);
  const isOfType = type === "number" ? typeof value === "number" : Array.isArray(value);
  if (isOfType) return value as JsonValue;
  throw new Failure("usage", `--value must be ${type === "number" ? "a number" : "a JSON list"}`, {
    remedy: `The type of the attribute is ${type}.`,
  });
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const loss = jsonLossReason(text);
  if (loss === undefined) return value;
  throw new Failure("usage", `in --value, ${loss.problem}`, { remedy: loss.remedy });
}
