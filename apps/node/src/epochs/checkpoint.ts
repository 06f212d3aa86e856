/**
 * The checkpoint: the committee of an epoch that the operator trusts, and how old the trust of a node without one is.
 *
 * Validators whose epoch is over may lose their keys. A node that was offline long enough could be led by such keys to another chain, which
 * nothing in its folder tells apart.
 */
import { type Config, parseCheckpoint } from '@slipstream/node-home';
import { bytesEqual, to0x } from '@slipstream/primitives';
import {
  certifiedMembers,
  certifiedMembersHash,
  committeeOfRecord,
  type Epoch,
  type EpochRecord,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';
import type { NodeEpochs } from './node-epochs.ts';

/** Leavers may have erased, sold or lost their keys by then. */
const TRUST_MS_MAX = 30 * 24 * 60 * 60 * 1000;

type CheckpointSetting = Pick<Config, 'sync.checkpoint'>;

export function committeeHashOf(record: Pick<EpochRecord, 'epoch' | 'members'>): Uint8Array {
  return certifiedMembersHash(certifiedMembers(committeeOfRecord(record as EpochRecord)));
}

/** Throws NodeError `checkpoint-mismatch`. */
export function checkCheckpoint(setting: CheckpointSetting, record: EpochRecord): void {
  const checkpoint = parseCheckpoint(setting['sync.checkpoint']);
  if (checkpoint === undefined || checkpoint.epoch !== record.epoch) return;
  const found = committeeHashOf(record);
  if (bytesEqual(found, checkpoint.committeeHash)) return;
  const [wanted, is] = [to0x(checkpoint.committeeHash), to0x(found)];
  const message =
    `sync.checkpoint: the committee of epoch ${record.epoch} is ${is} here, and ${wanted} was expected. This node follows another chain than the ` +
    'one that the checkpoint is of. Compare with a source that you trust (slipstream epochs); if the checkpoint is right, start with an empty data folder and other peers';
  throw new NodeError('checkpoint-mismatch', message, { epoch: record.epoch, expected: wanted, found: is });
}

interface WatchParts {
  readonly epochs: Pick<NodeEpochs, 'of' | 'onChanged'>;
  readonly ledger: { record(epoch: Epoch): Promise<EpochRecord | undefined> };
  readonly fail: (error: unknown) => void;
}

/** Records known at the start, and each that is sealed later. Throws NodeError `checkpoint-mismatch`. */
export async function watchCheckpoint(setting: CheckpointSetting, { epochs, ledger, fail }: WatchParts): Promise<void> {
  const checkpoint = parseCheckpoint(setting['sync.checkpoint']);
  if (checkpoint === undefined) return;
  const epoch = checkpoint.epoch as Epoch;
  const known = epochs.of(epoch) ?? (await ledger.record(epoch));
  if (known !== undefined) checkCheckpoint(setting, known);
  epochs.onChanged(() => {
    const record = epochs.of(epoch);
    try {
      if (record !== undefined) checkCheckpoint(setting, record);
    } catch (error) {
      fail(error);
    }
  });
}

export interface OldTrust {
  /** Time of the newest block here, or of genesis. */
  readonly sinceMs: number;
  readonly epoch: number;
}

/** Undefined: recent enough, or a checkpoint is given of an epoch that is not known yet, or the newest known one. */
export function oldTrust(setting: CheckpointSetting, known: OldTrust, nowMs: number): OldTrust | undefined {
  const checkpoint = parseCheckpoint(setting['sync.checkpoint']);
  if (checkpoint !== undefined && checkpoint.epoch >= known.epoch) return undefined;
  return nowMs - known.sinceMs > TRUST_MS_MAX ? known : undefined;
}

export function oldTrustText({ sinceMs, epoch }: OldTrust, nowMs: number): string {
  const days = Math.floor((nowMs - sinceMs) / (24 * 60 * 60 * 1000));
  return `the newest block that this node knows is ${days} days old, of epoch ${epoch}: keys of validators that left since could lead it to another chain`;
}

export const OLD_TRUST_REMEDY =
  'Get the epoch and the hash of its committee from a node that you trust (slipstream epochs), and set sync.checkpoint.';
