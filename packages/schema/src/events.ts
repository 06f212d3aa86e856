/**
 * Events over WebSocket and server-sent events: type, topic, schema of the data. Readers ignore unknown fields and types, so additions
 * never break them.
 */
import { type TObject, Type } from 'typebox';
import { AlertSchema, CommitteeSchema, PeerSchema, StageTimesSchema, TRANSACTION_STATUSES } from './answers.ts';
import { BlockEventsSchema } from './applications.ts';
import { FleetNodeSchema } from './fleet.ts';
import {
  Account,
  count,
  DurationMs,
  EPOCH_MAX,
  Height,
  Id,
  type Json,
  orNull,
  PeerId,
  TimeMs,
  View,
} from './scalars.ts';
import { StatsSchema } from './stats.ts';

export const TOPICS = [
  'blocks',
  'consensus',
  'signatures',
  'peers',
  'dissemination',
  'transactions',
  'application',
  'storage',
  'alerts',
  'stats',
  'fleet',
] as const;
export type Topic = (typeof TOPICS)[number];

const leader = count('Index of the leader in the committee.', 1023);
const member = count('Index in the committee.', 1023);
const block = { height: Height, view: View, blockId: Id };

interface EventKind {
  readonly topic: Topic;
  readonly summary: string;
  readonly data: TObject;
}

export const EVENTS = {
  'block.proposed': {
    topic: 'blocks',
    summary: 'A proposal arrived (or was made here).',
    data: Type.Object({ ...block, leader, kind: Type.Enum(['optimistic', 'normal']), chunks: count('References.') }),
  },
  'block.executed': {
    topic: 'blocks',
    summary: 'Its transactions were run on the state of its parent; nothing is visible yet.',
    data: Type.Object({ ...block, transactions: count('Receipts.'), tookMs: DurationMs }),
  },
  'block.notarized': {
    topic: 'blocks',
    summary: 'A quorum voted for it: it may be built on.',
    data: Type.Object({ ...block, signers: count('Votes in the certificate.') }),
  },
  'block.certified': {
    topic: 'blocks',
    summary: 'A quorum executed it with one and the same result.',
    data: Type.Object({ ...block, stateDigest: Id, signers: count('Votes in the certificate.') }),
  },
  'block.final': {
    topic: 'blocks',
    summary: 'It and its ancestors can never be undone.',
    data: Type.Object({ ...block, proposer: leader, timestampMs: TimeMs, sinceProposedMs: Type.Optional(DurationMs) }),
  },
  'block.committed': {
    topic: 'blocks',
    summary: 'It is durable and visible here, with its receipts and proofs.',
    data: Type.Object({
      ...block,
      proposer: leader,
      timestampMs: TimeMs,
      transactions: count('Receipts.'),
      rows: count('Of distilled batches, charged.'),
      stateDigest: Type.Optional(Id),
      times: StageTimesSchema,
      shadowedMs: Type.Optional(DurationMs),
    }),
  },
  'view.nullified': {
    topic: 'consensus',
    summary: 'A quorum gave the view up.',
    data: Type.Object({ view: View, leader, reason: Type.String({ examples: ['timeout'] }) }),
  },
  'epoch.sealed': {
    topic: 'consensus',
    summary: 'The record of the next epoch is in the state.',
    data: Type.Object({
      epoch: count('The next one.'),
      height: Height,
      recordHash: Id,
      members: count('Validators in the record.', 1024),
    }),
  },
  'governance.changed': {
    topic: 'consensus',
    summary:
      'A block changed validators or proposals: approvals, readiness, keys, reports. Once per block; /v1/proposals and /v1/validators answer by its state.',
    data: Type.Object({ height: Height }),
  },
  'epoch.begun': {
    topic: 'consensus',
    summary:
      'The first block of an epoch is committed here: another committee, and other indices of validators, from its view on.',
    data: Type.Object({
      ...CommitteeSchema.properties,
      height: Height,
      view: View,
      validator: orNull(count('Index of this node in the committee.', 1023)),
      members: Type.Array(
        Type.Object({
          ...CommitteeSchema.properties.members.items.properties,
          previousPeer: Type.Optional(PeerId),
        }),
      ),
    }),
  },
  'quorum.verified': {
    topic: 'signatures',
    summary: 'One aggregate check stood for a quorum of votes.',
    data: Type.Object({
      kind: Type.String({ examples: ['notarize'] }),
      view: View,
      votes: count('Votes.'),
      ms: DurationMs,
    }),
  },
  bisection: {
    topic: 'signatures',
    summary: 'A quorum check failed, and the bad votes were found.',
    data: Type.Object({
      kind: Type.String({ examples: ['notarize'] }),
      view: View,
      votes: count('Votes in the batch.'),
      offenders: Type.Array(member),
      checks: count('Pairing checks that it took.'),
      ms: DurationMs,
    }),
  },
  'peer.blocked': {
    topic: 'peers',
    summary: 'A peer is blocked from now on.',
    data: Type.Object({
      peer: PeerId,
      validator: orNull(member),
      reason: Type.String({ examples: ['invalid-signature'] }),
      detail: Type.Optional(Type.String()),
      view: Type.Optional(View),
      by: Type.Enum(['node', 'operator']),
    }),
  },
  'peer.unblocked': { topic: 'peers', summary: 'An operator lifted a block.', data: Type.Object({ peer: PeerId }) },
  'peer.connected': { topic: 'peers', summary: 'A peer is connected.', data: PeerSchema },
  'peer.lost': {
    topic: 'peers',
    summary: 'A connection ended.',
    data: Type.Object({ peer: PeerId, reason: Type.String() }),
  },
  evidence: {
    topic: 'consensus',
    summary: 'Two messages that no honest validator signs both of.',
    data: Type.Object({
      type: Type.Enum(['votes', 'proposals', 'chunks']),
      epoch: count('Whose committee the offender is in.', EPOCH_MAX),
      offender: member,
      view: View,
    }),
  },
  'chunk.certified': {
    topic: 'dissemination',
    summary: 'A quorum has stored a chunk of transactions.',
    data: Type.Object({
      chunkId: Id,
      producer: member,
      transactions: count('In the chunk.'),
      rows: count('Of its distilled batches.'),
      sinceCreatedMs: DurationMs,
    }),
  },
  'transaction.status': {
    topic: 'transactions',
    summary: 'A transaction that was submitted here moved on: a sample, at most 50 per second.',
    data: Type.Object({
      id: Id,
      status: Type.Enum([...TRANSACTION_STATUSES]),
      sender: Type.Optional(Account),
      height: Type.Optional(Height),
      reason: Type.Optional(Type.String()),
    }),
  },
  'batch.distilled': {
    topic: 'transactions',
    summary:
      'A distilled batch ran, in a block that is committed here. Of the first 256 of a block; /v1/blocks/{block}/batches has all.',
    data: Type.Object({
      batchId: Id,
      height: Height,
      rows: count('Rows of the batch.'),
      charged: count('Of these, rows whose fee was charged.'),
      skipped: count('Rows without effect.'),
    }),
  },
  'application.events': {
    topic: 'application',
    summary:
      'Events of an application, in a block that is committed here: its first 64, up to 8 KiB of bodies. A reader that was disconnected continues by /v1/applications/{application}/events after the last `next`.',
    data: BlockEventsSchema,
  },
  'wal.synced': {
    topic: 'storage',
    summary: 'The write-ahead log reached the disk (a sample of all syncs).',
    data: Type.Object({
      ms: DurationMs,
      bytes: count('Written by this sync.'),
      records: Type.Optional(count('Records.')),
    }),
  },
  'alert.raised': { topic: 'alerts', summary: 'A rule fired.', data: AlertSchema },
  'alert.changed': {
    topic: 'alerts',
    summary: 'A rule goes on to hold, and what it says is another.',
    data: AlertSchema,
  },
  'alert.cleared': {
    topic: 'alerts',
    summary: 'A rule no longer holds.',
    data: Type.Object({ rule: Type.String(), afterMs: Type.Optional(DurationMs) }),
  },
  stats: { topic: 'stats', summary: 'A summary, once per second.', data: StatsSchema },
  'fleet.node': {
    topic: 'fleet',
    summary: 'A node that this one watches sent its status (once per second), was lost, or found again.',
    data: FleetNodeSchema,
  },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];
export type EventData<T extends EventType> = Json<(typeof EVENTS)[T]['data']>;

/** An event without its number. */
export type NodeEvent = { readonly [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENTS, type);
}
