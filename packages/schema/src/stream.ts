/**
 * The event stream: one protocol over WebSocket (/v1/stream) and server-sent events (/v1/events).
 *
 *   connect            --> hello, then the state and events after it
 *   connect + past     --> the same, with the node's recorded past in the state: for charts
 *   connect + resume   --> hello, then the missed events (or the state, when they are gone), and events after them
 *
 * Events are numbered within a run of the node. A message's `sequence` is the reader's position: all events up to it were sent, or belong
 * to other topics. `resume` is "<run>:<sequence>" of the last message, so numbers of two runs are never mixed up; messages before the state
 * have sequence 0, from which resuming gives the state. A slow reader gets `bye` with reason slow, is disconnected, and may resume.
 */
import { type TSchema, Type } from 'typebox';
import { BlockViewSchema, CommitteeSchema, PeerSchema, StatusSchema } from './answers.ts';
import { EVENT_TYPES, EVENTS, type NodeEvent, TOPICS } from './events.ts';
import { FleetNodeSchema } from './fleet.ts';
import { type Json, orNull, TimeMs } from './scalars.ts';
import { SeriesSchema } from './series.ts';
import { StatsSchema } from './stats.ts';

export const STREAM_PROTOCOL = 1;

const Sequence = Type.Integer({
  title: 'Sequence',
  minimum: 0,
  description:
    'Rises by one an event, over all topics. In every message the place to resume after; 0 is none: the state follows then.',
});
const Run = Type.String({ title: 'Run', pattern: '^[0-9a-f]{16}$', description: 'Names this run of the node.' });

/** "<run>:<sequence>". */
export const RESUME_PATTERN = '^[0-9a-f]{16}:[0-9]{1,15}$';

const StreamEventSchema = Type.Object(
  {
    type: Type.Literal('event'),
    sequence: Sequence,
    atMs: TimeMs,
    event: Type.Union(
      EVENT_TYPES.map((type) => Type.Object({ type: Type.Literal(type), data: EVENTS[type].data as TSchema })),
    ),
  },
  { title: 'StreamEvent' },
);

/** Since start: bounded, in memory only. */
export const PastSchema = Type.Object(
  {
    seconds: SeriesSchema,
    minutes: SeriesSchema,
    events: Type.Array(StreamEventSchema, {
      description: 'The newest of what is rare: nullified views, bisections, evidence, peers, alerts. Oldest first.',
    }),
  },
  {
    title: 'Past',
    description: 'The last ten minutes by the second and the last day by the minute, up to `sequence`.',
  },
);
export type Past = Omit<Json<typeof PastSchema>, 'events'> & { readonly events: readonly StreamEvent[] };

export const StreamStateSchema = Type.Object(
  {
    status: StatusSchema,
    committee: CommitteeSchema,
    peers: Type.Array(PeerSchema),
    blocks: Type.Array(BlockViewSchema, { description: 'The newest blocks, newest first.' }),
    stats: orNull(StatsSchema),
    past: Type.Optional(PastSchema),
    fleet: Type.Optional(
      Type.Array(FleetNodeSchema, { description: 'The nodes of `fleet.nodes`; missing without any.' }),
    ),
  },
  { title: 'StreamState', description: 'Everything that a console draws, as of `sequence`.' },
);
export type StreamState = Omit<Json<typeof StreamStateSchema>, 'past'> & { readonly past?: Past };

const HelloSchema = Type.Object(
  {
    type: Type.Literal('hello'),
    protocol: Type.Literal(STREAM_PROTOCOL),
    run: Run,
    sequence: Sequence,
    oldest: Type.Integer({ minimum: 0, description: 'The oldest sequence that can be resumed after.' }),
    atMs: TimeMs,
    topics: Type.Array(Type.Enum([...TOPICS])),
    resumed: Type.Boolean({ description: 'True: missed events follow. False: the state follows.' }),
  },
  { title: 'StreamHello' },
);

const StateSchema = Type.Object(
  { type: Type.Literal('state'), sequence: Sequence, atMs: TimeMs, state: StreamStateSchema },
  { title: 'StreamFullState' },
);

const SubscribedSchema = Type.Object(
  { type: Type.Literal('subscribed'), sequence: Sequence, topics: Type.Array(Type.Enum([...TOPICS])) },
  { title: 'StreamSubscribed' },
);

const HeartbeatSchema = Type.Object(
  { type: Type.Literal('heartbeat'), sequence: Sequence, atMs: TimeMs },
  {
    title: 'StreamHeartbeat',
    description: 'Sent when nothing else was for a while.',
  },
);

const BYE_REASONS = ['slow', 'stopping', 'malformed-message', 'too-many-messages', 'internal', 'upstream'] as const;
export type ByeReason = (typeof BYE_REASONS)[number];

const ByeSchema = Type.Object(
  {
    type: Type.Literal('bye'),
    reason: Type.Enum([...BYE_REASONS]),
    detail: Type.String(),
    sequence: Sequence,
  },
  { title: 'StreamBye', description: 'The last message. Also the close code and reason of the WebSocket.' },
);

export const BYE_CLOSE_CODES: Readonly<Record<ByeReason, number>> = {
  slow: 4008,
  stopping: 1001,
  'malformed-message': 4400,
  'too-many-messages': 4429,
  internal: 1011,
  upstream: 4502,
};

/** By `type`. */
export const STREAM_MESSAGES = {
  hello: HelloSchema,
  state: StateSchema,
  event: StreamEventSchema,
  subscribed: SubscribedSchema,
  heartbeat: HeartbeatSchema,
  bye: ByeSchema,
} as const;

export const StreamMessageSchema = Type.Union(
  [HelloSchema, StateSchema, StreamEventSchema, SubscribedSchema, HeartbeatSchema, ByeSchema],
  { title: 'StreamMessage' },
);

export type StreamHello = Json<typeof HelloSchema>;
export type StreamFullState = Omit<Json<typeof StateSchema>, 'state'> & { readonly state: StreamState };
export type StreamEvent = {
  readonly type: 'event';
  readonly sequence: number;
  readonly atMs: number;
  readonly event: NodeEvent;
};
export type StreamMessage =
  | StreamHello
  | StreamFullState
  | StreamEvent
  | Json<typeof SubscribedSchema>
  | Json<typeof HeartbeatSchema>
  | Json<typeof ByeSchema>;

/** A WebSocket client changes its topics. */
export const StreamRequestSchema = Type.Object(
  { type: Type.Literal('subscribe'), topics: Type.Array(Type.Enum([...TOPICS]), { maxItems: TOPICS.length }) },
  { additionalProperties: false, title: 'StreamRequest' },
);
export type StreamRequest = Json<typeof StreamRequestSchema>;

export function resumeToken(run: string, sequence: number): string {
  return `${run}:${sequence}`;
}
