/**
 * AsyncAPI 3 of the streams, from the tables of messages and events.
 *
 * The application described is the node: it sends what a reader receives. An event is a message of its own, so that each has its topic and
 * its data.
 */
import { type TSchema, Type } from 'typebox';
import { EVENT_TYPES, EVENTS, TOPICS } from './events.ts';
import { hoist, type JsonObject, type JsonValue, plain, sorted } from './named-schemas.ts';
import { ROUTE_TABLE } from './routes/index.ts';
import { BYE_CLOSE_CODES, STREAM_MESSAGES, StreamRequestSchema } from './stream.ts';

interface AsyncApiOptions {
  readonly version: string;
}

interface Channel {
  readonly route: 'stream' | 'events' | 'fleetStream';
  readonly transport: 'webSocket' | 'serverSentEvents';
  readonly title: string;
}

const CHANNELS: readonly Channel[] = [
  { route: 'stream', transport: 'webSocket', title: 'Events over a WebSocket' },
  { route: 'events', transport: 'serverSentEvents', title: 'Server-sent events' },
  { route: 'fleetStream', transport: 'webSocket', title: 'Events of a node of the fleet' },
];

const PROTOCOL = [
  'A reader connects and gets `hello`, then the whole `state`, then events with rising sequence numbers.',
  'With `resume` it gets the missed events in place of the state, unless they are gone.',
  '`resume` is "run:sequence": the run of the hello, the sequence of the last message taken in.',
  'A node adds fields, events and message types within a protocol number: readers ignore those that they do not know.',
  'A reader that is too slow gets `bye`, is disconnected, and may resume.',
].join(' ');

type FrameName = Exclude<keyof typeof STREAM_MESSAGES, 'event'>;

const SUMMARIES: Readonly<Record<FrameName, string>> = {
  hello: 'The first message: which run of the node this is, and what can be resumed.',
  state: 'Everything that a console draws, as of `sequence`.',
  subscribed: 'The answer to `subscribe`: the topics from here on.',
  heartbeat: 'Nothing else was sent for a while.',
  bye: `The last message. A WebSocket is closed with the code of the reason: ${Object.entries(BYE_CLOSE_CODES)
    .map(([reason, code]) => `${reason} ${code}`)
    .join(', ')}.`,
};

export function asyncApiDocument({ version }: AsyncApiOptions): JsonObject {
  const schemas = new Map<string, JsonValue>();
  const sent = sentMessages(schemas);
  const subscribe = message('subscribe', 'Change the topics of this connection.', StreamRequestSchema, schemas);
  const channels = CHANNELS.map((channel): [string, JsonValue] => [
    channel.route,
    channelOf(channel, Object.keys(sent)),
  ]);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Slipstream streams',
      version,
      description: PROTOCOL,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: TOPICS.map((name) => ({ name })),
    },
    defaultContentType: 'application/json',
    servers: { webSocket: server('ws'), serverSentEvents: server('http') },
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(CHANNELS.flatMap((channel) => operations(channel, Object.keys(sent)))),
    components: { messages: { ...sent, subscribe }, schemas: sorted(schemas) },
  };
}

function sentMessages(schemas: Map<string, JsonValue>): Record<string, JsonObject> {
  const { event, ...others } = STREAM_MESSAGES;
  const frames = Object.entries(others).map(([name, schema]): [string, JsonObject] => [
    name,
    message(name, SUMMARIES[name as FrameName], schema, schemas),
  ]);
  const events = EVENT_TYPES.map((type): [string, JsonObject] => {
    const { topic, summary, data } = EVENTS[type];
    const payload = Type.Object({
      ...event.properties,
      event: Type.Object({ type: Type.Literal(type), data: data as TSchema }),
    });
    return [type, { ...message(type, summary, payload, schemas), tags: [{ name: topic }] }];
  });
  return Object.fromEntries([...frames, ...events]);
}

function message(name: string, summary: string, schema: unknown, schemas: Map<string, JsonValue>): JsonObject {
  return { name, summary, payload: hoist(plain(schema), schemas) };
}

/** A node does not know by which address its readers reach it. */
function server(protocol: 'ws' | 'http'): JsonValue {
  return {
    host: '{address}',
    protocol,
    variables: { address: { default: '127.0.0.1:8080', description: 'Host and port of the API of the node.' } },
  };
}

function channelOf({ route, transport, title }: Channel, sent: readonly string[]): JsonValue {
  const { path, summary, description, params, query } = ROUTE_TABLE[route];
  const parameters = Object.entries(params.properties).map(([name, schema]): [string, JsonValue] => {
    const { description: says = name } = schema as { readonly description?: string };
    return [name, { description: says }];
  });
  const names = transport === 'webSocket' ? [...sent, 'subscribe'] : sent;
  return {
    address: path,
    title,
    summary,
    ...(description !== undefined && { description }),
    servers: [{ $ref: `#/servers/${transport}` }],
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    ...(transport === 'webSocket' && {
      bindings: { ws: { method: 'GET', query: plain(query), bindingVersion: '0.1.0' } },
    }),
  };
}

function operations({ route, transport }: Channel, sent: readonly string[]): readonly [string, JsonValue][] {
  const channel = { $ref: `#/channels/${route}` };
  const messages = (names: readonly string[]) =>
    names.map((name) => ({ $ref: `#/channels/${route}/messages/${name}` }));
  const query = plain(ROUTE_TABLE[route].query);
  const http = { bindings: { http: { method: 'GET', query, bindingVersion: '0.3.0' } } };
  const isSocket = transport === 'webSocket';
  return [
    [`${route}.send`, { action: 'send', channel, messages: messages(sent), ...(!isSocket && http) }],
    ...(isSocket
      ? [
          [`${route}.subscribe`, { action: 'receive', channel, messages: messages(['subscribe']) }] as [
            string,
            JsonValue,
          ],
        ]
      : []),
  ];
}
