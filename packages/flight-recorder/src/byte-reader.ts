/** Reads what ByteWriter wrote. Throws RecordingError `recording-unreadable` where bytes are missing. */
import { concatBytes } from '@slipstream/primitives';
import { unreadable } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export class ByteReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  #at = 0;

  open(bytes: Uint8Array): void {
    this.#bytes = concatBytes(bytes);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    this.#at = 0;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    this.#need(1);
    return this.#bytes[this.#at++] as number;
  }

  count(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = this.byte();
      value += (next & 127) * scale;
      if (next < 128) return value;
      if (scale > 2 ** 28) throw unreadable('a count is too large');
    }
  }

  /** A number of entries of at least one byte each. */
  length(): number {
    const value = this.count();
    this.#need(value);
    return value;
  }

  bytes(): Uint8Array {
    const size = this.length();
    this.#at += size;
    return this.#bytes.slice(this.#at - size, this.#at);
  }

  text(): string {
    try {
      return utf8.decode(this.bytes());
    } catch {
      throw unreadable('a string is not UTF-8');
    }
  }

  float(): number {
    this.#need(8);
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  word(): number {
    this.#need(4);
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw unreadable('it ends in the middle of a value');
  }
}
