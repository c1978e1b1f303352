// Stores an inventory at the service: in one state, and in further ones where it is too large for one request.
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { deleteState, getState, listStates, putState } from "../../api/state.ts";
import type { Client } from "../../client/types.ts";
import { isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { parseContent, parseJson } from "./format.ts";
import { cutTexts } from "./text-pieces.ts";

/** The format of a content that only names its parts. It is none of an inventory. */
const partsFormat = 5;

const validateIndex = declaredValidator(
  Type.Object({
    format: Type.Literal(partsFormat),
    parts: Type.Array(Type.String(), { minItems: 1 }),
  }),
);

/** Reads a content with its parts; undefined if a writer has deleted one meanwhile. */
export async function readContent(
  client: Client,
  { name, where }: { readonly name: string; readonly where: string },
): Promise<{ readonly content: unknown } | undefined> {
  const content = await readState(client, name);
  if (content === undefined || validateIndex(content).length > 0) return { content };
  const texts: string[] = [];
  for (const part of content["parts"] as readonly string[]) {
    const text = (await readState(client, part))?.["text"];
    if (typeof text !== "string") return undefined;
    texts.push(text);
  }
  return { content: parseContent(texts.join(""), where) };
}

async function readState(client: Client, name: string): Promise<JsonObject | undefined> {
  return client.call(getState, { params: { name }, query: {} }).catch((error: unknown) => {
    if (isFailure(error, "not_found")) return undefined;
    throw error;
  });
}

/**
 * Writes a content, its parts first; `put` commits it and returns whether it did. The names of parts do not begin like
 * those of inventories, so no listing of inventories has them.
 */
export async function writeContent(
  client: Client,
  { stack, texts }: { readonly stack: string; readonly texts: Iterable<string> },
  put: (content: JsonObject) => Promise<boolean>,
): Promise<boolean> {
  const [first = "", ...rest] = cutTexts(texts, limits.inventoryPartBytes);
  if (rest.length === 0) return put(parseJson(first) as JsonObject);
  const ofStack = createHash("sha256").update(stack).digest("hex").slice(0, 16);
  const prefix = `svc-part.${ofStack}.`;
  const parts: string[] = [];
  for (const text of [first, ...rest]) {
    const name = `${prefix}${crypto.randomUUID()}`;
    const request = { params: { name }, query: {}, body: { text } };
    await client.call(putState, request, { attempts: limits.restartAttempts });
    parts.push(name);
  }
  const isWritten = await put({ format: partsFormat, parts });
  // The content is written. What cannot be deleted now is deleted after the next write.
  if (isWritten) await deleteOrphaned(client, prefix, parts).catch(() => undefined);
  return isWritten;
}

/** Deletes the parts that the content does not name, except those that a slow writer may be about to name. */
async function deleteOrphaned(
  client: Client,
  prefix: string,
  named: readonly string[],
): Promise<void> {
  const states = await client.all(listStates, { query: { prefix } });
  // Compares only times of the server.
  const newest = Math.max(...states.map(({ updatedAt }) => Date.parse(updatedAt)));
  for (const { name, updatedAt } of states) {
    const isOld = newest - Date.parse(updatedAt) > limits.orphanedPartMs;
    if (isOld && !named.includes(name))
      await client.call(deleteState, { params: { name }, query: {} });
  }
}
