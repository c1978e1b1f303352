// Sends a request to an address outside of the API, and reads a bounded answer.

/** The answer of {@link fetchText}. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request. Throws what `fetch` throws, and an error if the body is longer than `most` bytes. Follows no redirect. */
export async function fetchText(
  address: string,
  request: RequestInit,
  most: number,
): Promise<TextAnswer> {
  const response = await fetch(address, { ...request, redirect: "manual" });
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: response.status, headers: response.headers, text };
}
