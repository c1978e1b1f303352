// Calls the API of a running controller.
import { fetchText, type TextAnswer } from "../../../client/fetch-text.ts";
import { parseOrigin } from "../../../client/request-url.ts";
import { Failure, type ErrorCode, errorCodes } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import { sendWithLogin } from "./controller-login.ts";

/** The environment variable with the token of a controller. */
const tokenVariable = "SVC_CONTROLLER_TOKEN";

/** Where a controller is, and whether it gets the login of a context, by default of the active one. */
export interface ControllerAddress {
  readonly url?: string;
  readonly login?: true;
  readonly context?: string;
}

/** A call. With a body, it is a POST. */
export interface ControllerCall {
  readonly path: string;
  readonly body?: JsonObject;
  readonly signal: AbortSignal;
}

/** Calls a controller. Returns an empty object for an answer without content. Fails with `usage` without an address, `unauthenticated` without a token or login, and as the controller answers. */
export async function callController(
  { url, login, context }: ControllerAddress,
  { path, body, signal }: ControllerCall,
): Promise<JsonObject> {
  if (url === undefined) throw new Failure("usage", "name the running controller with --url");
  const origin = parseOrigin(url, false);
  const send = (token: Secret | undefined): Promise<TextAnswer> => {
    const request = {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(token && { authorization: `Bearer ${token.reveal()}` }),
        "content-type": "application/json",
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.hookMs)]),
    };
    return fetchText(`${origin}${path}`, request, limits.controllerAnswerBytes).catch(
      (cause: unknown) => {
        throw new Failure("unreachable", `no answer from the controller at ${origin}`, {
          cause,
          remedy: "Check the address, and that the controller listens there.",
        });
      },
    );
  };
  const { status, text } = await (login
    ? sendWithLogin(send, { context, signal })
    : send(tokenToSend()));
  if (status === 204) return {};
  const answer = parse(text);
  if (status < 300 && isObject(answer)) return answer;
  throw failureOf(answer, status);
}

function tokenToSend(): Secret {
  const token = process.env[tokenVariable] ?? "";
  if (token !== "") return new Secret(token);
  throw new Failure("unauthenticated", `${tokenVariable} is not set`, {
    remedy:
      "Set it to a token of listen.tokens in the configuration of the controller, or pass --login to send the login of a context.",
  });
}

function failureOf(answer: JsonValue, status: number): Failure {
  const error = isObject(answer) && isObject(answer["error"]) ? answer["error"] : {};
  const { code, message, remedy } = error;
  if (typeof code !== "string" || !Object.hasOwn(errorCodes, code) || typeof message !== "string") {
    return new Failure("unexpected_answer", `the controller answered with the status ${status}`, {
      remedy: "Check that the address is that of a controller of svc.",
    });
  }
  if (code === "unknown_route") {
    return new Failure("not_found", "the controller has no such source, or no API", {
      remedy: "Check the name, and listen.tokens and listen.login in its configuration.",
    });
  }
  return new Failure(code as ErrorCode, message, typeof remedy === "string" ? { remedy } : {});
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
