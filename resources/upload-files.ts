// Sends the files of an upload: many with one call, where the server has such a call. Used by resources and by `svc deploy`.
import pLimit from "p-limit";
import { uploadFile, uploadFiles } from "../api/data-model.ts";
import { isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import type { RequestOf } from "../core/operation/operation.ts";
import type { Caller } from "../core/operation/preparation.ts";

/** A file to send. */
export interface SentFile {
  readonly path: string;
  /** Size of the content. */
  readonly bytes: number;
  content(): Buffer;
}

/** The files that an upload sends. */
interface SentFiles {
  readonly deploymentId: number;
  readonly transaction: RequestOf<typeof uploadFiles>["body"]["transaction"];
  readonly files: readonly SentFile[];
  /** Sends one file with each call. Without it, only to a server that does not have the call for many. */
  readonly oneByOne?: boolean;
  /** Called with the number of files that arrived. */
  readonly onSent?: (count: number) => void;
}

/** Sends files. They replace those that the upload has already, so a call whose answer was lost can be repeated. */
export async function sendFiles(
  caller: Caller,
  { deploymentId, transaction, files, oneByOne = false, onSent = () => undefined }: SentFiles,
): Promise<void> {
  const running = pLimit(limits.concurrency);
  const params = { deploymentId };
  let isOffered = !oneByOne;
  /** Returns the files that were not sent. */
  const sendTogether = async (batch: readonly SentFile[]): Promise<readonly SentFile[]> => {
    if (!isOffered) return batch;
    try {
      const sent = batch.map((one) => ({ fileName: one.path, file: base64Of(one) }));
      await caller.call(uploadFiles, { params, body: { transaction, files: sent } });
    } catch (error) {
      // Where the upload itself is not found, the call for one file fails in the same way.
      if (!isFailure(error, "not_offered") && !isFailure(error, "not_found")) throw error;
      isOffered = false;
      return batch;
    }
    onSent(batch.length);
    return [];
  };
  const left = await running.map(uploadBatches(files), sendTogether);
  await running.map(left.flat(), async (one) => {
    const body = { transaction, fileName: one.path, file: base64Of(one) };
    await caller.call(uploadFile, { params, body });
    onSent(1);
  });
}

function base64Of(file: SentFile): string {
  return file.content().toString("base64");
}

/** Divides files among calls, by their number and their bytes. */
export function uploadBatches<File extends Pick<SentFile, "path" | "bytes">>(
  files: readonly File[],
): readonly (readonly File[])[] {
  const batches: File[][] = [];
  let last: File[] = [];
  let size = 0;
  for (const file of files) {
    const added = base64Length(file.bytes) + Buffer.byteLength(file.path);
    const isFull =
      last.length === limits.modelFilesPerRequest || size + added > limits.uploadCallBytes;
    if (isFull || batches.length === 0) {
      last = [];
      size = 0;
      batches.push(last);
    }
    last.push(file);
    size += added;
  }
  return batches;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
