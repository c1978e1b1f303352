// A request of an operation that succeeds.
import type { TestService } from "../support/test-service.ts";

/** A request that succeeds once its sample has been prepared. */
export interface Sample {
  /** Path and query. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Prepares the objects for the call and returns its sample. */
export type PrepareSample = (service: TestService) => Promise<Sample>;

/** Adds the objects that the request removes, with a POST of the same body. */
export async function sampleOfRemoval(
  service: TestService,
  path: string,
  body: NonNullable<Sample["body"]>,
): Promise<Sample> {
  await service.send("POST", path, { body });
  return { path, body };
}

/** Prepares, and returns a sample that sends only a path. */
export async function sampleAfter(preparation: Promise<unknown>, path: string): Promise<Sample> {
  await preparation;
  return { path };
}
