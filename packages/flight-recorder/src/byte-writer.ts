export class ByteWriter {
  #buffer = new Uint8Array(64 * 1024);
  #view = new DataView(this.#buffer.buffer);
  #at = 0;
  #takenTo = 0;

  /** Restarts at the buffer's begin when all was taken. */
  begin(): void {
    if (this.#at === this.#takenTo) this.#at = this.#takenTo = 0;
  }

  /** The bytes since `begin` reset the position, aligned to four bytes. Valid until the next write. */
  take(): Uint8Array {
    this.#takenTo = this.#at;
    return this.#buffer.subarray(0, this.#at);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
  }

  /** Writes an integer from 0 to 2^32 - 1 in groups of seven bits. */
  count(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at++] = rest;
  }

  float(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  bytes(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#buffer.length, this.#at + bytes));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}
