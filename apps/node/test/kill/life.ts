/**
 * A state store on the real disk, for a process that kills itself: puts, deletes and large values, commits beside the next append,
 * reverted rivals, compactions. A block's number determines its writes.
 */

import { type Disk, silentTelemetry } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import { openStateStore, type StateStore, type Write } from '@slipstream/state';

export const BLOCKS = 60;
const PARAMETERS = { history: 3, deadPercent: 60, deadBytesMin: 900, deadBytesMax: 4_000, moveBytesMax: 500 };
/** For every batch, shorter than most. */
const ROOM = { fromBytes: 1, bytesMax: 300 };
const KEYS = 24;
const RIVAL_EVERY = 2;

export const blockOf = (number: number): string => `block ${number}`;
export const numberOf = (block: string): number => Number(block.split(' ')[1]);

export function batchOf(number: number): readonly Write[] {
  return Array.from({ length: 6 }, (_, i): Write => {
    const key = utf8(`key ${(number * 5 + i * 7) % KEYS}`);
    if ((number + i) % 5 === 0) return { key, value: undefined };
    return { key, value: new Uint8Array((number * 13 + i * 31) % 120).fill(number) };
  }).filter(({ key }, at, all) => all.findIndex((other) => String(other.key) === String(key)) === at);
}

export async function openStore(disk: Disk): Promise<StateStore> {
  const options = {
    directory: 'state',
    genesisHash: new Uint8Array(32),
    genesisBlock: blockOf(0),
    parameters: PARAMETERS,
    preallocation: ROOM,
  };
  const { store } = await openStateStore({ disk, telemetry: silentTelemetry }, options);
  return store;
}

/** Continues from the store's tip. `committed` gets each durable block. */
export async function live(store: StateStore, committed: (number: number) => void): Promise<void> {
  let last = numberOf(store.tip.block);
  if (last < BLOCKS) await append(store, last);
  for (; last < BLOCKS; last++) {
    const own = blockOf(last + 1);
    const commit = store.commit(own).then(() => committed(last + 1));
    if (last + 1 < BLOCKS) await Promise.all([commit, append(store, last + 1)]);
    else await commit;
  }
}

/** The block after `parent`; sometimes a rival first, which is reverted. */
async function append(store: StateStore, parent: number): Promise<void> {
  if (parent % RIVAL_EVERY === 0) {
    const rival = `rival ${parent}`;
    store.prepare(blockOf(parent), rival, batchOf(parent + 1_000));
    await store.append(rival);
    await store.revert(rival);
  }
  store.prepare(blockOf(parent), blockOf(parent + 1), batchOf(parent + 1));
  await store.append(blockOf(parent + 1));
}
