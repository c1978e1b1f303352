// Reads how a connection to PostgreSQL is encrypted from the mode in its address, and explains failed handshakes.
import { certificateProblem } from "./certificate-problems.ts";
import { codeOf } from "./system-error.ts";

/** Modes that the driver takes for `verify-full`, with a warning of many lines. */
const checkedModes: ReadonlySet<string> = new Set(["prefer", "require", "verify-ca"]);

/** Returns an address with the mode that the driver really uses: it checks the certificate in every mode with TLS. */
export function withCheckedTls(address: URL): URL {
  const { searchParams: params } = address;
  if (!checkedModes.has(params.get("sslmode") ?? "") || params.has("uselibpqcompat")) {
    return address;
  }
  const checked = new URL(address);
  checked.searchParams.set("sslmode", "verify-full");
  return checked;
}

/** A problem with the encryption of a connection, and its remedy. */
export interface TlsProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** Errors of the driver, which have no code. */
const driverProblems: ReadonlyMap<string, TlsProblem> = new Map(
  Object.entries({
    "The server does not support SSL connections": {
      problem: "it offers no TLS, and sslmode in its address asks for it",
      remedy: "Turn on TLS at the database, or write sslmode=disable, for a private network only.",
    },
    "There was an error establishing an SSL connection": {
      problem: "it does not answer as PostgreSQL does",
      remedy: "Check the host and the port in its address.",
    },
  }),
);

/** Returns why a connection could not be encrypted; undefined for other errors. */
export function tlsProblemOf(error: unknown): TlsProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  return code === "" ? driverProblems.get(error.message) : certificateProblem(code);
}
