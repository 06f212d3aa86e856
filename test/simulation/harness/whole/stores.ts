import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import { type Applications, FREE_FEES, genesisBatch } from '@slipstream/execution';
import { type Ledger, openLedger } from '@slipstream/ledger';
import { silentTelemetry } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import { openStateStore, type StateStore } from '@slipstream/state';
import type { DataFolder } from '@slipstream/sync/state-sync';
import { type Genesis, hexOf } from '@slipstream/types';
import * as arrange from '../../../../packages/execution/test/builders.ts';
import { genesisMember } from '../../../../packages/types/test/genesis-member.ts';
import { accountKeyOf } from '../accounts.ts';
import type { SimulatedChain } from '../committee.ts';
import { foundingOf } from './applications.ts';
import { PATHS } from './folder.ts';

export interface OpenedStores {
  readonly state: StateStore;
  readonly ledger: Ledger;
  readonly chunks: ChunkFiles;
}

export const ACCOUNTS = 24;
/** The accounts above those: each proposal takes two of three. The last one operates all validators. */
export const ADMINISTRATORS = [ACCOUNTS, ACCOUNTS + 1, ACCOUNTS + 2] as const;
export const OPERATOR = accountKeyOf(ADMINISTRATORS[2]);
export const BALANCE = 1_000_000_000n;
/** Constant: no block uses the targets. */
export const PRICES = [1n, 1n, 1n, 1n, 1n] as const;
const FEE_ACCOUNTS = 1_000;
/** Small, so that logs are compacted and files rotate within a run. */
const STATE = { history: 4, deadPercent: 60, deadBytesMin: 300, deadBytesMax: 4_000, moveBytesMax: 500 };
const ROOM = { fromBytes: 150, bytesMax: 400 };
/** Of a store that no process opens again, which would cut it off. */
export const NO_ROOM = { fromBytes: Number.POSITIVE_INFINITY, bytesMax: 0 };
const CHUNK_FILE_BYTES_MAX = 8_000;
/** Below one transfer's, so that the block files are used. */
const BODY_IN_STORE_BYTES_MAX = 64;
/** Retained at the shortest block interval for longer than a joining node waits for answers before it fetches. */
export const SNAPSHOTS = { directory: PATHS.snapshots, every: 20, keep: 12 };
export const HASH_KEY = new Uint8Array(8);

/** Number of a node's account. */
export const feeAccountOf = (node: number): number => FEE_ACCOUNTS + node;

export function genesisOf({ committee, genesis, record, distilled, applications }: SimulatedChain): Genesis {
  return {
    ...arrange.genesis({}),
    timestampMs: genesis.timestampMs,
    members: committee.members.map((member) => ({
      ...genesisMember(member.index, member),
      operator: OPERATOR,
      feeAccount: accountKeyOf(feeAccountOf(member.index)),
    })),
    fees: { ...FREE_FEES, initialPrices: PRICES, minimumPrices: PRICES },
    allocations: Array.from({ length: ACCOUNTS + ADMINISTRATORS.length }, (_, at) => ({
      account: accountKeyOf(at),
      balance: BALANCE,
    })),
    state: STATE,
    leaderReputation: record.parameters.leaderReputation,
    distilled,
    applications: applications && foundingOf(applications),
    governance: { administrators: ADMINISTRATORS.map(accountKeyOf), approvals: 2 },
  };
}

export async function openStores(
  { disk, random }: Pick<NodeWorld, 'disk' | 'random'>,
  { openLedgerStore }: Pick<DataFolder, 'openLedgerStore'>,
  chain: SimulatedChain,
  applications: Applications,
  preallocation = ROOM,
): Promise<OpenedStores> {
  const { genesisHash, genesisId } = chain;
  const telemetry = silentTelemetry;
  const genesis = genesisOf(chain);
  const { store: state } = await openStateStore(
    { disk, telemetry },
    {
      directory: PATHS.state,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisBatch(genesis, (secret) => secret, applications),
      parameters: genesis.state,
      preallocation,
      snapshots: SNAPSHOTS,
      hashKey: HASH_KEY,
    },
  );
  const files = {
    disk,
    random: random.fork('block files'),
    directory: PATHS.blockFiles,
    segmentBytesMax: CHUNK_FILE_BYTES_MAX,
    storeBytesMax: BODY_IN_STORE_BYTES_MAX,
  };
  const keyValue = await openLedgerStore(PATHS.ledger);
  const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash });
  const chunks = await openChunkFiles(
    { disk, index: await openLedgerStore(PATHS.chunkIndex), random: random.fork('chunk files'), telemetry },
    { directory: PATHS.chunkFiles, genesisHash, segmentBytesMax: CHUNK_FILE_BYTES_MAX },
  );
  return { state, ledger, chunks };
}
