/**
 * Judges the messages of an event stream.
 *
 *   message --> envelope --> event: its data
 *                       \--> state: status and committee; then stats, past, and each peer, block, fleet node and past event by itself
 *
 * What does not have its form is left out and reported, and hides nothing else. Messages and events of types that this version does not
 * know are left out without a report: newer nodes send them.
 */
import { type TSchema, Type } from 'typebox';
import { faultsText, splitItems } from './answer-check.ts';
import { BlockViewSchema, PeerSchema } from './answers.ts';
import { type Check, createCheck } from './check.ts';
import { EVENT_TYPES, EVENTS, type EventType, isEventType } from './events.ts';
import { FleetNodeSchema } from './fleet.ts';
import { StatsSchema } from './stats.ts';
import {
  PastSchema,
  STREAM_MESSAGES,
  type StreamEvent,
  type StreamFullState,
  type StreamMessage,
  StreamStateSchema,
} from './stream.ts';

interface JudgedMessage {
  readonly message?: StreamMessage;
  /** One line per part that was left out. */
  readonly malformed: readonly string[];
  /** Of an event that was left out: the reader's position. */
  readonly passed?: number;
}

type StreamCheck = (message: unknown) => JudgedMessage;

const ITEMS = Type.Array(Type.Unknown());
/** Newer nodes may add topics and reasons. */
const ENVELOPES = {
  hello: Type.Object({ ...STREAM_MESSAGES.hello.properties, topics: Type.Array(Type.String()) }),
  state: Type.Object({
    ...STREAM_MESSAGES.state.properties,
    state: Type.Object({
      ...StreamStateSchema.properties,
      peers: ITEMS,
      blocks: ITEMS,
      fleet: Type.Optional(ITEMS),
      stats: Type.Unknown(),
      past: Type.Optional(Type.Unknown()),
    }),
  }),
  event: Type.Object({
    ...STREAM_MESSAGES.event.properties,
    event: Type.Object({ type: Type.String(), data: Type.Unknown() }),
  }),
  subscribed: Type.Object({ ...STREAM_MESSAGES.subscribed.properties, topics: Type.Array(Type.String()) }),
  heartbeat: STREAM_MESSAGES.heartbeat,
  bye: Type.Object({ ...STREAM_MESSAGES.bye.properties, reason: Type.String() }),
} as const;
const PAST = Type.Object({ ...PastSchema.properties, events: ITEMS });

type Verdict = 'valid' | 'unknown' | { readonly fault: string };

export function createStreamCheck(): StreamCheck {
  const envelopes = checksOf(ENVELOPES);
  const data = new Map<EventType, Check<unknown>>(EVENT_TYPES.map((type) => [type, createCheck(EVENTS[type].data)]));
  const items = {
    peers: createCheck(PeerSchema),
    blocks: createCheck(BlockViewSchema),
    fleet: createCheck(FleetNodeSchema),
  } as const;
  const checkStats = createCheck(StatsSchema);
  const checkPast = createCheck(PAST);

  function judgeEvent(message: unknown): Verdict {
    const envelope = envelopes.event(message);
    if (!envelope.ok) return { fault: `event: ${faultsText(envelope.error)}` };
    const { type, data: said } = (message as StreamEvent).event;
    if (!isEventType(type)) return 'unknown';
    const checked = data.get(type)?.(said);
    return checked?.ok ? 'valid' : { fault: `event ${type}: ${faultsText(checked?.error ?? [])}` };
  }

  function judgeState(message: StreamFullState): JudgedMessage {
    const malformed: string[] = [];
    const { stats, past, ...state } = message.state;
    const lists: Record<string, readonly unknown[]> = {};
    for (const [name, check] of Object.entries(items)) {
      const list = state[name as keyof typeof items];
      if (list === undefined) continue;
      const split = splitItems(list, check as Check<unknown>);
      lists[name] = split.items;
      malformed.push(...split.malformed.map(({ item, fault }) => `state: ${name}: item ${item}: ${fault}`));
    }
    const checkedStats = stats === null ? undefined : checkStats(stats);
    if (checkedStats?.ok === false) malformed.push(`state: stats: ${faultsText(checkedStats.error)}`);
    const known = past === undefined ? undefined : judgePast(past, malformed);
    const judged = {
      ...state,
      ...lists,
      stats: checkedStats?.ok ? stats : null,
      ...(known !== undefined && { past: known }),
    };
    return { message: { ...message, state: judged } as StreamFullState, malformed };
  }

  function judgePast(past: unknown, malformed: string[]): unknown {
    const checked = checkPast(past);
    if (!checked.ok) {
      malformed.push(`state: past: ${faultsText(checked.error)}`);
      return undefined;
    }
    const events = checked.value.events.filter((event) => {
      const verdict = judgeEvent(event);
      if (typeof verdict === 'object') malformed.push(`state: past: ${verdict.fault}`);
      return verdict === 'valid';
    });
    return { ...checked.value, events };
  }

  return (message) => {
    const { type, sequence } = (typeof message === 'object' && message !== null ? message : {}) as Record<
      string,
      unknown
    >;
    if (typeof type !== 'string') return { malformed: ['not a message with a type'] };
    if (!isMessageType(type)) return { malformed: [] };
    if (type === 'event') {
      const verdict = judgeEvent(message);
      if (verdict === 'valid') return { message: message as StreamEvent, malformed: [] };
      const passed = Number.isSafeInteger(sequence) ? { passed: sequence as number } : {};
      return { malformed: verdict === 'unknown' ? [] : [verdict.fault], ...passed };
    }
    const envelope = envelopes[type](message);
    if (!envelope.ok) return { malformed: [`${type}: ${faultsText(envelope.error)}`] };
    if (type === 'state') return judgeState(message as StreamFullState);
    return { message: message as StreamMessage, malformed: [] };
  };
}

function isMessageType(type: string): type is keyof typeof ENVELOPES {
  return Object.hasOwn(ENVELOPES, type);
}

function checksOf<K extends string>(schemas: Readonly<Record<K, TSchema>>): Readonly<Record<K, Check<unknown>>> {
  const checks = Object.entries<TSchema>(schemas).map(([name, schema]) => [name, createCheck(schema)]);
  return Object.fromEntries(checks) as Record<K, Check<unknown>>;
}
