import type { KeyValue } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import {
  checkProofStructure,
  createCommittee,
  GENESIS_EPOCH,
  inclusionProofCodec,
  receiptCodec,
  type StateCertificate,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createLedgerReader, type LedgerBlock, type LedgerReader, transactionIdOfReceipt } from '../src/index.ts';
import { keyOf, uint64be } from '../src/keys.ts';
import {
  account,
  chainOf,
  childOf,
  commitAll,
  createStore,
  finalization,
  GENESIS_HASH,
  genesisLink,
  type Link,
  ledgerWith,
  nullification,
  open,
  peerKey,
  START_MS,
  stateCertificate,
  transactionId,
} from './builders.ts';

const committee = createCommittee(
  [0, 1, 2, 3].map((index) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerKey(index) })),
);

describe('transactions', () => {
  it('reads the transaction id from its place in a receipt', () => {
    const [receipt] = childOf(genesisLink(), { transactions: ['pinned'] }).receipts;
    expect(transactionIdOfReceipt(receipt as Uint8Array)).toEqual(transactionId('pinned'));
  });

  it('finds a transaction by its id with its receipt', async () => {
    const ledger = await open(createStore());
    const genesis = genesisLink();
    const first = childOf(genesis, { transactions: ['a', 'b', 'c'] });
    await commitAll(ledger, [genesis, first]);
    const found = await ledger.transaction(transactionId('b'));
    expect(found).toMatchObject({ height: 1, index: 1, blockId: first.blockId });
    expect(found?.receipt).toEqual(receiptCodecOf(first.receipts[1]));
    expect(await ledger.transaction(transactionId('nothing'))).toBeUndefined();
  });

  it('pages through an account newest first, without gaps or repeats', async () => {
    const ledger = await open(createStore());
    const chain: Link[] = [genesisLink()];
    for (let i = 0; i < 5; i++) {
      chain.push(childOf(chain[i] as Link, { transactions: [`${i}/0`, `${i}/1`, `${i}/2`] }));
    }
    await commitAll(ledger, chain);
    const seen: string[] = [];
    for (let before: { height: number; index: number } | undefined, more = true; more; ) {
      const page = await ledger.accountTransactions(account('alice'), before ? { before, limit: 4 } : { limit: 4 });
      seen.push(...page.entries.map(({ height, index }) => `${height}/${index}`));
      before = page.next;
      more = page.next !== undefined;
    }
    const expected = [5, 4, 3, 2, 1].flatMap((at) => [`${at}/2`, `${at}/1`, `${at}/0`]);
    expect(seen).toEqual(expected);
  });

  it('pages through blocks newest first', async () => {
    const { ledger } = await ledgerWith(6);
    const first = await ledger.blocks({ limit: 4 });
    expect(first.blocks.map(({ block }) => block.height)).toEqual([6, 5, 4, 3]);
    const second = await ledger.blocks({ before: first.next ?? 0, limit: 4 });
    expect(second.blocks.map(({ block }) => block.height)).toEqual([2, 1, 0]);
    expect(second.next).toBeUndefined();
  });
});

describe('a block that is removed while its height is read', () => {
  /** Runs `meanwhile` right after the first read of a height, before the block under it is asked for. */
  function readerOf(keyValue: KeyValue, meanwhile: () => Promise<unknown>): LedgerReader {
    let done = false;
    async function after<T>(key: Uint8Array, read: Promise<T>): Promise<T> {
      const found = await read;
      if (done || key[0] !== keyOf('height')[0]) return found;
      done = true;
      await meanwhile();
      return found;
    }
    return createLedgerReader({
      ...keyValue,
      get: (key) => after(key, keyValue.get(key)),
      range: (range) => after(range.from, keyValue.range(range)),
    });
  }

  /** Heights 0 to 5, of which all but the last may be pruned. */
  async function sparse() {
    const store = createStore();
    const ledger = await open(store);
    const chain: Link[] = [genesisLink()];
    for (let at = 1; at <= 5; at++) {
      chain.push(childOf(chain[at - 1] as Link, { timestampMs: START_MS + at * 100_000 }));
    }
    await commitAll(ledger, chain);
    return { ledger, chain, keyValue: store.mount() };
  }

  const heights = (blocks: readonly LedgerBlock[]): readonly number[] => blocks.map(({ block }) => block.height);
  const reads: readonly [string, (reader: LedgerReader) => Promise<readonly number[]>, readonly number[]][] = [
    ['by height', async (reader) => heights([await reader.block({ height: 1 })].filter((found) => !!found)), []],
    ['in a page', async (reader) => heights((await reader.blocks({ limit: 10 })).blocks), [5, 4, 3, 0]],
    ['with receipts', async (reader) => heights(await reader.blocksWithReceipts(1, 5)), []],
    ['in a range', async (reader) => (await reader.finalizedRange(1, 5)).blocks.map(({ height }) => height), []],
  ];

  it.each(reads)('is reported as absent when it was pruned meanwhile: %s', async (_, read, left) => {
    const { ledger, keyValue } = await sparse();
    expect(await read(readerOf(keyValue, () => ledger.pruneBelow(3)))).toEqual(left);
  });

  it('is read with its receipts in a row, at most as many as asked for, and none above the tip', async () => {
    const { chain, keyValue } = await sparse();
    const reader = createLedgerReader(keyValue);
    const read = await reader.blocksWithReceipts(2, 3);
    expect(heights(read)).toEqual([2, 3, 4]);
    expect(read.map(({ receipts }) => receipts)).toEqual(chain.slice(2, 5).map(({ receipts }) => receipts));
    expect(heights(await reader.blocksWithReceipts(4, 64))).toEqual([4, 5]);
  });

  it('is reported as damage when the height still names it and its receipts are missing', async () => {
    const { chain, keyValue } = await sparse();
    const { blockId, receipts } = chain[4] as Link;
    await keyValue.batch([{ type: 'delete', key: keyOf('body', blockId) }]);
    const reader = createLedgerReader(keyValue);
    const damage = { code: 'corrupt', data: { table: 'body' } };
    await expect(reader.receipts(4)).rejects.toMatchObject(damage);
    await expect(reader.blocksWithReceipts(3, 3)).rejects.toMatchObject(damage);
    await expect(reader.transaction(transactionIdOfReceipt(receipts[0] as Uint8Array))).rejects.toMatchObject(damage);
  });

  it.each(reads)('is reported as damage when the height still names it: %s', async (_, read) => {
    const { chain, keyValue } = await sparse();
    const key = keyOf('block', (chain[1] as Link).blockId);
    const reader = readerOf(keyValue, () => keyValue.batch([{ type: 'delete', key }]));
    await expect(read(reader)).rejects.toMatchObject({ code: 'corrupt', data: { table: 'block' } });
  });
});

function receiptCodecOf(bytes: Uint8Array | undefined) {
  const decoded = receiptCodec.decode(bytes ?? new Uint8Array(0));
  return decoded.ok ? decoded.value : undefined;
}

describe('inclusion proofs', () => {
  it('prove each receipt of a block against its own state certificate', async () => {
    const ledger = await open(createStore());
    const genesis = genesisLink();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await commitAll(ledger, [genesis, childOf(genesis, { transactions: names })]);
    for (const name of names) {
      const proof = await ledger.inclusionProof(transactionId(name));
      if (proof === undefined) throw new Error('no proof');
      expect(checkProofStructure(proof, GENESIS_HASH, committee).ok).toBe(true);
      expect(inclusionProofCodec.decode(inclusionProofCodec.encode(proof))).toEqual({ ok: true, value: proof });
    }
  });

  it('reach up to the smallest certified height, also before the blocks in between are committed', async () => {
    const chain = chainOf(4);
    const ledger = await open(createStore());
    await commitAll(ledger, chain.slice(0, 2));
    const [second, third, fourth] = chain.slice(2) as [Link, Link, Link];
    await ledger.putBlock(second);
    const above: StateCertificate = stateCertificate(fourth);
    await ledger.commit(second.blockId, {
      preimages: [second.preimage, third.preimage, fourth.preimage],
      certificate: above,
      finalization: undefined,
    });
    const proof = await ledger.inclusionProof(transactionId('transaction of 2'));
    expect(proof?.preimages.map(({ height }) => height)).toEqual([2, 3, 4]);
    if (proof === undefined) throw new Error('no proof');
    expect(checkProofStructure(proof, GENESIS_HASH, committee).ok).toBe(true);
    expect(await ledger.block({ height: 3 })).toBeUndefined();
    expect(await ledger.proofMaterial(3)).toBeUndefined();
  });

  it('do not exist before a state certificate exists', async () => {
    const chain = chainOf(1);
    const ledger = await open(createStore());
    await commitAll(ledger, chain.slice(0, 1));
    const first = chain[1] as Link;
    await ledger.putBlock(first);
    await ledger.commit(first.blockId, {
      preimages: [first.preimage],
      certificate: undefined,
      finalization: undefined,
    });
    expect(await ledger.inclusionProof(transactionId('transaction of 1'))).toBeUndefined();
    await ledger.putCertificates([stateCertificate(first)]);
    expect(await ledger.inclusionProof(transactionId('transaction of 1'))).toBeDefined();
  });
});

describe('serving sync', () => {
  it('gives certificates by view and by height', async () => {
    const { ledger, chain } = await ledgerWith(2);
    await ledger.putCertificates([nullification(5)]);
    const kinds = (await ledger.certificatesByView(GENESIS_EPOCH, 1, 9)).map(
      ({ subject }) => `${subject.view} ${subject.kind}`,
    );
    expect(kinds).toEqual(['1 finalize', '1 certify', '2 finalize', '2 certify', '5 nullify']);
    expect(await ledger.certificates(2)).toEqual({
      stateCertificate: stateCertificate(chain[2] as Link),
      finalization: finalization(chain[2] as Link),
    });
  });

  it('ends a range of final blocks at a certified one', async () => {
    const chain = chainOf(5);
    const ledger = await open(createStore());
    await commitAll(ledger, chain.slice(0, 4));
    for (const link of chain.slice(4)) {
      await ledger.putBlock(link);
      await ledger.commit(link.blockId, {
        preimages: [link.preimage],
        certificate: undefined,
        finalization: undefined,
      });
    }
    const range = await ledger.finalizedRange(1, 5);
    expect(range.blocks.map(({ height }) => height)).toEqual([1, 2, 3]);
    expect(range.certificates).toEqual([stateCertificate(chain[3] as Link)]);
    expect(range.more).toBe(true);
    expect(await ledger.finalizedRange(9, 12)).toEqual({ blocks: [], certificates: [], more: false });
    expect((await ledger.finalizedRange(2, 3)).more).toBe(false);
  });

  it('sends the newest state certificate with a finalization: a node that is behind needs both to commit', async () => {
    const chain = chainOf(4);
    const ledger = await open(createStore());
    await commitAll(ledger, chain.slice(0, 3));
    for (const link of chain.slice(3)) {
      await ledger.putBlock(link);
      const final = finalization(link);
      await ledger.commit(link.blockId, { preimages: [link.preimage], certificate: undefined, finalization: final });
    }
    const range = await ledger.finalizedRange(1, 4);
    expect(range.blocks.length).toBe(4);
    expect(range.certificates).toEqual([finalization(chain[4] as Link), stateCertificate(chain[2] as Link)]);
  });

  it('cuts a range to the largest response', async () => {
    const { ledger } = await ledgerWith(70);
    const range = await ledger.finalizedRange(1, 1000);
    expect(range.blocks.length).toBe(64);
    expect(range.more).toBe(true);
  });
});

describe('recent blocks', () => {
  it('are the blocks since a block time, with the ids that they executed', async () => {
    const { ledger, chain } = await ledgerWith(130);
    const since = (chain[60] as Link).block.timestampMs;
    const recent = await ledger.recentBlocks(since);
    expect(recent.map(({ block }) => block.height)).toEqual(Array.from({ length: 71 }, (_, i) => i + 60));
    expect(recent[0]?.executedIds).toEqual([transactionId('transaction of 60')]);
    expect((await ledger.recentBlocks(0)).length).toBe(131);
  });

  it('are complete, or the missing one is named: its transactions could be executed again', async () => {
    for (const missing of [1, 5, 6, 69, 70]) {
      const store = createStore();
      await commitAll(await open(store), chainOf(70));
      const key = keyOf('height', uint64be(missing));
      await store.mount().batch([{ type: 'delete', key }]);
      const reader = createLedgerReader(store.mount());
      const data = { table: 'height', key: to0x(key.subarray(1)) };
      await expect(reader.recentBlocks(0)).rejects.toMatchObject({ code: 'corrupt', data });
    }
  });
});

describe('pruning', () => {
  it('removes blocks, receipts, indexes and certificates below a height, and leaves the rest whole', async () => {
    const store = createStore();
    const ledger = await open(store);
    const chain: Link[] = [genesisLink()];
    for (let i = 0; i < 8; i++) {
      const parent = chain[i] as Link;
      chain.push(childOf(parent, { timestampMs: parent.block.timestampMs + 61_000 }));
    }
    await commitAll(ledger, chain);
    expect(await ledger.pruneBelow(5)).toBe(4);
    expect(await ledger.tip()).toMatchObject({ height: 8, earliestHeight: 5 });
    expect(await ledger.block({ height: 4 })).toBeUndefined();
    expect(await ledger.transaction(transactionId('transaction of 4'))).toBeUndefined();
    expect(await ledger.certificatesByView(GENESIS_EPOCH, 0, 4)).toEqual([]);
    expect(await ledger.inclusionProof(transactionId('transaction of 5'))).toBeDefined();
    expect(await ledger.block({ height: 0 })).toBeDefined();
    expect((await ledger.accountTransactions(account('alice'), { limit: 50 })).entries.length).toBe(4);
    const fresh = createStore();
    await commitAll(await open(fresh), [chain[0] as Link]);
    expect(store.size - fresh.size).toBe(4 * (2 + 1 + 1 + 2 + 2));
  });

  it('retains the last 60 s of block time, which replay protection needs', async () => {
    const { ledger } = await ledgerWith(20);
    expect(await ledger.pruneBelow(15)).toBe(0);
    expect(await ledger.tip()).toMatchObject({ earliestHeight: 1 });
  });
});
