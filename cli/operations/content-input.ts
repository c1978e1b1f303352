// Reads contents that a command takes from a file or from standard input.
import { Failure } from "../../core/errors.ts";
import { readStandardInput } from "../shared/streams.ts";
import { readTextFile } from "../../files/text-file.ts";
import type { ExtraValues } from "./command.ts";

/** Returns the text of a file; `-` is standard input, of which shortly more than `most` characters are read. */
export async function readContent(
  file: string,
  { options }: Pick<ExtraValues, "options">,
  most: number,
): Promise<string> {
  if (file !== "-") return readTextFile(file);
  if (options["apiKeyFile"] === "-") {
    throw new Failure("usage", "standard input cannot provide both the content and the API key");
  }
  return readStandardInput(most);
}
