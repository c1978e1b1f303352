// Parses the URLs of remotes: the accepted forms, and the parts that Git and the network check need.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../core/errors.ts";

/** The accepted form of a remote's URL. */
export interface RemoteUrl {
  readonly kind: "https" | "http" | "ssh" | "file";
  /** The form for Git, without a password. */
  readonly url: string;
  /** Lowercase, without brackets; empty for a folder. */
  readonly host: string;
  readonly port: number;
}

/** Returns the parts of a URL. Throws `invalid` for a form that Git could take for an option or another transport. */
export function parseRemoteUrl(text: string): RemoteUrl {
  if (/[\s\p{Cc}]/u.test(text)) throw refusal("contains white space or a control character");
  if (/^file:\/\/\//i.test(text) || text.startsWith("/")) return parseFolder(text);
  if (/^https?:\/\//i.test(text)) return parseHttp(text);
  const parts =
    /^ssh:\/\/(?<user>[\w.-]+@)?(?<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?<port>\d{1,5}))?\/(?<path>[^?#]+)$/i.exec(
      text,
    )?.groups ?? /^(?<user>[\w.-]+@)(?<host>[a-z0-9.-]+):(?<path>[^?#]+)$/i.exec(text)?.groups;
  if (parts === undefined) {
    throw refusal(
      "must be https://host/path, ssh://user@host/path, user@host:path or the path of a folder",
    );
  }
  const { user = "", host = "", port = "22", path = "" } = parts;
  if ([user, host, path].some((part) => part.startsWith("-"))) {
    throw refusal("has a part that begins with a hyphen");
  }
  return {
    kind: "ssh",
    url: text,
    host: host.toLowerCase().replace(/^\[|\]$/g, ""),
    port: Number(port),
  };
}

function parseFolder(text: string): RemoteUrl {
  try {
    const folder = text.startsWith("/") ? text : fileURLToPath(text);
    return { kind: "file", url: resolve(folder), host: "", port: 0 };
  } catch (cause) {
    throw refusal("is not the path of a folder", cause);
  }
}

function parseHttp(text: string): RemoteUrl {
  if (!URL.canParse(text)) throw refusal("is not a URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw refusal("contains a user name or password; send them as username and token");
  }
  if (url.search !== "" || url.hash !== "") throw refusal("must not contain ? or #");
  const kind = url.protocol === "https:" ? "https" : "http";
  return {
    kind,
    // The normal form, so that Git and this check read the same host in it.
    url: url.href,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (kind === "https" ? 443 : 80) : Number(url.port),
  };
}

/** Returns the name of the repository in a URL: its last part, without `.git`. */
export function repositoryOf(url: string): string {
  return (url.split("/").at(-1) ?? "").replace(/\.git$/, "");
}

/** Returns the error for a URL. The message does not contain the URL, because it can contain a password. */
function refusal(what: string, cause?: unknown): Failure {
  return remoteError(`the URL of the remote ${what}`, cause);
}

/** Returns the error for a remote that cannot be used, which names the member of the request. */
export function remoteError(message: string, cause?: unknown): Failure {
  const details = { errors: [{ path: "body.remoteUrl", message }] };
  return new Failure("invalid", message, { details, ...(cause === undefined ? {} : { cause }) });
}
