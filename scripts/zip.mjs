// Writes archives: the same files make the same bytes, so that a checksum says what was built and not when.
import { crc32, deflateRawSync } from "node:zlib";

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfCentral = 0x06054b50;
/** Version 2.0 of the format; made on Unix, so that modes are kept. */
const versionNeeded = 20;
const madeBy = (3 << 8) | versionNeeded;
const deflateMethod = 8;
/** The first day that the format can say. */
const fixedDosDate = (1 << 5) | 1;
const regularFile = 0o100000;

/** The archive of these files, `{ name, content, mode }`, in their order; content is a buffer, and none reaches 4 GiB. */
export function zipArchive(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, content, mode } of files) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(content, { level: 9 });
    const described = words(
      [2, versionNeeded],
      [2, 0],
      [2, deflateMethod],
      [2, 0],
      [2, fixedDosDate],
      [4, crc32(content)],
      [4, packed.length],
      [4, content.length],
      [2, path.length],
      [2, 0],
    );
    const local = Buffer.concat([words([4, localHeader]), described, path, packed]);
    const attributes = (regularFile | mode) * 0x10000;
    const more = words([2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]);
    directory.push(words([4, centralHeader], [2, madeBy]), described, more, path);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = files.length;
  const end = words(
    [4, endOfCentral],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, central.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, central, end]);
}

/** Numbers in so many bytes each, the lowest first. */
function words(...fields) {
  return Buffer.concat(
    fields.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
}
