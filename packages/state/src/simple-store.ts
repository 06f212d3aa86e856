/**
 * The store in its first form: one file of committed batches, a Map in memory. Replaced by the logs of state.md.
 *
 *   file: batch | batch | ...      batch: length, block, records, SHA-256(previous checksum || all before)
 */
import type { DiskFile } from '@slipstream/ports';
import {
  bytesEqual,
  compareBytes,
  concatBytes,
  fromHex,
  fromUtf8,
  sha256,
  toHex,
  uint32le,
  utf8,
} from '@slipstream/primitives';
import { StateError } from './errors.ts';
import type { StateComponents, StateOptions } from './open.ts';
import type { Batch, Recovered, StateStore, StateTip, StateView } from './store.ts';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from './store.ts';

interface Overlay {
  readonly parent: string;
  readonly batch: number;
  readonly checksum: Uint8Array;
  readonly bytes: Uint8Array;
  readonly writes: Map<string, Uint8Array | undefined>;
  dropped: boolean;
}

function encode(batch: Batch): { bytes: Uint8Array; writes: Map<string, Uint8Array | undefined> } {
  const writes = new Map<string, Uint8Array | undefined>();
  const parts: Uint8Array[] = [];
  for (const [index, { key, value }] of batch.entries()) {
    const id = toHex(key);
    const fits = key.length >= 1 && key.length <= KEY_BYTES_MAX && (value?.length ?? 0) <= VALUE_BYTES_MAX;
    if (!fits || writes.has(id)) throw new StateError('bad-batch', `write ${index} is not allowed`, { index });
    writes.set(id, value?.slice());
    parts.push(uint32le(key.length), uint32le(value === undefined ? 0xffffffff : value.length), key);
    if (value !== undefined) parts.push(value);
  }
  return { bytes: concatBytes(...parts), writes };
}

function decode(bytes: Uint8Array): Map<string, Uint8Array | undefined> {
  const writes = new Map<string, Uint8Array | undefined>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const keyBytes = view.getUint32(at, true);
    const valueBytes = view.getUint32(at + 4, true);
    const key = toHex(bytes.subarray(at + 8, at + 8 + keyBytes));
    at += 8 + keyBytes;
    writes.set(key, valueBytes === 0xffffffff ? undefined : bytes.slice(at, at + valueBytes));
    if (valueBytes !== 0xffffffff) at += valueBytes;
  }
  return writes;
}

function frame(previous: Uint8Array, block: string, bytes: Uint8Array): Uint8Array {
  const name = utf8(block);
  const head = concatBytes(uint32le(name.length), uint32le(bytes.length), name, bytes);
  return concatBytes(head, sha256(concatBytes(previous, head)));
}

export async function openSimpleStore(
  { disk }: StateComponents,
  { directory, genesisHash, genesisBlock, genesisBatch }: StateOptions,
): Promise<{ store: StateStore; recovered: Recovered }> {
  await disk.makeDirectory(directory);
  const path = `${directory}/batches`;
  const genesis = encode([...(genesisBatch ?? [])]);
  const state = new Map(genesis.writes) as Map<string, Uint8Array>;
  const overlays = new Map<string, Overlay>();
  const appended: string[] = [];
  const created = (await disk.size(path)) === undefined;
  const file: DiskFile = await disk.open(path, { create: true });
  if (created) await disk.syncDirectory(directory);
  let tip: StateTip = { batch: 0, checksum: sha256(concatBytes(genesisHash, genesis.bytes)), block: genesisBlock };
  let end = 0;
  let closed = false;

  function fold(writes: Map<string, Uint8Array | undefined>): void {
    for (const [key, value] of writes) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
  }

  async function replay(): Promise<number> {
    const size = await file.size();
    while (size - end >= 40) {
      const head = await file.read(end, 8);
      const lengths = new DataView(head.buffer, head.byteOffset, 8);
      const nameBytes = lengths.getUint32(0, true);
      const bytes = lengths.getUint32(4, true);
      const total = 8 + nameBytes + bytes + 32;
      if (total > size - end) break;
      const all = await file.read(end, total);
      const checksum = all.slice(total - 32);
      if (!bytesEqual(checksum, sha256(concatBytes(tip.checksum, all.subarray(0, total - 32))))) break;
      fold(decode(all.subarray(8 + nameBytes, total - 32)));
      tip = { batch: tip.batch + 1, checksum, block: fromUtf8(all.subarray(8, 8 + nameBytes)) };
      end += total;
    }
    if (size > end) await file.truncate(end);
    return size - end;
  }

  function forget(block: string): void {
    const overlay = overlays.get(block);
    if (overlay === undefined) return;
    overlay.dropped = true;
    overlays.delete(block);
    for (const [child, { parent }] of [...overlays]) if (parent === block) forget(child);
  }

  function need(block: string): Overlay {
    const overlay = overlays.get(block);
    if (overlay === undefined) throw new StateError('unknown-block', `block ${block} is not prepared`, { block });
    return overlay;
  }

  function read(block: string, id: string): Uint8Array | undefined {
    for (let at = block; at !== tip.block; ) {
      const overlay = overlays.get(at);
      if (overlay === undefined) throw new StateError('stale-view', `block ${at} is gone`, { block });
      if (overlay.writes.has(id)) return overlay.writes.get(id)?.slice();
      at = overlay.parent;
    }
    return state.get(id)?.slice();
  }

  function view(block: string): StateView {
    if (block !== tip.block) need(block);
    return { get: (key) => read(block, toHex(key)) };
  }

  function prepare(parent: string, block: string, batch: Batch) {
    if (overlays.has(block) || block === tip.block) {
      throw new StateError('already-prepared', `block ${block} is prepared already`, { block });
    }
    const below = parent === tip.block ? tip : need(parent);
    const { bytes, writes } = encode(batch);
    const framed = frame(below.checksum, block, bytes);
    const checksum = framed.slice(framed.length - 32);
    overlays.set(block, { parent, batch: below.batch + 1, checksum, bytes: framed, writes, dropped: false });
    return { checksum, bytes: framed.length };
  }

  async function append(block: string): Promise<void> {
    const overlay = need(block);
    if (overlay.parent !== (appended.at(-1) ?? tip.block)) {
      throw new StateError('out-of-order', `the parent of ${block} is not the last appended block`, { block });
    }
    appended.push(block);
  }

  async function commit(block: string): Promise<void> {
    const overlay = need(block);
    if (appended[0] !== block)
      throw new StateError('out-of-order', `${block} is not the oldest pending block`, { block });
    await file.write(end, [overlay.bytes]);
    await file.sync();
    end += overlay.bytes.length;
    appended.shift();
    fold(overlay.writes);
    overlays.delete(block);
    for (const [rival, { parent }] of [...overlays]) if (parent === tip.block) forget(rival);
    tip = { batch: overlay.batch, checksum: overlay.checksum, block };
  }

  async function revert(block: string): Promise<void> {
    const at = appended.indexOf(block);
    if (at >= 0) appended.length = at;
    forget(block);
  }

  const cut = await replay();
  const store: StateStore = {
    get tip() {
      return tip;
    },
    get: (key) => state.get(toHex(key))?.slice(),
    view,
    prepare,
    append,
    commit,
    revert,
    drop: forget,
    pending: () => [...appended],
    stats: () => ({
      keys: state.size,
      liveBytes: end,
      deadBytes: 0,
      files: 1,
      indexBytes: 0,
      prepared: overlays.size,
      pending: appended.length,
    }),
    entries: (from, limit) =>
      [...state]
        .map(([key, value]) => ({ key: fromHex(key), value: value.slice() }))
        .filter(({ key }) => from === undefined || compareBytes(key, from) >= 0)
        .sort((a, b) => compareBytes(a.key, b.key))
        .slice(0, limit),
    verify: async () => ({ files: 1, bytes: end, faults: [] }),
    async close() {
      if (closed) return;
      closed = true;
      await file.close();
    },
  };
  const cuts = cut > 0 ? [{ file: path, offset: end, bytes: cut, reason: 'uncommitted' as const }] : [];
  return { store, recovered: { batch: tip.batch, block: tip.block, created, cut: cuts } };
}
