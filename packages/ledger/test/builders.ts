/** A chain of blocks with receipts, digests that chain, and certificates with made-up signatures. */
import type { PeerKey } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { sha256, uint32le, utf8 } from '@slipstream/primitives';
import { createRandom, createSimKeyValue, type Lifetime, type SimKeyValue } from '@slipstream/simulator';
import {
  type AccountKey,
  accountKeyBytes,
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  type DigestPreimage,
  type Epoch,
  ed25519Account,
  type Finalization,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  height,
  merkleRoot,
  NO_RECORD,
  NO_UNITS,
  payloadRootOf,
  type RecordHash,
  receiptCodec,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
  type TransactionId,
  view,
} from '@slipstream/types';
import { createAccountLists, type ExecutedBlock, type Ledger, openLedger } from '../src/index.ts';

export const GENESIS_HASH = asId<GenesisHash>(sha256(utf8('ledger tests')));
export const START_MS = 1_700_000_000_000;

export interface Link extends ExecutedBlock {
  /** What `accounts` packs. */
  readonly touched: readonly (readonly AccountKey[])[];
  readonly preimage: DigestPreimage;
  readonly digest: StateDigest;
}

export function transactionId(name: string): TransactionId {
  return asId<TransactionId>(sha256(utf8(name)));
}

/** accountKeyBytes of a made-up account. */
export function account(name: string): Uint8Array {
  return accountKeyBytes(keyOf(name));
}

function keyOf(name: string): AccountKey {
  return ed25519Account(sha256(utf8(`account ${name}`)));
}

export interface BlockSpec {
  /** Transaction names; each touches the accounts `alice` and one of its own. */
  readonly transactions?: readonly string[];
  /** Of receipts, by transaction name. Default: none. */
  readonly outputs?: Readonly<Record<string, Uint8Array>>;
  readonly view?: number;
  readonly timestampMs?: number;
  readonly payload?: Block['payload'];
  readonly epoch?: Epoch;
  readonly next?: RecordHash;
  /** Sealed: what the digest names. Default: what the block names. */
  readonly sealed?: RecordHash;
}

function linkOf(block: Block, parentDigest: StateDigest, spec: BlockSpec): Link {
  const { transactions: names = [], outputs = {}, sealed = block.next } = spec;
  const blockId = blockIdOf(block);
  const receipts = names.map((name, index) =>
    receiptCodec.encode({
      transactionId: transactionId(name),
      outcome: { status: 'success' },
      output: outputs[name] ?? new Uint8Array(0),
      fee: 7n,
      units: NO_UNITS,
      height: block.height,
      index,
    }),
  );
  const preimage = {
    height: block.height,
    blockId,
    parentDigest,
    batchChecksum: sha256(blockId),
    stateRoot: sha256(sha256(blockId)),
    receiptsRoot: merkleRoot(receipts),
    transactionCount: receipts.length,
    next: sealed ?? NO_RECORD,
  };
  const touched = names.map((name) => [keyOf('alice'), keyOf(name)]);
  const lists = createAccountLists();
  for (const accounts of touched) lists.add(accounts);
  const accounts = lists.packed();
  return { blockId, block, receipts, accounts, touched, preimage, digest: stateDigestOf(GENESIS_HASH, preimage) };
}

export function genesisLink(): Link {
  return linkOf(genesisBlock(GENESIS_HASH, START_MS), asId<StateDigest>(new Uint8Array(32)), {});
}

export function childOf(parent: Link, spec: BlockSpec = {}): Link {
  const block: Block = {
    ...parent.block,
    epoch: spec.epoch ?? parent.block.epoch,
    view: view(spec.view ?? parent.block.view + 1),
    height: height(parent.block.height + 1),
    parentId: parent.blockId,
    parentView: parent.block.view,
    timestampMs: spec.timestampMs ?? parent.block.timestampMs + 100,
    payload: spec.payload ?? [],
    payloadRoot: payloadRootOf(spec.payload ?? []),
    next: spec.next,
  };
  return linkOf(block, parent.digest, { transactions: [`transaction of ${block.view}`], ...spec });
}

/** Genesis and `blocks` more. */
export function chainOf(blocks: number): readonly Link[] {
  const chain = [genesisLink()];
  for (let i = 0; i < blocks; i++) chain.push(childOf(chain[i] as Link));
  return chain;
}

export function stateCertificate(link: Link): StateCertificate {
  const { blockId, block, digest } = link;
  return {
    subject: {
      kind: 'certify',
      epoch: block.epoch,
      view: block.view,
      height: block.height,
      blockId,
      stateDigest: digest,
    },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96).fill(1),
  };
}

export function finalization(link: Link): Finalization {
  return {
    subject: { kind: 'finalize', epoch: link.block.epoch, view: link.block.view, blockId: link.blockId },
    signers: [0, 1, 3],
    aggregate: new Uint8Array(96).fill(2),
  };
}

export function nullification(at: number): Certificate {
  return {
    subject: { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(at) },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96),
  };
}

export function peerKey(number: number): PeerKey {
  return Array.from(sha256(uint32le(number)), (byte) => byte.toString(16).padStart(2, '0')).join('') as PeerKey;
}

export function createStore(seed = 1): SimKeyValue {
  return createSimKeyValue({ random: createRandom(seed) });
}

export function open(store: SimKeyValue, lifetime?: Lifetime, genesisHash = GENESIS_HASH): Promise<Ledger> {
  return openLedger({ keyValue: store.mount(lifetime), telemetry: silentTelemetry }, { genesisHash });
}

/** Puts and commits each, with its own certificates. */
export async function commitAll(ledger: Ledger, links: readonly Link[]): Promise<void> {
  for (const link of links) {
    await ledger.putBlock(link);
    const genesis = link.block.height === 0;
    await ledger.commit(link.blockId, {
      preimages: [link.preimage],
      certificate: genesis ? undefined : stateCertificate(link),
      finalization: genesis ? undefined : finalization(link),
    });
  }
}

export function idOf(link: Link | undefined): BlockId {
  if (link === undefined) throw new Error('no such block in the chain');
  return link.blockId;
}

export async function ledgerWith(
  blocks: number,
): Promise<{ readonly ledger: Ledger; readonly chain: readonly Link[] }> {
  const chain = chainOf(blocks);
  const ledger = await open(createStore());
  await commitAll(ledger, chain);
  return { ledger, chain };
}
