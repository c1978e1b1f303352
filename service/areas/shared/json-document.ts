// A JSON document that is serialized once and sent with an entity tag.
import { createHash } from "node:crypto";
import type { JsonObject } from "../../../core/json.ts";

/** A document that many callers read, as text. */
export class JsonDocument {
  readonly text: string;
  readonly etag: string;

  constructor(document: JsonObject) {
    this.text = JSON.stringify(document);
    this.etag = `"${createHash("sha256").update(this.text).digest("base64url").slice(0, 22)}"`;
  }
}
