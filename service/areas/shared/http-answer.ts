// Responses in a form that the handler chooses: a status with headers, or a file.

/** A response that is sent unchanged. */
export interface HttpAnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without a body. */
  readonly body: object | undefined;
}

/** A response of another protocol than the API's. */
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

/** A file as a response. */
export class FileAnswer {
  readonly content: Buffer;
  readonly name: string;
  /** Media type. */
  readonly type: string;

  constructor({ content, name, type }: Pick<FileAnswer, "content" | "name" | "type">) {
    this.content = content;
    this.name = name;
    this.type = type;
  }
}
