/**
 * Known epochs: a joining node follows handovers from the newest record that it trusts to the epoch of a manifest.
 *
 *   trusted record e --handover: signed by committee e--> record e + 1 --handover--> ... --> the manifest's committee
 *
 * What a peer serves counts up to its first gap; a wrong handover blocks it. An answer that is neither complete nor full is its last one, else
 * it could serve one epoch a request, each as late as it may, while other peers wait.
 */
import type { PeerKey, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type Committee,
  committeeOfRecord,
  EPOCH_ENTRIES_MAX,
  type EpochEntry,
  type EpochRecord,
  epochEntriesCodec,
  followHandovers,
  type GenesisHash,
  HANDOVER_FAULTS,
  type Handover,
  recordHashOf,
} from '@slipstream/types';
import { EPOCHS_ANSWER_BYTES } from '../requests/epochs.ts';
import type { Sources } from './sources.ts';

/** Unproven until they are used, and of up to 0.8 MB: of the blocks that are fetched, the last minute's. */
const ENDS_MAX = 64;

export interface KnownEpochs {
  /** Ascending, from the trusted one on. The newest alone have ends. */
  entries(): readonly EpochEntry[];
  newest(): Committee;
  /** Undefined: not followed yet, or before the trusted one. */
  committeeOf(epoch: number): Committee | undefined;
  /** As far as the peer has handovers. False: not up to `epoch`. */
  reach(peer: PeerKey, epoch: number): Promise<boolean>;
}

interface KnownEpochsComponents {
  readonly sources: Pick<Sources, 'ask' | 'block'>;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
}

interface KnownEpochsSetting {
  readonly genesisHash: GenesisHash;
  /** Of genesis, or of this node's own ledger. */
  readonly record: EpochRecord;
  /** Of each record that a handover leads to. What it throws ends the join: no other peer is asked. */
  readonly checkRecord?: (record: EpochRecord) => void;
}

interface Step {
  readonly handover: Handover;
  readonly next: EpochEntry;
}

export function createKnownEpochs(
  { sources, verifier }: KnownEpochsComponents,
  { genesisHash, record, checkRecord = () => {} }: KnownEpochsSetting,
): KnownEpochs {
  const entries: EpochEntry[] = [{ record, handover: undefined, end: undefined }];
  const first = record.epoch;
  let newest = committeeOfRecord(record);
  let queue: Promise<unknown> = Promise.resolve();

  async function follow(peer: PeerKey, epoch: number): Promise<boolean> {
    while (newest.epoch < epoch) {
      const from = newest.epoch;
      const to = Math.min(epoch, from + EPOCH_ENTRIES_MAX - 1);
      const bytes = (await sources.ask(peer, { query: 'epochs', from, to }))?.chunks[0];
      const decoded = bytes && epochEntriesCodec.decode(bytes);
      if (bytes === undefined || decoded === undefined) return false;
      const fault = decoded.ok ? await take(decoded.value) : decoded.error.message;
      if (fault !== undefined) {
        sources.block(peer, `served epochs that do not follow from each other: ${fault}`);
        return false;
      }
      const isWhole = decoded.ok && (decoded.value.length > to - from || bytes.length >= EPOCHS_ANSWER_BYTES);
      if (newest.epoch === from || !isWhole) break;
    }
    return newest.epoch >= epoch;
  }

  /** Undefined: sound, but maybe without a step. */
  async function take(served: readonly EpochEntry[]): Promise<string | undefined> {
    const steps = stepsOf(served);
    if (served[0]?.record.epoch !== newest.epoch) return `they begin with epoch ${served[0]?.record.epoch}`;
    for (const { handover, next } of steps) {
      if (!bytesEqual(recordHashOf(genesisHash, next.record), handover.preimage.next))
        return `the record of epoch ${next.record.epoch} is another one`;
    }
    const handovers = steps.map(({ handover }) => handover);
    const followed = await followHandovers(genesisHash, newest, handovers, (batch) =>
      verifier.checkBatch(batch, 'consensus'),
    );
    if (!followed.ok) return `epoch ${followed.error.epoch}: ${HANDOVER_FAULTS[followed.error.fault]}`;
    for (const [at, { handover, next }] of steps.entries()) {
      checkRecord(next.record);
      const last = entries.at(-1) as EpochEntry;
      entries[entries.length - 1] = { ...last, handover, end: served[at]?.end };
      entries.push({ record: next.record, handover: undefined, end: undefined });
      const outdated = entries.length - 2 - ENDS_MAX; // the newest has none
      if (outdated >= 0) entries[outdated] = { ...(entries[outdated] as EpochEntry), end: undefined };
    }
    newest = committeeOfRecord((entries.at(-1) as EpochEntry).record);
    return undefined;
  }

  return {
    entries: () => entries,
    newest: () => newest,
    committeeOf(epoch) {
      const entry = entries[epoch - first];
      return entry && committeeOfRecord(entry.record);
    },
    reach(peer, epoch) {
      const reached = queue.then(() => follow(peer, epoch));
      queue = reached.catch(() => {});
      return reached;
    },
  };
}

/** Up to the first gap. */
function stepsOf(served: readonly EpochEntry[]): readonly Step[] {
  const steps: Step[] = [];
  for (const [at, { record, handover }] of served.entries()) {
    const next = served[at + 1];
    if (handover === undefined || next?.record.epoch !== record.epoch + 1) break;
    steps.push({ handover, next });
  }
  return steps;
}
