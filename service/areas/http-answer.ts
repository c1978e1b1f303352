// A response whose status, headers and type the handler chooses.

/** A response that is sent as it is. */
export interface HttpAnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without a body. */
  readonly body: object | undefined;
}

/** A response of a protocol that is not the API's own. */
export class HttpAnswer implements HttpAnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | undefined;

  constructor({ status, headers, body }: HttpAnswerParts) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
