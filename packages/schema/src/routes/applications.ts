import { Type } from 'typebox';
import {
  ApplicationSchema,
  ApplicationsSchema,
  ArtifactsSchema,
  ENTRY_CURSOR_PATTERN,
  EVENT_CURSOR_PATTERN,
  EventPageSchema,
  QuarantineSchema,
  QueryAnswerSchema,
  TableEntriesSchema,
  TableEntrySchema,
} from '../applications.ts';
import { proofQuery } from '../state-proofs.ts';
import { CLOSED, JSON_BODY_PROBLEMS, limitOfPage, NONE, type Route } from './route.ts';

/** A query's input is as long as a call's at most, in JSON with names. */
const QUERY_BYTES_MAX = 64 * 1024;

const ApplicationName = Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$', examples: ['token'] });
const nameOf = (example: string) => Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$', examples: [example] });
const ofApplication = Type.Object({ application: ApplicationName }, CLOSED);
const ofTable = Type.Object({ application: ApplicationName, table: nameOf('balances') }, CLOSED);

export const APPLICATION_ROUTES = {
  applications: {
    method: 'GET',
    path: '/v1/applications',
    tag: 'applications',
    summary: 'The applications of the chain, with the manifests that they run with now',
    params: NONE,
    query: NONE,
    answers: { 200: ApplicationsSchema },
    tagged: true,
    problems: [],
  },
  application: {
    method: 'GET',
    path: '/v1/applications/{application}',
    tag: 'applications',
    summary: 'An application with its manifest',
    params: ofApplication,
    query: NONE,
    answers: { 200: ApplicationSchema },
    tagged: true,
    problems: ['application-unknown'],
  },
  artifacts: {
    method: 'GET',
    path: '/v1/artifacts',
    tag: 'applications',
    summary: 'Artifacts that the chain names or this node has, and which of them it may run',
    params: NONE,
    query: NONE,
    answers: { 200: ArtifactsSchema },
    problems: [],
  },
  quarantine: {
    method: 'GET',
    path: '/v1/quarantine',
    tag: 'applications',
    summary: 'Actions of applications that this node keeps out of its pool and its blocks',
    description: 'Of this node alone: it changes no block, and what a block does.',
    params: NONE,
    query: NONE,
    answers: { 200: QuarantineSchema },
    problems: [],
  },
  applicationArtifact: {
    method: 'GET',
    path: '/v1/applications/{application}/artifact',
    tag: 'applications',
    summary: 'The artifact of an application: manifest and script, up to 1 MiB',
    description:
      'Its SHA-256 is the hash in genesis, or after an upgrade in the proven state (`s` "apps"): who knows the genesis file need not trust this node for the manifest.',
    params: ofApplication,
    query: NONE,
    answers: { 200: undefined },
    media: ['application/octet-stream'],
    tagged: true,
    problems: ['application-unknown'],
  },
  applicationOpenapi: {
    method: 'GET',
    path: '/v1/applications/{application}/openapi.json',
    tag: 'applications',
    summary: 'The application as OpenAPI 3.1: its calls, entries, queries and events, with their schemas',
    params: ofApplication,
    query: NONE,
    answers: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
    tagged: true,
    problems: ['application-unknown'],
  },
  tableEntry: {
    method: 'GET',
    path: '/v1/applications/{application}/tables/{table}',
    tag: 'applications',
    summary: 'An entry of a table, by its key',
    description:
      'A key of one part is its text or number as it is; of several parts a JSON list; a cell has none. With `proof=true` the answer is of one certified height, and the proof shows the entry or its absence.',
    params: ofTable,
    query: Type.Object(
      {
        key: Type.Optional(
          Type.String({
            maxLength: 2_048,
            description: 'In the form of the manifest.',
            examples: [`0x01${'3b'.repeat(32)}`],
          }),
        ),
        ...proofQuery,
      },
      CLOSED,
    ),
    answers: { 200: TableEntrySchema },
    problems: [
      ...(['application-unknown', 'table-unknown', 'proof-not-ready', 'conflict'] as const),
      ...(['query-failed', 'query-too-large'] as const),
    ],
  },
  tableEntries: {
    method: 'GET',
    path: '/v1/applications/{application}/tables/{table}/entries',
    tag: 'applications',
    summary: 'Entries of a sorted table, in the order of keys',
    description: 'Other tables have no order: their entries are read by key.',
    params: ofTable,
    query: Type.Object(
      {
        cursor: Type.Optional(
          Type.String({
            title: 'EntryCursorParameter',
            pattern: ENTRY_CURSOR_PATTERN,
            description: '`next` of the page before.',
            examples: ['0x0100000007'],
          }),
        ),
        limit: limitOfPage,
        reverse: Type.Optional(
          Type.Enum(['true', 'false'], { description: 'true: begins with the greatest key.', default: 'false' }),
        ),
      },
      CLOSED,
    ),
    answers: { 200: TableEntriesSchema },
    problems: ['application-unknown', 'table-unknown', 'table-not-sorted', 'query-failed', 'query-too-large'],
  },
  applicationEvents: {
    method: 'GET',
    path: '/v1/applications/{application}/events',
    tag: 'applications',
    summary: 'Events of an application, oldest first',
    description:
      'Without `after` from the oldest retained block on. `next` is where the next page begins, also when there is no further event yet. Each event names the transaction whose receipt has it: /v1/transactions/{id}/proof shows the event. That none was left out is not proven.',
    params: ofApplication,
    query: Type.Object(
      {
        name: Type.Optional(nameOf('Transferred')),
        after: Type.Optional(
          Type.String({
            title: 'EventCursorParameter',
            pattern: EVENT_CURSOR_PATTERN,
            description: '`next` of the page before, or `cursor` of an event.',
            examples: ['42-0-1'],
          }),
        ),
        limit: limitOfPage,
      },
      CLOSED,
    ),
    answers: { 200: EventPageSchema },
    problems: ['application-unknown', 'event-unknown', 'pruned'],
  },
  applicationQuery: {
    method: 'POST',
    path: '/v1/applications/{application}/queries/{query}',
    tag: 'applications',
    summary: 'Run a query of an application on the committed state',
    description:
      'The body is the input, in the form of the manifest. A query changes nothing; it may take a million ticks and read 1,000 keys. The answer is what this node computes, and not proven.',
    params: Type.Object({ application: ApplicationName, query: nameOf('balance') }, CLOSED),
    query: NONE,
    body: {
      json: Type.Object({}, { additionalProperties: true, title: 'QueryInput' }),
      bytes: false,
      bytesMax: QUERY_BYTES_MAX,
    },
    answers: { 200: QueryAnswerSchema },
    problems: [
      ...JSON_BODY_PROBLEMS,
      ...(['application-unknown', 'query-unknown', 'query-failed', 'query-too-large'] as const),
    ],
  },
} as const satisfies Readonly<Record<string, Route>>;
