/** The ledger of ordering-application.ts, in a KeyValue: blocks by height and id, and the ends of epochs. */
import type { KeyValue, KeyValueOperation } from '@slipstream/ports';
import { concatBytes, uint32le, uint64le, utf8 } from '@slipstream/primitives';
import type { Archive } from '@slipstream/sync';
import {
  type Block,
  type BlockId,
  blockCodec,
  blockIdOf,
  type Certificate,
  certificateCodec,
  type EpochEnd,
} from '@slipstream/types';
import type { PayloadsOfNode } from './payloads.ts';

export interface Root {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly certificate: Certificate | undefined;
}

const TIP = utf8('tip');
const heightKey = (height: number) => concatBytes(utf8('h'), uint64le(height).reverse());
const endKey = (epoch: number) => concatBytes(utf8('e'), uint32le(epoch));
const idKey = (id: BlockId) => concatBytes(utf8('i'), id);

export interface Entry {
  readonly block: Block;
  readonly certificate: Certificate;
}

function encodeEntry({ block, certificate }: Entry): Uint8Array {
  const blockBytes = blockCodec.encode(block);
  return concatBytes(uint64le(blockBytes.length), blockBytes, certificateCodec.encode(certificate));
}

function readCount(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
}

function decodeEntry(bytes: Uint8Array): Entry {
  const length = readCount(bytes);
  const block = blockCodec.decode(bytes.subarray(8, 8 + length));
  const certificate = certificateCodec.decode(bytes.subarray(8 + length));
  if (!block.ok || !certificate.ok) throw new Error('the simulated ledger is damaged');
  return { block: block.value, certificate: certificate.value };
}

function encodeEnd({ block, fillers, certificate }: EpochEnd): Uint8Array {
  const entries = [block, ...fillers].map((each) => encodeEntry({ block: each, certificate }));
  return concatBytes(...entries.flatMap((bytes) => [uint64le(bytes.length), bytes]));
}

function decodeEnd(bytes: Uint8Array): EpochEnd {
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = readCount(bytes.subarray(at));
    entries.push(decodeEntry(bytes.subarray(at + 8, at + 8 + length)));
    at += 8 + length;
  }
  const [{ block, certificate }, ...fillers] = entries as [Entry, ...Entry[]];
  return {
    blockId: blockIdOf(block),
    block,
    fillers: fillers.map((filler) => filler.block),
    certificate: certificate as EpochEnd['certificate'],
  };
}

/** Of a block, with the end of the epoch that it is the last of. */
export function putsOf(blockId: BlockId, entry: Entry, end: EpochEnd | undefined): readonly KeyValueOperation[] {
  const { block } = entry;
  const bytes = encodeEntry(entry);
  const puts: KeyValueOperation[] = [
    { type: 'put', key: heightKey(block.height), value: bytes },
    { type: 'put', key: idKey(blockId), value: bytes },
    { type: 'put', key: TIP, value: uint64le(block.height) },
  ];
  return end === undefined ? puts : [...puts, { type: 'put', key: endKey(block.epoch), value: encodeEnd(end) }];
}

/** How an epoch ended; undefined: it has not. */
export async function readEnd(ledger: KeyValue, epoch: number): Promise<EpochEnd | undefined> {
  const bytes = await ledger.get(endKey(epoch));
  return bytes && decodeEnd(bytes);
}

/** Undefined: new chain. */
export async function readTip(ledger: KeyValue): Promise<Root | undefined> {
  const tip = await ledger.get(TIP);
  const stored = tip && (await ledger.get(heightKey(readCount(tip))));
  const entry = stored && decodeEntry(stored);
  return entry && { ...entry, blockId: blockIdOf(entry.block) };
}

/** Newest first, down to the first at or before this time. */
export async function readRecent(
  ledger: KeyValue,
  tip: Block,
  downToMs: number,
): Promise<readonly { readonly blockId: BlockId; readonly block: Block }[]> {
  const recent: { blockId: BlockId; block: Block }[] = [];
  for (let at: number = tip.height; at > 0; at--) {
    const stored = await ledger.get(heightKey(at));
    const block = stored && decodeEntry(stored).block;
    if (!block || block.timestampMs < downToMs) break;
    recent.push({ blockId: blockIdOf(block), block });
  }
  return recent;
}

export function createArchive(ledger: KeyValue, payloads: PayloadsOfNode): Archive {
  async function entryAt(height: number): Promise<Entry | undefined> {
    const bytes = await ledger.get(heightKey(height));
    return bytes && decodeEntry(bytes);
  }

  return {
    async blockById(id) {
      const bytes = await ledger.get(idKey(id));
      return bytes && decodeEntry(bytes).block;
    },
    async finalizedRange(from, to, limit) {
      const entries: Entry[] = [];
      for (let at = from; at <= to && entries.length < limit; at++) {
        const entry = await entryAt(at);
        if (!entry) break;
        entries.push(entry);
        const end = entry.block.next === undefined ? undefined : await readEnd(ledger, entry.block.epoch);
        if (end !== undefined) return upToEnd(entries, end);
      }
      // The stored certificate may be a descendant's: cut at the last block with its own.
      while (entries.length > 0 && !certifies(entries[entries.length - 1] as Entry)) entries.pop();
      const certificate = entries[entries.length - 1]?.certificate;
      return { blocks: entries.map(({ block }) => block), certificates: certificate ? [certificate] : [] };
    },
    chunkById: (id) => payloads.get(id),
  };
}

/** Of one epoch, with what proves its end. */
function upToEnd(entries: readonly Entry[], { fillers, certificate }: EpochEnd) {
  return { blocks: [...entries.map(({ block }) => block), ...fillers], certificates: [certificate] };
}

function certifies({ block, certificate }: Entry): boolean {
  const { subject } = certificate;
  return subject.kind !== 'nullify' && subject.view === block.view;
}
