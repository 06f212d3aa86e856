/**
 * At the end of a run: every node's files against what clients sent and nodes reported.
 *
 *   N1  each transaction's receipt is in each ledger, once, at its place; balances are those of the transactions, and fees are the producers'
 *   N4  state store and ledger of a node agree: the tip's batch is the one whose checksum the ledger's digest has
 *   N5  what a node committed itself it also serves: blocks, digests, chunks, of which each transaction has its receipt
 *   N6  a ledger has the record of each epoch, and the end of each that it committed itself
 *   N7  each row of a broker is charged; each ledger has the record of each batch that ran
 */
import { rowIdOf } from '@slipstream/distilled';
import { readBalance } from '@slipstream/execution';
import { transactionIdOfReceipt } from '@slipstream/ledger';
import type { PeerKey } from '@slipstream/ports';
import { assert, bytesEqual, fromHex, toHex } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import {
  epoch as asEpoch,
  type Block,
  type BlockId,
  type ChunkId,
  chunkIdOf,
  height,
  hexOf,
  idFromHex,
  recordHashOf,
  signedChunkCodec,
  stateDigestOf,
  type TransactionId,
} from '@slipstream/types';
import { accountKeyOf } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import { idsIn } from '../disseminating.ts';
import { eachCharged } from './batches.ts';
import type { WholeNode, WholeRecord } from './record.ts';
import { ACCOUNTS, ADMINISTRATORS, BALANCE, feeAccountOf } from './stores.ts';

const SETTLED_WITHIN_MS = 15_000;
const EQUAL_WITHIN_MS = 30_000;
const READ_WITHIN_MS = 10_000;

/** Call when the clients have stopped and all faults have ended. */
export async function audit(cluster: Cluster, record: WholeRecord, indices = cluster.members): Promise<void> {
  const { simulation, until, peer } = cluster;
  const nowMs = () => EPOCH_MS + simulation.nowMs;
  await until(
    'N1: each accepted transaction has its receipt',
    () => record.waiting(nowMs()).length === 0,
    SETTLED_WITHIN_MS,
  );
  const hasRun = () => record.batches.open().length === 0;
  await until('N7: each row of the broker is charged', hasRun, SETTLED_WITHIN_MS);
  const target = Math.max(...record.blocks.keys());
  const isThere = () => indices.every((index) => record.node(peer(index)) && record.heightOf(peer(index)) >= target);
  await until(`every node commits height ${target}`, isThere, EQUAL_WITHIN_MS);
  assert(record.violations.length === 0, record.violations.slice(0, 3).join('; '));
  auditBatches(record);
  let done = 0;
  let failure: unknown;
  for (const index of indices) {
    const node = record.node(peer(index));
    assert(node !== undefined, `${index} is open`);
    auditNode(cluster, record, node, `node ${index}`, target).then(
      () => done++,
      (error: unknown) => {
        failure ??= error;
      },
    );
  }
  await until('all files are read', () => failure !== undefined || done === indices.length, READ_WITHIN_MS);
  if (failure !== undefined) throw failure;
}

async function auditNode(
  cluster: Cluster,
  record: WholeRecord,
  node: WholeNode,
  name: string,
  target: number,
): Promise<void> {
  const { chain } = cluster;
  await auditBlocks(record, node, name, target, chain.genesisHash);
  await auditEpochs(chain, record, node, name);
  const tip = await node.ledger.tip();
  const earliest = tip?.earliestHeight ?? 0;
  for (const [id, place] of record.places) {
    if (place.height < earliest) continue;
    const found = await node.ledger.transaction(idFromHex<TransactionId>(id));
    const isThere = found?.height === place.height && found.index === place.index;
    assert(isThere, `N1: ${name} has no receipt of ${id.slice(0, 8)} at height ${place.height}`);
  }
  await auditRecords(record, node, name, { earliest, target });
  const balances = balancesOf(cluster, record);
  for (const [account, balance] of balances) {
    const found = readBalance(node.state.get, accountKeyOf(account));
    assert(found === balance, `N1: on ${name} account ${account} has ${found}, its transactions give ${balance}`);
  }
  const { block, checksum } = node.state.tip;
  const found = await node.ledger.block({ id: idFromHex<BlockId>(block) });
  const preimage = found && (await node.ledger.preimage(found.block.height));
  const agrees = preimage !== undefined && bytesEqual(preimage.batchChecksum, checksum);
  assert(agrees, `N4: on ${name} the state is not that of the ledger's block`);
}

async function auditBlocks(
  record: WholeRecord,
  { ledger, chunks, begunAt }: WholeNode,
  name: string,
  target: number,
  genesisHash: Cluster['chain']['genesisHash'],
): Promise<void> {
  const earliest = (await ledger.tip())?.earliestHeight ?? 1;
  const counted = new Set<string>();
  for (let at = Math.max(1, earliest); at <= target; at++) {
    const found = await ledger.block({ height: at });
    const preimage = await ledger.preimage(height(at));
    const reported = record.blocks.get(at);
    assert(found !== undefined && preimage !== undefined, `N5: ${name} has block and digest of height ${at}`);
    const isSame =
      reported === undefined ||
      (hexOf(found.blockId) === hexOf(reported.blockId) &&
        hexOf(stateDigestOf(genesisHash, preimage)) === reported.stateDigest);
    assert(isSame, `N3: ${name} has another block or digest at height ${at}`);
    for (const receipt of (await ledger.receipts(at)) ?? []) {
      const id = toHex(transactionIdOfReceipt(receipt));
      assert(record.places.get(id)?.height === at, `N1: ${name} has a receipt of ${id.slice(0, 8)} at height ${at}`);
      assert(!counted.has(id), `N1: ${name} has two receipts of ${id.slice(0, 8)}`);
      counted.add(id);
    }
    if (at <= begunAt) continue;
    for (const { chunkId } of found.block.payload) {
      const chunk = await chunks.get(chunkId);
      assert(isChunk(chunkId, chunk), `N5: ${name} lacks a chunk of height ${at}`);
      checkReceipts(record, chunk, found.block);
    }
  }
}

/** Brokers offer rows again, which hides a true batch that execution passed over. */
function auditBatches({ batches, blocks, chunks }: WholeRecord): void {
  const byKey = new Map([...batches.all.values()].map((batch) => [batch.key, batch]));
  for (const [at, { chunkIds }] of blocks) {
    for (const key of chunkIds.flatMap((chunkId) => chunks.get(hexOf(chunkId))?.batchKeys ?? [])) {
      const id = byKey.get(key)?.id;
      if (id === undefined) continue;
      const ranAt = batches.ran.get(id)?.height ?? Number.POSITIVE_INFINITY;
      const hasExpired = batches.skips.some(
        (skip) => skip.id === id && skip.height === at && skip.reason === 'expired',
      );
      assert(ranAt <= at || hasExpired, `N7: batch ${id.slice(0, 8)} is in a chunk of height ${at}, and has not run`);
    }
  }
}

/** While files are read, other nodes may run batches whose rows ran before. */
async function auditRecords(
  { batches }: WholeRecord,
  { ledger }: WholeNode,
  name: string,
  { earliest, target }: { readonly earliest: number; readonly target: number },
): Promise<void> {
  for (const [id, { height: at, record }] of batches.ran) {
    if (at < earliest || at > target) continue;
    const found = await ledger.batchOfRow(rowIdOf(fromHex(id), 0));
    const isThere = found?.height === at && bytesEqual(found.records[found.index] ?? new Uint8Array(0), record);
    assert(isThere, `N7: ${name} lacks the record of batch ${id.slice(0, 8)} at height ${at}, or has another`);
  }
}

async function auditEpochs(
  { genesisHash }: Cluster['chain'],
  { seals, boundaries, blocks }: WholeRecord,
  { ledger, begunAt }: WholeNode,
  name: string,
): Promise<void> {
  for (const [epoch, at] of boundaries) {
    const record = await ledger.record(asEpoch(epoch + 1));
    const isSame = record && hexOf(recordHashOf(genesisHash, record)) === seals.get(epoch + 1)?.hash;
    assert(isSame === true, `N6: ${name} lacks the record of epoch ${epoch + 1}, or has another`);
    if (at <= begunAt) continue;
    const end = await ledger.epochEnd(asEpoch(epoch));
    const boundary = blocks.get(at);
    const isEnd = end && boundary && hexOf(end.blockId) === hexOf(boundary.blockId);
    assert(isEnd === true, `N6: ${name} lacks the end of epoch ${epoch}, or has another`);
  }
}

function isChunk(chunkId: ChunkId, bytes: Uint8Array | undefined): boolean {
  const chunk = bytes && signedChunkCodec.decode(bytes);
  return chunk?.ok === true && bytesEqual(chunkIdOf(chunk.value.header), chunkId);
}

/** Clients send again what has no receipt, which hides a transaction that execution passed over. */
function checkReceipts({ all, places }: WholeRecord, chunk: Uint8Array | undefined, block: Block): void {
  for (const id of idsIn(chunk)) {
    if ((all.get(id)?.expiryMs ?? 0) <= block.timestampMs) continue;
    const executedAt = places.get(id)?.height ?? Number.POSITIVE_INFINITY;
    assert(
      executedAt <= block.height,
      `N1: ${id.slice(0, 8)} is in a chunk of height ${block.height}, without a receipt`,
    );
  }
}

function balancesOf(cluster: Cluster, record: WholeRecord): ReadonlyMap<number, bigint> {
  const { places, all } = record;
  const balances = new Map(Array.from({ length: ACCOUNTS + ADMINISTRATORS.length }, (_, at) => [at, BALANCE]));
  const add = (account: number, amount: bigint) => balances.set(account, (balances.get(account) ?? 0n) + amount);
  for (const id of places.keys()) {
    const sent = all.get(id);
    const receipt = record.receiptOf(id);
    if (sent === undefined || receipt === undefined) continue;
    add(sent.account, -receipt.fee);
    if (sent.transfer === undefined) continue;
    add(sent.transfer.from, -1n);
    add(sent.transfer.to, 1n);
  }
  eachCharged(record.batches, ({ sent: { row, from, to, isTooLarge }, fee }) => {
    add(from, -fee);
    if (isTooLarge) return;
    add(from, -row.amount);
    add(to, row.amount);
  });
  for (const [producer, fees] of feesOf(cluster, record)) add(feeAccountOf(producer), fees);
  return balances;
}

/** By node: fees of the transactions that its chunks were the first to hold, under the index that it had in the chunk's epoch (F4, E7). */
function feesOf(cluster: Cluster, record: WholeRecord): ReadonlyMap<number, bigint> {
  const earned = new Map<number, bigint>();
  const add = (producer: number, fee: bigint) => earned.set(producer, (earned.get(producer) ?? 0n) + fee);
  const paid = new Set<string>();
  /** By the first chunk that has the batch, in this form. */
  const packers = new Map<string, number>();
  for (const [at, { chunkIds }] of record.blocks) {
    for (const chunkId of chunkIds) {
      const chunk = record.chunks.get(hexOf(chunkId));
      assert(chunk !== undefined, `a node has read each chunk of height ${at}`);
      const producer = nodeOf(cluster, record, chunk.epoch, chunk.producer);
      for (const id of chunk.ids) {
        if (record.places.get(id)?.height !== at || paid.has(id)) continue;
        paid.add(id);
        add(producer, record.receiptOf(id)?.fee ?? 0n);
      }
      for (const key of chunk.batchKeys) packers.set(`${at} ${key}`, packers.get(`${at} ${key}`) ?? producer);
    }
  }
  eachCharged(record.batches, ({ batch, height: at, earned: fee }) => {
    const producer = packers.get(`${at} ${batch.key}`);
    assert(producer !== undefined, `N7: batch ${batch.id.slice(0, 8)} is in a chunk of height ${at}`);
    add(producer, fee);
  });
  return earned;
}

function nodeOf(cluster: Cluster, { seals }: WholeRecord, epoch: number, index: number): number {
  const committee = epoch === 0 ? cluster.chain.committee : seals.get(epoch)?.committee;
  const node = cluster.nodeWith(committee?.members[index]?.peerKey ?? ('' as PeerKey));
  assert(node !== undefined, `the producer of a chunk is a member of epoch ${epoch}`);
  return node;
}
