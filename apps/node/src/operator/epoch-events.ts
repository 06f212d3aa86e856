/**
 * Reports each epoch at its seal, and once its first block is committed, and each block that changed validators or proposals: what the API
 * reads by then is the new state.
 */
import type { Seal } from '@slipstream/consensus';
import type { Telemetry } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import type { Block, Epoch } from '@slipstream/types';
import type { NodeEpochs } from '../epochs/node-epochs.ts';

export interface EpochEvents {
  sealed(seal: Seal): void;
  /** Call with each committed block. */
  committed(block: Pick<Block, 'epoch' | 'height' | 'view' | 'timestampMs'>, governanceChanged: boolean): void;
  /** The last one that readers of streams know. */
  reportedEpoch(): Epoch;
}

interface EpochEventParts {
  readonly epochs: Pick<NodeEpochs, 'of' | 'self'>;
  readonly telemetry: Pick<Telemetry, 'event'>;
}

/** `reported`: what the parts of the node before these reported last; at a start, the epoch of the newest committed block. */
export function createEpochEvents({ epochs, telemetry }: EpochEventParts, reported: Epoch): EpochEvents {
  let current = reported;
  return {
    sealed({ record: { epoch, members }, recordHash, height }) {
      telemetry.event('epoch.sealed', { epoch, height, recordHash: to0x(recordHash), members: members.length });
    },
    committed({ epoch, height, view }, governanceChanged) {
      if (governanceChanged) telemetry.event('governance.changed', { height });
      if (epoch === current) return;
      current = epoch;
      const members = epochs.of(epoch)?.members.length;
      telemetry.event('epoch.begun', { epoch, height, view, members, validator: epochs.self(epoch) });
    },
    reportedEpoch: () => current,
  };
}
