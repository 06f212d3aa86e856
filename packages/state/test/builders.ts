import { DiskError, silentTelemetry } from '@slipstream/ports';
import { concatBytes, toHex, utf8 } from '@slipstream/primitives';
import { createLifetime, createRandom, createSimDisk, type Lifetime, type SimDisk } from '@slipstream/simulator';
import {
  type Batch,
  DELETES,
  openStateStore,
  type PackedBatch,
  type StateOptions,
  type StateParameters,
  type StateStore,
  type Write,
} from '../src/index.ts';
import type { PreallocationPolicy } from '../src/log/preallocation.ts';

export const FOLDER = 'state';
export const GENESIS = '00';

/** Logs are compacted, relieved and replaced within a few batches. */
export const TINY: StateParameters = {
  history: 3,
  deadPercent: 60,
  deadBytesMin: 300,
  deadBytesMax: 4_000,
  moveBytesMax: 500,
};

export const TINY_PREALLOCATION: PreallocationPolicy = { fromBytes: 150, bytesMax: 300 };
export const NO_ROOM: PreallocationPolicy = { fromBytes: Number.POSITIVE_INFINITY, bytesMax: 0 };

export function put(key: string, value: string): Write {
  return { key: utf8(key), value: utf8(value) };
}

export function remove(key: string): Write {
  return { key: utf8(key), value: undefined };
}

export function newDisk(seed: string | number = 1): SimDisk {
  return createSimDisk({ random: createRandom(seed) });
}

export function open(
  disk: SimDisk,
  options: Partial<StateOptions> = {},
  lifetime: Lifetime = createLifetime(),
  pause: () => Promise<void> = async () => {},
) {
  return openStateStore(
    { disk: disk.mount(lifetime), telemetry: silentTelemetry, pause },
    {
      directory: FOLDER,
      genesisHash: new Uint8Array(32).fill(7),
      genesisBlock: GENESIS,
      preallocation: TINY_PREALLOCATION,
      ...options,
    },
  );
}

/** Of random length: the next step comes before, during or after folding. A dead process never resumes. */
export function randomPauses(seed: string, lifetime = createLifetime()): () => Promise<void> {
  const random = createRandom(seed);
  return async () => {
    for (let turns = random.below(60); turns > 0; turns--) await undefined;
    if (!lifetime.alive) await new Promise<never>(() => {});
  };
}

export async function commitBatch(store: StateStore, block: string, batch: Batch | PackedBatch): Promise<Uint8Array> {
  const { checksum } = store.prepare(store.tip.block, block, batch);
  await store.append(block);
  await store.commit(block);
  return checksum;
}

/** As execution hands a batch over. */
export function columnsOf(batch: Batch): PackedBatch {
  return {
    bytes: concatBytes(...batch.flatMap(({ key, value }) => (value === undefined ? [key] : [key, value]))),
    keyBytes: Uint8Array.from(batch, ({ key }) => key.length),
    valueBytes: Int32Array.from(batch, ({ value }) => value?.length ?? DELETES),
  };
}

export type Model = ReadonlyMap<string, string>;

export function applied(model: Model, batch: readonly Write[]): Model {
  const next = new Map(model);
  for (const { key, value } of batch) {
    if (value === undefined) next.delete(toHex(key));
    else next.set(toHex(key), toHex(value));
  }
  return next;
}

export function contentsOf(store: StateStore): Model {
  return new Map(store.entries(undefined, 100_000).map(({ key, value }) => [toHex(key), toHex(value)]));
}

/** The same, read as packed batches. */
export function packedContentsOf(store: StateStore): Model {
  const found: (readonly [string, string])[] = [];
  for (const { bytes, keyBytes, valueBytes } of store.packedEntries()) {
    let at = 0;
    const next = (length: number) => {
      at += length;
      return toHex(bytes.subarray(at - length, at));
    };
    for (const [i, length] of keyBytes.entries()) found.push([next(length), next(valueBytes[i] as number)]);
    if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes belong to no entry`);
  }
  const model = new Map(found);
  if (model.size !== found.length) throw new Error('a key is there twice');
  return model;
}

export function logsOf(disk: SimDisk): Map<string, string> {
  const paths = disk.paths().filter((path) => path.startsWith(FOLDER) && path.endsWith('.log'));
  return new Map(paths.map((path) => [path, toHex(disk.contents(path) as Uint8Array)]));
}

/**
 * Runs `life` as a process that dies in disk call number `call`, or after its effect. Returns false when it ended before. Rethrows other
 * errors.
 */
export async function liveUntil(
  disk: SimDisk,
  call: number,
  how: 'in' | 'after',
  life: (lifetime: Lifetime) => Promise<void>,
): Promise<boolean> {
  const lifetime = createLifetime();
  const died = new Promise<boolean>((resolve) => lifetime.onEnd(() => resolve(true)));
  disk.failWhen(({ index }) => {
    if (index < call) return undefined;
    queueMicrotask(() => lifetime.end());
    return how === 'in' ? 'io' : undefined;
  });
  const lived = life(lifetime).then(
    () => !lifetime.alive,
    (error) => (error instanceof DiskError ? died : Promise.reject(error)),
  );
  const result = await Promise.race([lived, died]);
  disk.failWhen(undefined);
  return result;
}
