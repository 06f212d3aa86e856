/**
 * At the end of a run: every node's files against what clients sent and nodes reported.
 *
 *   N1  each transaction's receipt is in each ledger, once, at its place; balances are those of the transactions that succeeded
 *   N4  state store and ledger of a node agree: the tip's batch is the one whose checksum the ledger's digest has
 *   N5  what a node committed itself it also serves: blocks, digests, chunks, of which each transaction has its receipt
 *   N6  a ledger has the record of each epoch, and the end of each that it committed itself
 */
import { readBalance } from '@slipstream/execution';
import { transactionIdOfReceipt } from '@slipstream/ledger';
import { assert, bytesEqual, toHex } from '@slipstream/primitives';
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
import type { WholeNode, WholeRecord } from './record.ts';
import { ACCOUNTS, BALANCE } from './stores.ts';

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
  const target = Math.max(...record.blocks.keys());
  const isThere = () => indices.every((index) => record.node(peer(index)) && record.heightOf(peer(index)) >= target);
  await until(`every node commits height ${target}`, isThere, EQUAL_WITHIN_MS);
  assert(record.violations.length === 0, record.violations.slice(0, 3).join('; '));
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
  { chain }: Cluster,
  record: WholeRecord,
  node: WholeNode,
  name: string,
  target: number,
): Promise<void> {
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
  const balances = balancesOf(record);
  for (const [account, balance] of balances.entries()) {
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

function balancesOf({ places, all }: WholeRecord): readonly bigint[] {
  const balances = Array.from({ length: ACCOUNTS }, () => BALANCE);
  for (const id of places.keys()) {
    const sent = all.get(id);
    if (sent?.transfer === undefined) continue;
    const { from, to } = sent.transfer;
    balances[from] = (balances[from] ?? 0n) - 1n;
    balances[to] = (balances[to] ?? 0n) + 1n;
  }
  return balances;
}
