/**
 * An application for simulations of ordering alone: payloads are invented chunk ids, execution is a hash over the chain, and the
 * ledger is a KeyValue that may crash. Checks and execution take a random time.
 */
import type { Application, Archive, PayloadVerdict } from '@slipstream/consensus';
import type { KeyValue } from '@slipstream/ports';
import { concatBytes, sha256, uint64le, utf8 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import {
  asId,
  type Block,
  type BlockId,
  blockCodec,
  blockIdOf,
  type Certificate,
  type ChunkId,
  certificateCodec,
  hexOf,
  type StateDigest,
} from '@slipstream/types';

export interface OrderingOptions {
  /** Longest time that checking a payload and executing a block take, ms. */
  readonly checkMsMax: number;
  readonly executeMsMax: number;
  /** Whether there is always something to include. */
  readonly busy: boolean;
  /** Gives another digest than everybody else: a broken executor. */
  readonly diverges?: boolean;
}

export interface Root {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly certificate: Certificate | undefined;
}

export interface OrderingApplication extends Application {
  readonly archive: Archive;
  readonly root: Root;
  /** Called when a block is durably committed. */
  onCommitted(listener: (block: Block) => void): void;
}

const TIP = utf8('tip');
const heightKey = (height: number) => concatBytes(utf8('h'), uint64le(height).reverse());
const idKey = (id: BlockId) => concatBytes(utf8('i'), id);

interface Entry {
  readonly block: Block;
  readonly certificate: Certificate;
}

function encodeEntry({ block, certificate }: Entry): Uint8Array {
  const blockBytes = blockCodec.encode(block);
  return concatBytes(uint64le(blockBytes.length), blockBytes, certificateCodec.encode(certificate));
}

function decodeEntry(bytes: Uint8Array): Entry {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  const block = blockCodec.decode(bytes.subarray(8, 8 + length));
  const certificate = certificateCodec.decode(bytes.subarray(8 + length));
  if (!block.ok || !certificate.ok) throw new Error('the simulated ledger is damaged');
  return { block: block.value, certificate: certificate.value };
}

/** The digest of a block is a hash of its ancestry: equal for all who executed the same chain. */
function digestOf(block: Block, blockId: BlockId, diverges: boolean): StateDigest {
  return asId<StateDigest>(sha256(concatBytes(blockId, block.parentId, new Uint8Array([diverges ? 1 : 0]))));
}

export async function createOrderingApplication(
  world: NodeWorld,
  genesis: Root,
  options: OrderingOptions,
): Promise<OrderingApplication> {
  const store: KeyValue = world.keyValue('ledger');
  const { clock, random } = world;
  const listeners: ((block: Block) => void)[] = [];
  const tip = await store.get(TIP);
  const stored =
    tip && (await store.get(heightKey(Number(new DataView(tip.buffer, tip.byteOffset, 8).getBigUint64(0, true)))));
  const last = stored && decodeEntry(stored);
  const root: Root = last ? { ...last, blockId: blockIdOf(last.block) } : genesis;
  let writing: Promise<void> = Promise.resolve();

  function sleep(msMax: number): Promise<void> {
    return new Promise((resolve) => clock.after(random.unit() * msMax, resolve));
  }

  async function entryAt(height: number): Promise<Entry | undefined> {
    const bytes = await store.get(heightKey(height));
    return bytes && decodeEntry(bytes);
  }

  function commit(blockId: BlockId, block: Block, certificate: Certificate): void {
    const bytes = encodeEntry({ block, certificate });
    writing = writing.then(() =>
      store.batch(
        [
          { type: 'put', key: heightKey(block.height), value: bytes },
          { type: 'put', key: idKey(blockId), value: bytes },
          { type: 'put', key: TIP, value: uint64le(block.height) },
        ],
        { sync: true },
      ),
    );
    void writing.then(() => {
      for (const listener of listeners) listener(block);
    });
  }

  return {
    root,
    onCommitted(listener) {
      listeners.push(listener);
    },
    async buildPayload() {
      await sleep(options.checkMsMax);
      const chunkId = asId<ChunkId>(random.bytes(32));
      return options.busy ? [{ chunkId, certificate: undefined }] : [];
    },
    async checkPayload(): Promise<PayloadVerdict> {
      await sleep(options.checkMsMax);
      return { type: 'valid' };
    },
    async execute(blockId, block) {
      await sleep(options.executeMsMax);
      return digestOf(block, blockId, options.diverges === true);
    },
    finalized(blockId, block, certificate) {
      world.lifetime.alive && noteFinal(blockId, block);
      commit(blockId, block, certificate);
    },
    certified() {},
    hasPending: () => options.busy,
    archive: {
      async blockById(id) {
        const bytes = await store.get(idKey(id));
        return bytes && decodeEntry(bytes).block;
      },
      async finalizedRange(from, to, limit) {
        const entries: Entry[] = [];
        for (let at = from; at <= to && entries.length < limit; at++) {
          const entry = await entryAt(at);
          if (!entry) break;
          entries.push(entry);
        }
        // The stored certificate may be a descendant's: cut the range where it ends in one of its own.
        while (entries.length > 0 && !vouches(entries[entries.length - 1] as Entry)) entries.pop();
        const certificate = entries[entries.length - 1]?.certificate;
        return { blocks: entries.map(({ block }) => block), certificates: certificate ? [certificate] : [] };
      },
      chunkById: async () => undefined,
    },
  };

  function noteFinal(blockId: BlockId, block: Block): void {
    world.telemetry.event('application.finalized', { height: block.height, blockId: hexOf(blockId) });
  }
}

function vouches({ block, certificate }: Entry): boolean {
  const { subject } = certificate;
  return subject.kind !== 'nullify' && subject.view === block.view;
}
