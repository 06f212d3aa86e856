import { Type } from 'typebox';
import { AuditPageSchema, DrainStateSchema, LogLevelSchema } from '../administration.ts';
import { AdminResultSchema } from '../answers.ts';
import { AcceptedArtifactSchema, QuarantineSchema } from '../applications.ts';
import { FleetName, FleetSchema } from '../fleet.ts';
import { Id } from '../scalars.ts';
import { AnyPeer, BlockPeerRequestSchema, CLOSED, JSON_BODY_PROBLEMS, NONE, type Route, StreamQuery } from './route.ts';

const ADMIN_PROBLEMS = ['unauthorized', 'admin-remote'] as const;
const ArtifactHash = Type.String({ ...Id, title: 'ArtifactHashParameter' });
const QuarantineParams = Type.Object(
  {
    application: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$', examples: ['token'] }),
    action: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$', examples: ['mint'], description: 'Its name.' }),
  },
  CLOSED,
);
const NO_BODY = { json: Type.Object({}, CLOSED), bytes: false, bytesMax: 1024, optional: true } as const;

export const OPERATOR_ROUTES = {
  blockPeer: {
    method: 'POST',
    path: '/v1/admin/peers/{peer}/block',
    tag: 'admin',
    summary: 'Refuse a peer until it is unblocked or the node restarts',
    params: Type.Object({ peer: AnyPeer }, CLOSED),
    query: NONE,
    body: { json: BlockPeerRequestSchema, bytes: false, bytesMax: 4 * 1024, optional: true },
    answers: { 200: AdminResultSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS, 'peer-unknown', 'conflict'],
  },
  unblockPeer: {
    method: 'POST',
    path: '/v1/admin/peers/{peer}/unblock',
    tag: 'admin',
    summary: 'Lift a block',
    params: Type.Object({ peer: AnyPeer }, CLOSED),
    query: NONE,
    body: NO_BODY,
    answers: { 200: AdminResultSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS, 'peer-unknown'],
  },
  acceptArtifact: {
    method: 'POST',
    path: '/v1/admin/artifacts/{hash}/accept',
    tag: 'admin',
    summary: 'Accept an artifact of an application: from now on this node may run it',
    description:
      'An artifact runs with the rights of the node. It was fetched from a peer, or put into the home by slipstream app accept; it is compared with the newest version that was accepted before, and loaded.',
    params: Type.Object({ hash: ArtifactHash }, CLOSED),
    query: NONE,
    body: NO_BODY,
    answers: { 200: AcceptedArtifactSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS, 'artifact-unknown', 'artifact-refused'],
  },
  quarantineAction: {
    method: 'POST',
    path: '/v1/admin/quarantine/{application}/{action}',
    tag: 'admin',
    summary: "Keep an action's calls out of this node's pool and blocks, until it is lifted",
    params: QuarantineParams,
    query: NONE,
    body: NO_BODY,
    answers: { 200: QuarantineSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS, 'action-unknown', 'conflict'],
  },
  liftQuarantine: {
    method: 'POST',
    path: '/v1/admin/quarantine/{application}/{action}/lift',
    tag: 'admin',
    summary: 'Let calls of an action into the pool and blocks of this node again',
    params: QuarantineParams,
    query: NONE,
    body: NO_BODY,
    answers: { 200: QuarantineSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS, 'action-unknown'],
  },
  logLevel: {
    method: 'GET',
    path: '/v1/admin/log-level',
    tag: 'admin',
    summary: 'The least severity that is logged',
    params: NONE,
    query: NONE,
    answers: { 200: LogLevelSchema },
    problems: [...ADMIN_PROBLEMS],
  },
  setLogLevel: {
    method: 'POST',
    path: '/v1/admin/log-level',
    tag: 'admin',
    summary: 'Log more or less, until the node restarts',
    params: NONE,
    query: NONE,
    body: { json: LogLevelSchema, bytes: false, bytesMax: 1024 },
    answers: { 200: LogLevelSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS],
  },
  drainState: {
    method: 'GET',
    path: '/v1/admin/drain',
    tag: 'admin',
    summary: 'Whether the node drains, and what is left',
    params: NONE,
    query: NONE,
    answers: { 200: DrainStateSchema },
    problems: [...ADMIN_PROBLEMS],
  },
  drain: {
    method: 'POST',
    path: '/v1/admin/drain',
    tag: 'admin',
    summary: 'Take no more transactions and finish what was accepted; stop then, if asked to',
    description:
      'Submissions are answered 503 and /readyz goes 503 at once; reads, streams and consensus go on. With stop, the process ends cleanly when nothing accepted here is pending any more, or at the deadline.',
    params: NONE,
    query: NONE,
    body: {
      json: Type.Object(
        {
          stop: Type.Optional(Type.Boolean({ description: 'End the process afterwards.', default: false })),
          deadlineMs: Type.Optional(
            Type.Integer({
              description: 'Stop at the latest after this time, whatever is pending.',
              minimum: 0,
              maximum: 3_600_000,
              default: 60_000,
            }),
          ),
        },
        { ...CLOSED, title: 'DrainRequest' },
      ),
      bytes: false,
      bytesMax: 1024,
      optional: true,
    },
    answers: { 200: DrainStateSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS],
  },
  undrain: {
    method: 'POST',
    path: '/v1/admin/undrain',
    tag: 'admin',
    summary: 'Take transactions again',
    params: NONE,
    query: NONE,
    body: NO_BODY,
    answers: { 200: DrainStateSchema },
    problems: [...JSON_BODY_PROBLEMS, ...ADMIN_PROBLEMS],
  },
  audit: {
    method: 'GET',
    path: '/v1/admin/audit',
    tag: 'admin',
    summary: 'The newest operator actions on this node, newest first',
    params: NONE,
    query: NONE,
    answers: { 200: AuditPageSchema },
    problems: [...ADMIN_PROBLEMS],
  },
  fleet: {
    method: 'GET',
    path: '/v1/fleet',
    tag: 'node',
    summary: 'The other nodes that this one watches, with the last status of each',
    params: NONE,
    query: NONE,
    answers: { 200: FleetSchema },
    problems: [],
  },
  fleetStream: {
    method: 'GET',
    path: '/v1/fleet/{node}/stream',
    tag: 'streams',
    summary: 'The event stream of a node of the fleet, relayed word for word',
    description:
      'The same protocol as /v1/stream, resume included. When the node is lost, the stream ends with bye and reason upstream: connect again.',
    params: Type.Object({ node: FleetName }, CLOSED),
    query: StreamQuery,
    answers: { 101: undefined },
    problems: ['origin-not-allowed', 'too-many-streams', 'fleet-node-unknown'],
  },
} as const satisfies Readonly<Record<string, Route>>;
