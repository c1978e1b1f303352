// The value of --data: JSON, @file, or - for standard input.
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { jsonLossReason } from "../../../core/text/exact-numbers.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { ConnectionFlags } from "../connection/connection.ts";
import { readStandardInput } from "../streams.ts";
import { readTextFile } from "../../../files/text-file.ts";

/** Reads a request body. Fails with `usage` if it cannot be read, is too large, or is not JSON. */
export async function readBody(
  data: string,
  { apiKeyFile }: Pick<ConnectionFlags, "apiKeyFile">,
  source = "--data @file",
): Promise<JsonValue> {
  if (data === "-" && apiKeyFile === "-") {
    throw new Failure("usage", "standard input cannot provide both the body and the API key");
  }
  return bodyOf(await textOf(data), source);
}

/**
 * Returns the body if it is an object. Fails with `usage` otherwise, with its actual type and an `example` of an
 * object.
 */
export function objectOf(body: JsonValue, what: string, example: string): JsonObject {
  if (isObject(body)) return body;
  const given = Array.isArray(body) ? "a list" : body === null ? "null" : `a ${typeof body}`;
  throw new Failure("usage", `${what} is ${given}, not a JSON object`, {
    remedy: `Pass an object such as '${example}', @file, or - for standard input.`,
  });
}

async function textOf(data: string): Promise<string> {
  if (data === "-") return readStandardInput(limits.bodyBytes);
  return data.startsWith("@") ? readTextFile(data.slice(1)) : data;
}

function bodyOf(text: string, source: string): JsonValue {
  if (text.length > limits.bodyBytes) {
    throw new Failure("usage", `the body exceeds ${limits.bodyBytes} bytes`);
  }
  let body: JsonValue;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    throw new Failure("usage", "the body is not valid JSON", {
      remedy: `Quote it for the shell, or write it to a file and pass ${source}.`,
    });
  }
  const loss = jsonLossReason(text);
  if (loss === undefined) return body;
  throw new Failure("usage", `in the body, ${loss.problem}`, { remedy: loss.remedy });
}
