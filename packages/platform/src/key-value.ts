/**
 * The real key-value store: LevelDB, through classic-level.
 *
 * Source: github.com/google/leveldb, doc/index.md: batches are atomic; a synced write survives a power loss with all earlier ones; keys
 * compare byte by byte.
 */
import { DiskError, type DiskErrorCode, type KeyValue } from '@slipstream/ports';
import { ClassicLevel } from 'classic-level';
import { systemCodeOf } from './disk-errors.ts';
import { WHAT_TO_DO } from './level-damage.ts';

interface KeyValueOptions {
  /** For this store alone, created when missing. */
  readonly location: string;
  /** Several threads of this process open the same location. */
  readonly shared?: boolean;
  /** Memory for read blocks. Default: LevelDB's 8 MiB. */
  readonly cacheBytes?: number;
}

export interface LevelStore extends KeyValue {
  /** Numbers of the current tables, which are durable and never change. */
  tablesInUse(): ReadonlySet<number>;
}

/**
 * LevelDB flushes after this many bytes, which keeps disk and processor busy. All nodes write the same data, so with one size all would
 * flush at the same block and stop the quorum. Each node chooses a random size.
 */
const WRITE_BUFFER_BYTES_MIN = 4 * 1024 * 1024;

const CODES: Readonly<Record<string, DiskErrorCode>> = {
  LEVEL_LOCKED: 'permission',
  LEVEL_CORRUPTION: 'damaged',
  LEVEL_DATABASE_NOT_OPEN: 'closed',
  LEVEL_ITERATOR_NOT_OPEN: 'closed',
};

/**
 * Opens or creates a store. Rejects with DiskError `permission` when another process has it open, and `damaged`. LevelDB checks few checksums, so
 * the first opener of a location uses openSealed instead.
 */
export async function openKeyValue({ location, shared = false, cacheBytes }: KeyValueOptions): Promise<LevelStore> {
  // The constructor starts to open the store.
  const level = new ClassicLevel<Uint8Array, Uint8Array>(location, { keyEncoding: 'view', valueEncoding: 'view' });

  async function call<T>(operation: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (cause) {
      throw asDiskError(cause, operation, location);
    }
  }

  const cache = cacheBytes === undefined ? {} : { cacheSize: cacheBytes };
  const writeBufferSize = Math.round(WRITE_BUFFER_BYTES_MIN * (1 + Math.random()));
  await call('open', () => level.open({ multithreading: shared, writeBufferSize, ...cache }));

  return {
    get: (key) => call('get', async () => plain(await level.get(key))),
    getMany: (keys) => call('get', async () => (await level.getMany([...keys])).map(plain)),
    batch: (operations, { sync = false } = {}) =>
      call('batch', () =>
        level.batch(
          operations.map((operation) =>
            operation.type === 'put'
              ? { type: 'put' as const, key: operation.key, value: operation.value }
              : { type: 'del' as const, key: operation.key },
          ),
          { sync },
        ),
      ),
    range: ({ from, to, limit, reverse = false }) =>
      call('range', async () => {
        const entries = await level.iterator({ gte: from, lt: to, limit, reverse }).all();
        return entries.map(([key, value]) => ({ key: plain(key), value: plain(value) }));
      }),
    tablesInUse: () => tablesIn(level.getProperty('leveldb.sstables')),
    close: () => call('close', () => level.close()),
  };
}

/** Parses LevelDB's description, one line per table: " 17:2101322['first key' @ 5 : 1 .. 'last key' @ 9 : 1]". Keys have no line breaks. */
function tablesIn(description: string): ReadonlySet<number> {
  return new Set([...description.matchAll(/^ ([0-9]+):[0-9]+\[/gm)].map(([, number]) => Number(number)));
}

/** Data that another process is writing may look damaged. LevelDB takes the lock first and changes no existing store. */
export async function rejectIfLocked(location: string): Promise<void> {
  try {
    await new ClassicLevel(location, { createIfMissing: false, errorIfExists: true }).open();
  } catch (cause) {
    const error = asDiskError(cause, 'open', location);
    if (error.code === 'permission') throw error;
  }
}

/** `slice` of the addon's Buffers shares memory; a Uint8Array's copies. */
function plain<T extends Uint8Array | undefined>(bytes: T): T | Uint8Array {
  return bytes === undefined ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The inner cause often holds the reason (LEVEL_LOCKED in LEVEL_DATABASE_NOT_OPEN). */
function asDiskError(cause: unknown, operation: string, location: string): DiskError {
  const inner: unknown = cause instanceof Error ? cause.cause : undefined;
  const systemCode = systemCodeOf(inner) || systemCodeOf(cause);
  const reasons = [cause, inner].flatMap((each) => (each instanceof Error ? [each.message] : []));
  const code = CODES[systemCode] ?? 'io';
  const message = `${operation} of the store in ${location} failed: ${reasons.join(': ')}`;
  const text = code === 'damaged' ? `${message}. ${WHAT_TO_DO}` : message;
  return new DiskError(code, text, { location, systemCode }, cause);
}
