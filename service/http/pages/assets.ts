// The files of the pages, which the build wrote: names have hashes, so browsers keep them, and each has compressed forms.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";

/** What a page loads. */
export interface PageFiles {
  readonly script: string;
  /** The scripts that the script imports at once. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/** The encodings of the files, the smallest first. */
const encodings = { br: ".br", gzip: ".gz" } as const;

/** The files of the pages. */
export interface Assets {
  /** What the page of viewers loads; undefined if the pages were not built. */
  readonly viewer: PageFiles | undefined;
  /** Sends a file. Throws `not_found` for a name that no file has. */
  send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply>;
}

/** Finds the files beside the package, or where a checkout of the sources has them. */
export function openAssets(): Assets {
  const folder = ["./web/", "../web/", "../../dist/web/"]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(new URL("manifest.json", url)));
  const names = new Set(folder === undefined ? [] : readdirSync(new URL("assets/", folder)));
  const manifest =
    folder === undefined
      ? {}
      : (JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as {
          readonly viewer?: PageFiles;
        });
  return {
    viewer: manifest.viewer,
    async send({ headers }, reply, name) {
      const type = types[extname(name)];
      if (folder === undefined || type === undefined || !names.has(name)) {
        throw new Failure("not_found", "there is no such file");
      }
      const accepted = (headers["accept-encoding"] ?? "").split(/[\s,;]+/u);
      const encoding = (["br", "gzip"] as const).find(
        (one) => accepted.includes(one) && names.has(`${name}${encodings[one]}`),
      );
      const file = encoding === undefined ? name : `${name}${encodings[encoding]}`;
      reply
        .type(type)
        .header("cache-control", "public, max-age=31536000, immutable")
        .header("access-control-allow-origin", "*")
        .header("vary", "accept-encoding");
      if (encoding !== undefined) reply.header("content-encoding", encoding);
      return reply.send(await readFile(new URL(`assets/${file}`, folder)));
    },
  };
}
