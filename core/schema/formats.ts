// Formats of strings that JSON Schema does not have.
import { runsEver } from "../text/cron.ts";
import { isIri, isTimeZone } from "../text/text-patterns.ts";

/** The texts that each format accepts, for validators that are compiled at run time or by the build. */
export const customFormats = {
  iri: isIri,
  "time-zone": isTimeZone,
  cron: runsEver,
} as const satisfies Readonly<Record<string, (text: string) => boolean>>;
