import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import { createRandom, createSimDisk, createSimKeyValue, type SimDisk, type SimKeyValue } from '@slipstream/simulator';
import { type ChunkFiles, type ChunkFilesOptions, type KeptChunk, openChunkFiles } from '../src/index.ts';

export const genesisHash = new Uint8Array(32).fill(7);
export const directory = 'chunk-files';

/** What survives a process. */
export interface Machine {
  readonly disk: SimDisk;
  readonly index: SimKeyValue;
  /** Lines at `warn` and `error`. */
  readonly logged: string[];
}

export function newMachine(seed: string | number = 1): Machine {
  return {
    disk: createSimDisk({ random: createRandom(`disk/${seed}`) }),
    index: createSimKeyValue({ random: createRandom(`index/${seed}`) }),
    logged: [],
  };
}

export function recordingTelemetry(logged: string[]): Telemetry {
  return {
    ...silentTelemetry,
    log(level, message) {
      if (level === 'warn' || level === 'error') logged.push(message);
    },
  };
}

export function open(
  { disk, index, logged }: Machine,
  options: Partial<ChunkFilesOptions> = {},
  seed: string | number = 1,
): Promise<ChunkFiles> {
  const random = createRandom(`files/${seed}`);
  const components = { disk: disk.mount(), index: index.mount(), random, telemetry: recordingTelemetry(logged) };
  return openChunkFiles(components, { directory, genesisHash, ...options });
}

/** Another machine with the same files and the same index; or with none. */
export async function copyOf({ disk, index }: Machine, { withIndex = true } = {}): Promise<Machine> {
  const copy = newMachine('copy');
  for (const path of disk.paths()) copy.disk.replaceContents(path, disk.contents(path) as Uint8Array);
  if (!withIndex) return copy;
  const entries = await index.mount().range({ from: new Uint8Array(0), to: new Uint8Array(33).fill(255), limit: 1e6 });
  const operations = entries.map(({ key, value }) => ({ type: 'put' as const, key, value }));
  await copy.index.mount().batch(operations, { sync: true });
  return copy;
}

export function chunkOf(number: number, bytes = 60): KeptChunk {
  const drawn = createRandom(`chunk/${number}`).bytes(bytes);
  return { chunkId: sha256(drawn), bytes: drawn };
}

/** Two of each height. */
export const blockOf = (height: number, bytes = 60): readonly KeptChunk[] => [
  chunkOf(2 * height, bytes),
  chunkOf(2 * height + 1, bytes),
];
