// Converts `multipart/form-data` bodies to the form of the JSON body: files as base64, and objects from their JSON
// text. Node.js parses them after this code has limited the parts. The body is already in memory, so
// @fastify/multipart's streams would not help.
import type { TSchema } from "typebox";
import { Failure } from "../../core/errors.ts";
import { view } from "../../core/schema/schema.ts";
import { unstorableTextReason } from "../../core/text/storable-text.ts";
import { parseExactBody } from "./body.ts";

/** Returns the members of a body. Throws `invalid` if it is not multipart, repeats a member, or has too many parts. */
export async function parseMultipart(
  bytes: Buffer,
  { contentType, schema }: { contentType: string; schema: TSchema },
): Promise<Readonly<Record<string, unknown>>> {
  const properties = view(schema).properties ?? {};
  limitParts(bytes, { contentType, most: Object.keys(properties).length });
  const members = new Map<string, unknown>();
  for (const [name, value] of await readForm(bytes, contentType)) {
    if (members.has(name)) {
      throw new Failure("invalid", `the body has the part ${JSON.stringify(name)} twice`);
    }
    members.set(name, await memberOf(name, value, properties[name]));
  }
  return Object.fromEntries(members);
}

/** Throws `invalid` for more parts than the body can have members, before they are parsed. */
function limitParts(
  bytes: Buffer,
  { contentType, most }: { contentType: string; most: number },
): void {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  // The parser refuses a body without a boundary.
  const boundary = quoted ?? plain;
  if (boundary === undefined) return;
  const delimiter = Buffer.from(`--${boundary}`);
  // The last delimiter ends the body.
  let left = most + 1;
  for (let at = bytes.indexOf(delimiter); at >= 0; left--) {
    if (left === 0) {
      throw new Failure("invalid", `the body has more than ${most} parts, one for each member`);
    }
    at = bytes.indexOf(delimiter, at + delimiter.length);
  }
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

async function memberOf(
  name: string,
  value: string | Blob,
  schema: TSchema | undefined,
): Promise<unknown> {
  const { type, contentEncoding }: { type?: unknown; contentEncoding?: string } =
    schema === undefined ? {} : view(schema);
  if (contentEncoding === "base64") return bytesOf(name, value);
  if (typeof value !== "string") {
    throw new Failure(
      "invalid",
      `the part ${JSON.stringify(name)} is a file; send it without a file name`,
    );
  }
  if (type === "object") return parseExactBody(Buffer.from(value));
  const reason = unstorableTextReason(value);
  if (reason !== undefined) throw new Failure("invalid", `the body ${reason}`);
  return value;
}

/**
 * Returns the bytes of a part in base64. Text that is not UTF-8 has lost bytes in parsing, so it must be sent as a
 * file.
 */
async function bytesOf(name: string, value: string | Blob): Promise<string> {
  if (typeof value !== "string") return Buffer.from(await value.arrayBuffer()).toString("base64");
  if (!value.includes("\uFFFD")) return Buffer.from(value).toString("base64");
  throw new Failure("invalid", `the part ${JSON.stringify(name)} is not text; add a file name`);
}
