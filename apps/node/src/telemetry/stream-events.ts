/**
 * Reports of the packages as events of the operators' stream. One without an entry is for metrics and log only; one with an unknown field
 * (height of a missing block) is not sent.
 */
import type { EventHub } from '@slipstream/api';
import type { PeerKey, TelemetryFields } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import type { EventData, EventType } from '@slipstream/schema';
import type { Committee, Epoch, EpochRecord } from '@slipstream/types';
import { committeeJson } from '../backend/epoch-json.ts';
import { memberIndex } from '../backend/peers.ts';

type Publish = <T extends EventType>(type: T, data: EventData<T>) => void;
type Translate = (fields: TelemetryFields, publish: Publish, context: StreamContext) => void;

interface StreamContext {
  readonly memberOf: (peer: string) => number | null;
  readonly peerOf: (member: number) => string;
  /** Why this node voted to nullify a view. */
  readonly timeouts: Map<number, string>;
  readonly recordOf: (epoch: Epoch) => EpochRecord | undefined;
  readonly syncs: { seen: number };
  /** In the form of the peers route. */
  readonly peerView: (peer: PeerKey) => EventData<'peer.connected'> | undefined;
}

const number = (fields: TelemetryFields, key: string): number => Number(fields[key] ?? 0);
const text = (fields: TelemetryFields, key: string): string => String(fields[key] ?? '');
const id = (fields: TelemetryFields, key: string): string => {
  const value = text(fields, key);
  return value.startsWith('0x') ? value : `0x${value}`;
};
const named = (fields: TelemetryFields) => ({
  height: number(fields, 'height'),
  view: number(fields, 'view'),
  blockId: id(fields, 'blockId'),
});
const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Timeouts that wait for the nullification of their view. */
const TIMEOUTS_MAX = 1000;
/** One fsync of so many is sent. */
const SYNCS_PER_SAMPLE = 16;

const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  'block.proposed': (fields, publish) => {
    const kind = fields.kind === 'optimistic' ? 'optimistic' : 'normal';
    publish('block.proposed', {
      ...named(fields),
      leader: number(fields, 'leader'),
      kind,
      chunks: number(fields, 'chunks'),
    });
  },
  'block.executed': (fields, publish) =>
    publish('block.executed', {
      ...named(fields),
      transactions: number(fields, 'transactions'),
      tookMs: number(fields, 'tookMs'),
    }),
  'block.notarized': (fields, publish) => {
    if (fields.height === undefined) return;
    publish('block.notarized', { ...named(fields), signers: countOf(fields.signers) });
  },
  'block.certified': (fields, publish) =>
    publish('block.certified', {
      ...named(fields),
      stateDigest: id(fields, 'stateDigest'),
      signers: countOf(fields.signers),
    }),
  'block.final': (fields, publish) =>
    publish('block.final', {
      ...named(fields),
      proposer: number(fields, 'proposer'),
      timestampMs: number(fields, 'timestampMs'),
      sinceProposedMs: number(fields, 'sinceArrivalMs'),
    }),
  'block.committed': (fields, publish) => publish('block.committed', fields as unknown as EventData<'block.committed'>),
  'chunk.certified': (fields, publish) =>
    publish('chunk.certified', {
      chunkId: id(fields, 'chunkId'),
      producer: number(fields, 'producer'),
      transactions: number(fields, 'transactions'),
      rows: number(fields, 'rows'),
      sinceCreatedMs: number(fields, 'sinceCreatedMs'),
    }),
  'wal.synced': (fields, publish, { syncs }) => {
    syncs.seen += 1;
    if (syncs.seen % SYNCS_PER_SAMPLE !== 1) return;
    publish('wal.synced', { ms: number(fields, 'ms'), bytes: number(fields, 'bytes') });
  },
  'view.timeout': (fields, _publish, { timeouts }) => {
    timeouts.set(number(fields, 'view'), text(fields, 'reason'));
    if (timeouts.size > TIMEOUTS_MAX) timeouts.delete(timeouts.keys().next().value as number);
  },
  'view.nullified': (fields, publish, { timeouts }) => {
    const view = number(fields, 'view');
    const reason = timeouts.get(view) ?? 'nullified by a quorum before this node timed out';
    timeouts.delete(view);
    publish('view.nullified', { view, leader: number(fields, 'leader'), reason });
  },
  'quorum.verified': (fields, publish) =>
    publish('quorum.verified', {
      kind: text(fields, 'kind'),
      view: number(fields, 'view'),
      votes: number(fields, 'votes'),
      ms: number(fields, 'ms'),
    }),
  bisection: (fields, publish) =>
    publish('bisection', {
      kind: text(fields, 'kind'),
      view: number(fields, 'view'),
      votes: number(fields, 'votes'),
      offenders: Array.isArray(fields.offenders) ? fields.offenders.map(Number) : [],
      checks: number(fields, 'checks'),
      ms: number(fields, 'ms'),
    }),
  'peer.blocked': (fields, publish, { memberOf, peerOf }) => {
    const peer = fields.member === undefined ? text(fields, 'peer') : peerOf(number(fields, 'member'));
    publish('peer.blocked', {
      peer: `0x${peer}`,
      validator: memberOf(peer),
      reason: text(fields, 'reason'),
      detail: text(fields, 'detail'),
      view: number(fields, 'view'),
      by: fields.by === 'operator' ? 'operator' : 'node',
    });
  },
  'peer.unblocked': (fields, publish) => publish('peer.unblocked', { peer: id(fields, 'peer') }),
  'peer.connected': (fields, publish, { peerView }) => {
    const peer = peerView(text(fields, 'peer') as PeerKey);
    if (peer) publish('peer.connected', peer);
  },
  'peer.lost': (fields, publish) => publish('peer.lost', { peer: id(fields, 'peer'), reason: text(fields, 'reason') }),
  'epoch.sealed': (fields, publish) => publish('epoch.sealed', fields as unknown as EventData<'epoch.sealed'>),
  'governance.changed': (fields, publish) => publish('governance.changed', { height: number(fields, 'height') }),
  'epoch.begun': (fields, publish, { recordOf }) => {
    const record = recordOf(number(fields, 'epoch') as Epoch);
    if (record === undefined) return;
    publish('epoch.begun', {
      ...committeeJson(record),
      height: number(fields, 'height'),
      view: number(fields, 'view'),
      validator: fields.validator === undefined ? null : number(fields, 'validator'),
    });
  },
  evidence: (fields, publish) =>
    publish('evidence', {
      type: fields.kind === 'proposals' || fields.kind === 'chunks' ? fields.kind : 'votes',
      epoch: number(fields, 'epoch'),
      offender: number(fields, 'offender'),
      view: number(fields, 'view'),
    }),
};

interface StreamEventsSetting {
  readonly committee: () => Committee;
  readonly recordOf: StreamContext['recordOf'];
  readonly peerView: StreamContext['peerView'];
}

export function createStreamEvents(
  hub: Pick<EventHub, 'publish'>,
  { committee, recordOf, peerView }: StreamEventsSetting,
) {
  const memberOf = memberIndex(committee);
  const context: StreamContext = {
    memberOf: (peer) => memberOf(peer) ?? null,
    peerOf: (member) => committee().members[member]?.peerKey ?? to0x(new Uint8Array(32)).slice(2),
    timeouts: new Map(),
    recordOf,
    syncs: { seen: 0 },
    peerView,
  };
  return (type: string, fields: TelemetryFields): void => TRANSLATIONS[type]?.(fields, hub.publish, context);
}
