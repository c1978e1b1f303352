// The files of the pages, which the build wrote: names have hashes, so browsers keep them, and each has compressed forms. The
// script of hosts keeps its name, so browsers ask for it again.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";

/** What a page loads. */
export interface PageFiles {
  /** What a dashboard runs first, and its imports. */
  readonly start: { readonly script: string; readonly imports: readonly string[] };
  readonly script: string;
  /** The scripts that the script imports at once. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
  /** The scripts that dashboards with charts load later. */
  readonly later: readonly string[];
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
  /** Sends the script with which hosts embed dashboards. Throws `not_found` if the pages were not built. */
  sendEmbedScript(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Finds the files beside the package, or where a checkout of the sources has them. */
export function openAssets(): Assets {
  const folder = ["./web/", "../web/", "../../dist/web/"]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(new URL("manifest.json", url)));
  const names = new Set(
    folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: "utf8" }),
  );
  const manifest =
    folder === undefined
      ? {}
      : (JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as {
          readonly viewer?: PageFiles;
        });
  const send = async (
    { headers }: FastifyRequest,
    reply: FastifyReply,
    { path, caching }: { readonly path: string; readonly caching: string },
  ): Promise<FastifyReply> => {
    const type = types[extname(path)];
    if (folder === undefined || type === undefined || !names.has(path)) {
      throw new Failure("not_found", "there is no such file");
    }
    const accepted = (headers["accept-encoding"] ?? "").split(/[\s,;]+/u);
    const encoding = (["br", "gzip"] as const).find(
      (one) => accepted.includes(one) && names.has(`${path}${encodings[one]}`),
    );
    const file = encoding === undefined ? path : `${path}${encodings[encoding]}`;
    reply
      .type(type)
      .header("cache-control", `public, ${caching}`)
      .header("access-control-allow-origin", "*")
      .header("vary", "accept-encoding");
    if (encoding !== undefined) reply.header("content-encoding", encoding);
    return reply.send(await readFile(new URL(file, folder)));
  };
  return {
    viewer: manifest.viewer,
    send: (request, reply, name) =>
      send(request, reply, { path: `assets/${name}`, caching: "max-age=31536000, immutable" }),
    sendEmbedScript: (request, reply) =>
      send(request, reply, { path: "svc-embed.js", caching: "max-age=300" }),
  };
}
