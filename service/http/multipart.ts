// Parses `multipart/form-data` bodies into the form of the JSON body: files as base64, and objects from their JSON text.
import type { TSchema } from "typebox";
import { Failure } from "../../core/errors.ts";
import { view } from "../../core/schema.ts";
import { parseBody, unstorableTextReason } from "./body.ts";

/** Returns the members of a body. Throws `invalid` if it is not multipart, or repeats a member. */
export async function parseMultipart(
  bytes: Buffer,
  { contentType, schema }: { contentType: string; schema: TSchema },
): Promise<Readonly<Record<string, unknown>>> {
  const properties = view(schema).properties ?? {};
  const members = new Map<string, unknown>();
  for (const [name, value] of await readForm(bytes, contentType)) {
    if (members.has(name)) {
      throw new Failure("invalid", `the body has the part ${JSON.stringify(name)} twice`);
    }
    members.set(name, await memberOf(value, properties[name]));
  }
  return Object.fromEntries(members);
}

async function readForm(bytes: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), {
      headers: { "content-type": contentType },
    }).formData();
  } catch (cause) {
    throw new Failure("invalid", "the body is not valid multipart/form-data; check its boundary", {
      cause,
    });
  }
}

async function memberOf(value: string | Blob, schema: TSchema | undefined): Promise<unknown> {
  if (typeof value !== "string") return Buffer.from(await value.arrayBuffer()).toString("base64");
  if (schema !== undefined && view(schema).type === "object") return parseBody(Buffer.from(value));
  const reason = unstorableTextReason(value);
  if (reason !== undefined) throw new Failure("invalid", `the body ${reason}`);
  return value;
}
