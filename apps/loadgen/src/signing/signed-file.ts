/**
 * File of transactions signed in advance, perhaps on another machine, for a given start time.
 *
 *   one line of JSON (SignedFileHead) | per transaction: length u32 | bytes
 *
 * Integers are little-endian. The transactions hold their expiries, so a file is usable from its start until some seconds later.
 */
import { open, readFile } from 'node:fs/promises';
import { to0x, uint32le } from '@slipstream/primitives';
import { transactionCodec, transactionIdInBytes } from '@slipstream/types';
import { LoadError } from '../errors.ts';
import { packSigned, type SignedBatch, signedAt } from './signed-batch.ts';

interface SignedFileHead {
  readonly seed: string;
  readonly genesisHash: string;
  readonly transactionsPerSecond: number;
  readonly seconds: number;
  /** ms since 1970 at which the first one is to be sent. */
  readonly startMs: number;
}

const FORMAT = 'slipstream-signed-1';
const HEAD_BYTES_MAX = 4_096;
const LENGTH_BYTES = 4;
const NEWLINE = 10;

export async function writeSignedFile(
  path: string,
  head: SignedFileHead,
  batches: readonly SignedBatch[],
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(`${JSON.stringify({ format: FORMAT, ...head })}\n`);
    for (const batch of batches) {
      const parts: Uint8Array[] = [];
      for (let index = 0; index < batch.count; index++) {
        const { bytes } = signedAt(batch, index);
        parts.push(uint32le(bytes.length), bytes);
      }
      await file.write(Buffer.concat(parts));
    }
  } finally {
    await file.close();
  }
}

/** Throws LoadError `signed-file` for another format or a damaged file. */
export async function readSignedFile(
  path: string,
): Promise<{ readonly head: SignedFileHead; readonly batch: SignedBatch }> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new LoadError('signed-file', `cannot read ${path}: ${String(cause)}`, { path }, cause);
  });
  const headEnd = bytes.subarray(0, HEAD_BYTES_MAX).indexOf(NEWLINE);
  const head = headEnd === -1 ? undefined : parseHead(bytes.subarray(0, headEnd).toString('utf8'));
  if (head === undefined) {
    throw new LoadError('signed-file', `${path} holds no signed transactions: make it with --sign-to`, { path });
  }
  const parts = [];
  for (let at = headEnd + 1; at < bytes.length; ) {
    const end =
      at + LENGTH_BYTES <= bytes.length ? at + LENGTH_BYTES + bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    const serialized = end <= bytes.length ? new Uint8Array(bytes.subarray(at + LENGTH_BYTES, end)) : undefined;
    const decoded = serialized && transactionCodec.decode(serialized);
    if (!serialized || !decoded?.ok) {
      const message = `${path} is damaged at byte ${at}, after ${parts.length} transactions: sign again`;
      throw new LoadError('signed-file', message, { path, at });
    }
    const { expiryMs } = decoded.value.body;
    parts.push({ bytes: serialized, id: transactionIdInBytes(serialized), expiryMs });
    at = end;
  }
  return { head, batch: packSigned(parts) };
}

/** With a later start the first ones may expire before a slow chain includes them. */
const LATE_MS_MAX = 15_000;

/** Ms to wait for the file's start. Throws LoadError `signed-file` for another chain or a start too long ago. */
export function waitForStartMs(head: SignedFileHead, genesisHash: Uint8Array, wallMs: number): number {
  if (head.genesisHash !== to0x(genesisHash)) {
    throw new LoadError(
      'signed-file',
      `the file is for the chain ${head.genesisHash}, not ${to0x(genesisHash)}: sign for this one`,
    );
  }
  if (wallMs > head.startMs + LATE_MS_MAX) {
    const late = Math.round((wallMs - head.startMs) / 1_000);
    throw new LoadError(
      'signed-file',
      `the file was signed for a start ${late} s ago: sign again, with a later --start-in`,
    );
  }
  return Math.max(0, head.startMs - wallMs);
}

function parseHead(line: string): SignedFileHead | undefined {
  try {
    const { format, ...head } = JSON.parse(line) as SignedFileHead & { readonly format: unknown };
    const numbers = [head.transactionsPerSecond, head.seconds, head.startMs];
    const fits = format === FORMAT && numbers.every((value) => Number.isFinite(value) && value > 0);
    return fits && typeof head.genesisHash === 'string' && typeof head.seed === 'string' ? head : undefined;
  } catch {
    return undefined;
  }
}
