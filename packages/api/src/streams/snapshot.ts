/** Readers that connect together share one state, so mass reconnects are cheap. */
import type { Telemetry } from '@slipstream/ports';
import type { CommitteeView, StreamState } from '@slipstream/schema';
import type { NodeBackend } from '../backend.ts';
import { blockView } from '../handlers/chain.ts';
import { committeeView, genesisCommittee } from '../handlers/epochs.ts';
import type { Fleet } from '../handlers/fleet.ts';

export interface SnapshotSource {
  /** JSON of a StreamState with at least every event up to `sequence`. */
  take(withPast: boolean): Promise<Snapshot>;
}

export interface Snapshot {
  readonly sequence: number;
  readonly stateText: string;
}

/** Newest ones: about a minute. */
const BLOCKS = 60;

export function createSnapshotSource(backend: NodeBackend, telemetry: Telemetry, fleet: Fleet): SnapshotSource {
  let known = genesisCommittee(backend.genesis);
  const pending = new Map<boolean, Promise<Snapshot>>();

  /** Read once an epoch: records are immutable. */
  async function committeeNow(): Promise<CommitteeView> {
    if (known.epoch === backend.epoch()) return known;
    const record = await backend.epochs.record(undefined);
    if (record !== undefined) known = committeeView(record);
    return known;
  }

  async function gather(withPast: boolean): Promise<Snapshot> {
    // First: events published meanwhile are sent again.
    const sequence = backend.events.sequence();
    const pastText = withPast ? `,"past":${backend.events.past()}` : '';
    const page = { cursor: undefined, limit: BLOCKS };
    const [status, peers, blocks, committee] = await Promise.all([
      backend.status(),
      backend.peers(),
      backend.blocks(page),
      committeeNow(),
    ]);
    const stats = backend.events.latestStats() ?? null;
    const nodes = fleet.nodes();
    const state: StreamState = {
      status,
      committee,
      peers,
      blocks: blocks.items.map(blockView),
      stats,
      ...(nodes.length > 0 && { fleet: nodes }),
    };
    return { sequence, stateText: `${JSON.stringify(state).slice(0, -1)}${pastText}}` };
  }

  function take(withPast: boolean): Promise<Snapshot> {
    const underWay = pending.get(withPast);
    if (underWay !== undefined) return underWay;
    const gathered = gather(withPast)
      .catch((error: unknown) => {
        telemetry.log('error', 'the state for a stream could not be gathered', { error: String(error) });
        throw error;
      })
      .finally(() => pending.delete(withPast));
    pending.set(withPast, gathered);
    return gathered;
  }

  return { take };
}
