/** What a call uses, as units count it, observed between an application and its host. */
import { COIN_TABLE, type Host } from '@slipstream/app/program';
import { toHex } from '@slipstream/primitives';
import type { Counts } from '../execution.ts';
import { purseNamed } from './query-host.ts';

export interface Usage {
  /** Of this host, for one call. */
  observe(host: Host): Host;
  counts(): Counts;
}

const BALANCE_BYTES = 8;

/** Hexadecimal digits, of the table and then of the key. */
export function keyText(table: number, key: Uint8Array): string {
  return toHex(Uint8Array.of(table)) + toHex(key);
}

interface Terms {
  readonly sender: Uint8Array;
  /** Called for each key of the application's own. */
  readonly onKey: (table: number, key: Uint8Array) => void;
}

/** Keys count once, however often they are read or written; of values put to one key the longest counts. */
export function createUsage({ sender, onKey }: Terms): Usage {
  const names: string[] = [];
  const reads = new Set<string>();
  const writes = new Map<string, number>();
  let eventBytes = 0;

  function write(name: string, bytes: number): void {
    writes.set(name, Math.max(bytes, writes.get(name) ?? 0));
  }
  function move(from: Uint8Array, to: Uint8Array): void {
    for (const account of [from, to]) {
      const name = keyText(COIN_TABLE, account);
      reads.add(name);
      write(name, BALANCE_BYTES);
    }
  }

  return {
    observe: (host) => ({
      ...host,
      key(table, bytes, length) {
        const number = host.key(table, bytes, length);
        const own = Uint8Array.from(bytes.subarray(0, length));
        names[number] = keyText(table, own);
        if (table !== COIN_TABLE) onKey(table, own);
        return number;
      },
      get(key, into) {
        reads.add(names[key] as string);
        return host.get(key, into);
      },
      put(key, value, length) {
        write(names[key] as string, length);
        host.put(key, value, length);
      },
      emit(event, body, length) {
        eventBytes += length;
        host.emit(event, body, length);
      },
      collect(label, amount) {
        const moved = host.collect(label, amount);
        move(sender, purseNamed(label));
        return moved;
      },
      pay(label, to, amount) {
        const moved = host.pay(label, to, amount);
        move(purseNamed(label), to);
        return moved;
      },
    }),
    counts() {
      const valueBytes = [...writes.values()].reduce((all, bytes) => all + bytes, 0);
      return { reads: reads.size, writes: writes.size, bytes: valueBytes + eventBytes };
    },
  };
}
