/** Values of one form, up to a number. Items of fixed size stand one after another, others behind offsets. */
import { badBytes, badDefinition, badJson, badValue } from './errors.ts';
import { checkBytesMax, depthAbove, type Encoding, type Form } from './form.ts';
import { readUint32, writeUint32 } from './integers.ts';

const OFFSET_BYTES = 4;

export function list<T>(of: Form<T>, itemsMax: number): Form<readonly T[]> {
  return { ...listOf(of, itemsMax), description: { form: 'list', of: of.description, itemsMax } };
}

export function listOf<T>(of: Encoding<T>, itemsMax: number): Encoding<readonly T[]> {
  if (!Number.isInteger(itemsMax) || itemsMax < 1) throw badDefinition('a list needs its most items, at least 1');
  if (of.fixedBytes === 0) throw badDefinition('items of a list have at least one byte');
  const { encodedSize, write, read } = of.fixedBytes === undefined ? behindOffsets(of) : inARow(of, of.fixedBytes);
  const check = (count: number) => {
    if (count > itemsMax) throw badBytes(`a list of ${count} items, at most ${itemsMax}`);
  };
  return {
    fixedBytes: undefined,
    bytesMax: checkBytesMax(itemsMax * (of.fixedBytes ?? OFFSET_BYTES + of.bytesMax)),
    depth: depthAbove([of]),
    sizeOf(value) {
      if (!Array.isArray(value) || value.length > itemsMax)
        throw badValue(value, `a list of at most ${itemsMax} items`);
      return encodedSize(value);
    },
    write,
    read: (bytes, at, end) => (at === end ? [] : read(bytes, at, end, check)),
    toJson: (value) => value.map((item) => of.toJson(item)),
    fromJson(json, path) {
      if (!Array.isArray(json) || json.length > itemsMax)
        throw badJson(json, `a list of at most ${itemsMax} items`, path);
      return json.map((item, i) => of.fromJson(item, `${path}[${i}]`));
    },
  };
}

interface Items<T> {
  encodedSize(items: readonly T[]): number;
  write(bytes: Uint8Array, at: number, items: readonly T[]): number;
  /** Of at least one byte. */
  read(bytes: Uint8Array, at: number, end: number, check: (count: number) => void): readonly T[];
}

function inARow<T>(of: Encoding<T>, size: number): Items<T> {
  return {
    encodedSize: (items) => items.length * size,
    write(bytes, start, items) {
      let at = start;
      for (const item of items) at = of.write(bytes, at, item);
      return at;
    },
    read(bytes, start, end, check) {
      if ((end - start) % size !== 0) throw badBytes(`a list of ${end - start} bytes, whose items have ${size}`);
      check((end - start) / size);
      const items: T[] = [];
      for (let at = start; at < end; at += size) items.push(of.read(bytes, at, at + size));
      return items;
    },
  };
}

function behindOffsets<T>(of: Encoding<T>): Items<T> {
  return {
    encodedSize(items) {
      let size = items.length * OFFSET_BYTES;
      for (const item of items) size += of.sizeOf(item);
      return size;
    },
    write(bytes, start, items) {
      let at = start + items.length * OFFSET_BYTES;
      items.forEach((item, i) => {
        writeUint32(bytes, start + i * OFFSET_BYTES, at - start);
        at = of.write(bytes, at, item);
      });
      return at;
    },
    read(bytes, start, end, check) {
      const headBytes = end - start < OFFSET_BYTES ? 0 : readUint32(bytes, start);
      if (headBytes === 0 || headBytes % OFFSET_BYTES !== 0 || headBytes > end - start)
        throw badBytes('the first offset of a list is wrong');
      const count = headBytes / OFFSET_BYTES;
      check(count);
      const items: T[] = [];
      for (let i = 0, from = start + headBytes; i < count; i++) {
        const next = i + 1 === count ? end : start + readUint32(bytes, start + (i + 1) * OFFSET_BYTES);
        if (next < from || next > end) throw badBytes('an offset is out of order');
        items.push(of.read(bytes, from, next));
        from = next;
      }
      return items;
    },
  };
}
