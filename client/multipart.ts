// Encodes a body as `multipart/form-data`: objects as JSON text, and base64 members as files. Own code: Node.js encodes a
// FormData only with the classes of fetch, which the client does not load.
import { randomUUID } from "node:crypto";
import type { TSchema } from "typebox";
import { view } from "../core/schema/schema.ts";

/** An encoded body and its content type. */
export interface MultipartBody {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Encodes the members of a body. `schema` says which members are files. */
export function encodeMultipart(body: object, schema: TSchema): MultipartBody {
  const boundary = `svc-${randomUUID()}`;
  const properties = view(schema).properties ?? {};
  const parts = Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return [];
    const member: { readonly contentEncoding?: string } = properties[name] ?? {};
    const isFile = member.contentEncoding === "base64" && typeof value === "string";
    const disposition = `content-disposition: form-data; name="${name}"`;
    const head = isFile
      ? `${disposition}; filename="${name}"\r\ncontent-type: application/octet-stream`
      : disposition;
    const content = isFile ? Buffer.from(value, "base64") : Buffer.from(textOf(value));
    return [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from("\r\n")];
  });
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
