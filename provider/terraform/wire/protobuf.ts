// Encodes and decodes protobuf messages by tables of their fields, on the minimal runtime of protobufjs. Its reflection would
// compile the messages again in each process: a tenth of the CPU time until the handshake.
import { appendTo } from "../../../core/append-to.ts";
import protobuf, { type Reader, type Writer } from "protobufjs/minimal.js";
import { invariant } from "../../../core/errors.ts";

/**
 * The number of a field, its type (a scalar or a message), and whether it repeats, is a map by strings, or distinguishes
 * its default value from an absent one.
 */
export type Field =
  | readonly [number: number, type: string]
  | readonly [number: number, type: string, rule: "repeated" | "map" | "present"];

/** The fields of a message by name. */
export type Fields = Readonly<Record<string, Field>>;

/** The fields of each message by its name. */
export type Messages = Readonly<Record<string, Fields>>;

type Values = Record<string, unknown>;

interface Scalar {
  readonly wireType: number;
  write(writer: Writer, value: unknown): void;
  read(reader: Reader): unknown;
}

const delimited = 2;
const mapKey = 1;
const mapValue = 2;

const scalars: Readonly<Record<string, Scalar>> = {
  bool: {
    wireType: 0,
    write: (to, value) => to.bool(value as boolean),
    read: (from) => from.bool(),
  },
  int32: {
    wireType: 0,
    write: (to, value) => to.int32(value as number),
    read: (from) => from.int32(),
  },
  // Versions and positions, which a number holds exactly.
  int64: {
    wireType: 0,
    write: (to, value) => to.int64(value as number),
    read: (from) => Number(from.int64()),
  },
  string: {
    wireType: delimited,
    write: (to, value) => to.string(value as string),
    read: (from) => from.string(),
  },
  bytes: {
    wireType: delimited,
    write: (to, value) => to.bytes(value as Uint8Array),
    read: (from) => from.bytes(),
  },
};

/** Encodes a message. Leaves out absent fields, and default values where the field does not distinguish them. */
export function encodeMessage(messages: Messages, name: string, message: object): Buffer {
  const writer = protobuf.Writer.create();
  writeFields(messages, writer, { fields: fieldsOf(messages, name), values: message as Values });
  return Buffer.from(writer.finish());
}

/** Decodes a message. Ignores unknown fields; absent fields stay absent. Throws if the bytes are damaged. */
export function decodeMessage(messages: Messages, name: string, bytes: Uint8Array): object {
  const reader = protobuf.Reader.create(bytes);
  return readFields(messages, reader, { fields: fieldsOf(messages, name), end: reader.len });
}

function fieldsOf(messages: Messages, name: string): Fields {
  const fields = messages[name];
  invariant(fields !== undefined, `the message ${name} is not declared`);
  return fields;
}

function writeFields(
  messages: Messages,
  writer: Writer,
  { fields, values }: { readonly fields: Fields; readonly values: Values },
): void {
  for (const [name, [number, type, rule]] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    if (rule === "map") {
      for (const [key, item] of Object.entries(value)) {
        writer.uint32(tag(number, delimited)).fork();
        writeField(messages, writer, { number: mapKey, type: "string", value: key });
        writeField(messages, writer, { number: mapValue, type, value: item });
        writer.ldelim();
      }
    } else if (rule === "repeated") {
      for (const item of value as readonly unknown[]) {
        writeField(messages, writer, { number, type, value: item });
      }
    } else if (rule === "present" || !isDefault(value)) {
      writeField(messages, writer, { number, type, value });
    }
  }
}

function writeField(
  messages: Messages,
  writer: Writer,
  {
    number,
    type,
    value,
  }: { readonly number: number; readonly type: string; readonly value: unknown },
): void {
  const scalar = scalars[type];
  writer.uint32(tag(number, scalar?.wireType ?? delimited));
  if (scalar !== undefined) return scalar.write(writer, value);
  writer.fork();
  writeFields(messages, writer, { fields: fieldsOf(messages, type), values: value as Values });
  writer.ldelim();
}

function tag(number: number, wireType: number): number {
  return number * 8 + wireType;
}

function isDefault(value: unknown): boolean {
  return value instanceof Uint8Array
    ? value.length === 0
    : value === "" || value === 0 || value === false;
}

function readFields(
  messages: Messages,
  reader: Reader,
  { fields, end }: { readonly fields: Fields; readonly end: number },
): Values {
  const byNumber = new Map(
    Object.entries(fields).map(([name, field]) => [field[0], { name, field }]),
  );
  const values = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  while (reader.pos < end) {
    const key = reader.uint32();
    const found = byNumber.get(key >>> 3);
    const [, type = "", rule] = found?.field ?? [];
    const isMap = rule === "map";
    const wireType = isMap ? delimited : (scalars[type]?.wireType ?? delimited);
    if (found === undefined || wireType !== (key & 7)) {
      reader.skipType(key & 7);
      continue;
    }
    const value = isMap
      ? readMessage(messages, reader, { key: [mapKey, "string"], value: [mapValue, type] })
      : (scalars[type]?.read(reader) ?? readMessage(messages, reader, fieldsOf(messages, type)));
    const { name } = found;
    if (rule === "repeated" || isMap) appendTo(lists, name, value);
    else values.set(name, value);
  }
  if (reader.pos !== end) throw new RangeError("a message does not end where its length says");
  for (const [name, list] of lists) {
    values.set(name, fields[name]?.[2] === "map" ? entriesToObject(list) : list);
  }
  return Object.fromEntries(values);
}

function entriesToObject(entries: readonly unknown[]): Values {
  return Object.fromEntries(
    (entries as readonly Values[]).map(({ key, value }) => [(key ?? "") as string, value ?? {}]),
  );
}

/** Reads the fields of a nested message after its length. */
function readMessage(messages: Messages, reader: Reader, fields: Fields): Values {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError("a message is longer than what holds it");
  return readFields(messages, reader, { fields, end });
}
