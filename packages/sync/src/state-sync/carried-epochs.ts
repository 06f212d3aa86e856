/** Epochs that a taken-over ledger holds: all that were followed, and the boundaries within the fetched blocks. */
import type { CommitSeal } from '@slipstream/ledger';
import type { Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  type EpochEnd,
  type EpochEntry,
  type GenesisHash,
  hasQuorumOfSigners,
  subjectMessage,
} from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { aggregateStatement } from './aggregate-statement.ts';
import type { KnownEpochs } from './known-epochs.ts';
import type { Sources } from './sources.ts';

export interface CarriedEpochs {
  readonly entries: readonly EpochEntry[];
  /** By the height of the boundary. */
  readonly begun: ReadonlyMap<number, NonNullable<CommitSeal['newEpoch']>>;
}

interface CarriedComponents {
  readonly sources: Pick<Sources, 'available'>;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
  readonly epochs: KnownEpochs;
}

interface NamedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

/** Throws SyncError `state-incomplete` when no peer serves the record that a boundary names. */
export async function carriedEpochs(
  components: CarriedComponents,
  genesisHash: GenesisHash,
  blocks: readonly NamedBlock[],
): Promise<CarriedEpochs> {
  const { epochs } = components;
  const boundaries = blocks.filter(({ block }) => block.next !== undefined);
  const begun = new Map<number, NonNullable<CommitSeal['newEpoch']>>();
  for (const boundary of boundaries) {
    const { epoch, height } = boundary.block;
    const record = await recordOf(components, epoch + 1);
    const end = entryOf(epochs, epoch)?.end;
    begun.set(height, { record, end: (await isProven(components, genesisHash, boundary, end)) ? end : undefined });
  }
  return { entries: epochs.entries(), begun };
}

async function recordOf({ epochs, sources }: CarriedComponents, epoch: number): Promise<EpochEntry['record']> {
  for (const peer of entryOf(epochs, epoch) ? [] : sources.available()) {
    if (await epochs.reach(peer, epoch)) break;
  }
  const entry = entryOf(epochs, epoch);
  if (entry) return entry.record;
  throw new SyncError('state-incomplete', `state sync: no peer serves the record of epoch ${epoch}`, {});
}

function entryOf(epochs: KnownEpochs, epoch: number): EpochEntry | undefined {
  return epochs.entries().find(({ record }) => record.epoch === epoch);
}

/** Peers would block a node that serves a wrong certificate. */
async function isProven(
  { epochs, verifier }: CarriedComponents,
  genesisHash: GenesisHash,
  { blockId, block }: NamedBlock,
  end: EpochEnd | undefined,
): Promise<boolean> {
  const committee = epochs.committeeOf(block.epoch);
  if (end === undefined || committee === undefined || !bytesEqual(end.blockId, blockId)) return false;
  if (!hasQuorumOfSigners(end.certificate, committee)) return false;
  const message = subjectMessage(genesisHash, end.certificate.subject);
  const [holds] = await verifier.checkBatch([aggregateStatement(end.certificate, message, committee)], 'consensus');
  return holds === true;
}
