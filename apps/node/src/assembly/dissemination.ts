/** Dissemination of a node: its rules from execution, its memory of the last minute from the ledger and the log. */
import type { Consensus } from '@slipstream/consensus';
import { createDissemination, DISSEMINATION_DEFAULTS, type Dissemination } from '@slipstream/dissemination';
import { feeOf, readBalance, readFees, unitsOf } from '@slipstream/execution';
import type { PeerKey, Signer, Transport, Verifier } from '@slipstream/ports';
import { type ChunkId, hexOf, type TransactionId } from '@slipstream/types';
import type { Identity } from './identity.ts';
import type { NodeWorld } from './node.ts';
import type { Stores } from './stores.ts';

export interface DisseminationParts {
  readonly identity: Identity;
  readonly stores: Stores;
  readonly world: NodeWorld;
  readonly verifier: Verifier;
  readonly signer: Signer | undefined;
  readonly transport: Transport;
}

export interface DisseminationLinks {
  readonly firstChunkSequence: number;
  /** Made after dissemination, and asked by it. */
  readonly consensus: () => Consensus | undefined;
}

export function openDissemination(parts: DisseminationParts, links: DisseminationLinks): Dissemination {
  const { identity, stores, world, verifier, signer, transport } = parts;
  const { genesis, genesisHash, committee, validator } = identity;
  const read = (key: Uint8Array) => stores.state.get(key);
  return createDissemination(
    {
      verifier,
      signer,
      wal: stores.log.wal,
      transport,
      clock: world.clock,
      random: world.random,
      telemetry: world.telemetry,
      rules: {
        unitsOf,
        feeOf: (units) => feeOf(units, readFees(read, genesis.fees).prices),
        balanceOf: (account) => readBalance(read, account),
      },
      reports: {
        offence: (peer, reason, detail) => links.consensus()?.offence(peer, reason, detail),
        equivocation: ({ offender, first }) => {
          const peer = committee.members[offender]?.peerKey as PeerKey;
          links.consensus()?.offence(peer, 'invalid-chunk', `two chunks of sequence ${first.header.sequence}`);
        },
        pendingChanged: () => links.consensus()?.pendingChanged(),
      },
      ledgerLookup: async (id: TransactionId) => (await stores.ledger.transaction(id)) !== undefined,
      loadChunk: (id: ChunkId) => stores.chunks.get(id),
      fetchChunk: (id, hint, signal) => fetchChunk(id, hint, signal, transport, links.consensus()),
      reserveSequence: (sequence) =>
        stores.signState.reserve({ chunkSequence: sequence, logSequence: stores.log.wal.durableSequence }),
    },
    {
      genesis,
      genesisHash,
      committee,
      memberIndex: validator?.index,
      firstSequence: links.firstChunkSequence,
      limits: DISSEMINATION_DEFAULTS,
    },
  );
}

/** One peer after the other, the hinted first. */
async function fetchChunk(
  id: ChunkId,
  hint: readonly PeerKey[],
  signal: AbortSignal,
  transport: Transport,
  consensus: Consensus | undefined,
) {
  const connected = transport.peers().flatMap(({ peer, connected: up }) => (up ? [peer] : []));
  const inOrder = [...hint.filter((peer) => connected.includes(peer)), ...connected];
  for (const peer of new Set(inOrder)) {
    signal.throwIfAborted();
    const response = await consensus?.sync.ask(peer, { query: 'chunk', id });
    const bytes = response?.chunks[0];
    if (bytes) return { from: peer, bytes };
  }
  signal.throwIfAborted();
  return undefined;
}

/** Chunks that the log holds, then the committed blocks of the last minute. */
export async function restoreDissemination(
  dissemination: Dissemination,
  stores: Stores,
  windowMs: number,
): Promise<void> {
  for await (const record of stores.log.records) {
    if (record.kind === 'chunk') dissemination.restoreChunk(record.payload, record.sequence);
  }
  const tip = await stores.ledger.tip();
  if (!tip) return;
  for (const { blockId, block, transactionIds } of await stores.ledger.recentBlocks(tip.timestampMs - windowMs)) {
    dissemination.committed(blockId, block, { executedIds: transactionIds.map(hexOf), skipped: [] });
  }
}
