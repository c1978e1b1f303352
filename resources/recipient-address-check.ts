// Checks that an external user who is to receive a notification has an email address, before the first write.
import { listEmbedUsers } from "../api/embed-tenants.ts";
import { isEmailAddress } from "../core/text/email-address.ts";
import { isFailure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { ValueCheck } from "../core/kind/server-checks.ts";
import type { Spec } from "./notification-embed-recipient.schema.ts";

const none = { errors: [], errorCount: 0 } as const;

/** Reports a new recipient without an address: the server would refuse the whole call. */
export const addressCheck: ValueCheck<Reader> = {
  what: "the email address",
  needs: [listEmbedUsers],
  dependsOn: { kind: "EmbedUser", field: "externalId" },
  run: async (reader, { spec, changed }) => {
    const { embedTenant, externalId, email } = spec as JsonObject & Spec;
    const isNew = changed === undefined;
    if (!isNew || [email, externalId].some(isEmailAddress)) return none;
    const users = await usersOf(reader, embedTenant);
    const known = users.find((user) => user.externalId === externalId)?.email;
    if (isEmailAddress(known)) return none;
    const message = `${externalId} has no email address; declare email here or in its EmbedUser`;
    return { errors: [{ path: "/externalId", message }], errorCount: 1 };
  },
};

/** Returns the external users of an embed tenant; none if it does not exist yet. */
async function usersOf(reader: Reader, embedTenantName: string) {
  try {
    return await reader.all(listEmbedUsers, { params: { embedTenantName } });
  } catch (error) {
    if (isFailure(error, "not_found")) return [];
    throw error;
  }
}
