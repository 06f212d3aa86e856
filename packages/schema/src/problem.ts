/** REST errors: RFC 9457 problem+json with a stable `code`. The client's fault is 4xx, a temporary inability 503; there is no other 5xx. */
import { KEY_SIGNATURE_FAULTS, SKIP_REASONS, type SkipReason } from '@slipstream/types';
import { Type } from 'typebox';
import type { Json } from './scalars.ts';

interface Kind {
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
}

export const PROBLEMS = {
  'malformed-request': {
    status: 400,
    title: 'The request is not well-formed HTTP',
    remedy: 'Send a valid HTTP/1.1 request.',
  },
  'malformed-json': { status: 400, title: 'The body is not JSON', remedy: 'Send valid JSON without __proto__ keys.' },
  'malformed-body': {
    status: 400,
    title: 'The body does not have the right form',
    remedy: 'See `faults` and /openapi.json.',
  },
  'malformed-transaction': {
    status: 400,
    title: 'The bytes are not a transaction',
    remedy: 'Send the canonical SSZ serialization of a transaction, or its JSON form.',
  },
  'bad-parameter': { status: 400, title: 'A parameter is not valid', remedy: 'See `faults` and /openapi.json.' },
  'host-not-allowed': {
    status: 400,
    title: 'The Host header names another host',
    remedy: 'Add the name to `api.allowHosts` in the configuration of the node.',
  },
  'origin-not-allowed': {
    status: 400,
    title: 'A page of this origin may not open a stream',
    remedy: 'Open the page from this node, or add its origin to `api.allowOrigins` in the configuration.',
  },
  unauthorized: { status: 401, title: 'A valid admin token is needed', remedy: 'Send `Authorization: Bearer TOKEN`.' },
  'admin-remote': {
    status: 401,
    title: 'Admin routes answer on the loopback interface alone',
    remedy: "Call from the node's own machine, or set `api.adminFromAnywhere` in its configuration.",
  },
  'route-unknown': { status: 404, title: 'There is no such route', remedy: 'See /docs.' },
  'transaction-unknown': {
    status: 404,
    title: 'This node does not know the transaction',
    remedy:
      'It was never accepted here, it expired, or its block is pruned. The same bytes may be sent again: they pay once.',
  },
  'application-unknown': {
    status: 404,
    title: 'This chain runs no such application',
    remedy: 'See /v1/applications.',
  },
  'artifact-unknown': {
    status: 404,
    title: 'This node does not have the artifact',
    remedy:
      'See /v1/artifacts: it is fetched once a proposal names it. Or put the file there: slipstream app accept FILE.',
  },
  'artifact-refused': {
    status: 409,
    title: 'The artifact cannot be accepted',
    remedy: 'See `detail`. Build it again from its sources, with the lock file of the version before.',
  },
  'action-unknown': {
    status: 404,
    title: 'The application has no such action, or it is not in quarantine',
    remedy: 'See its manifest in /v1/applications, and /v1/quarantine. Names are case-sensitive.',
  },
  'table-unknown': {
    status: 404,
    title: 'The application has no such table',
    remedy: 'See its manifest in /v1/applications. Names are case-sensitive.',
  },
  'event-unknown': {
    status: 404,
    title: 'The application has no such event',
    remedy: 'See its manifest in /v1/applications. Names are case-sensitive.',
  },
  'query-unknown': {
    status: 404,
    title: 'The application has no such query',
    remedy: 'See its manifest in /v1/applications. Names are case-sensitive.',
  },
  'table-not-sorted': {
    status: 409,
    title: 'The entries of this table have no order',
    remedy: 'Read them by key. Only a sorted table has pages.',
  },
  'batch-unknown': {
    status: 404,
    title: 'There is no such distilled batch here',
    remedy: 'It did not run, or its block is pruned. A batch id is in the answer of each of its rows.',
  },
  'block-unknown': { status: 404, title: 'There is no such block here', remedy: 'It may not be final yet.' },
  'certificate-unknown': { status: 404, title: 'No certificate is known at this height', remedy: 'Ask again later.' },
  'session-unknown': {
    status: 404,
    title: 'This chain does not know the session',
    remedy: 'Its grant is not committed here, or it was never used here.',
  },
  'data-unknown': {
    status: 404,
    title: 'The account has no data under this name',
    remedy: 'Names are case-sensitive.',
  },
  'epoch-unknown': {
    status: 404,
    title: 'This node has no record of the epoch',
    remedy: 'No block has sealed it: see /v1/epochs.',
  },
  'validator-unknown': {
    status: 404,
    title: 'The chain knows no such validator',
    remedy: 'See /v1/validators. A candidate whose proposal ended is forgotten.',
  },
  'proposal-unknown': {
    status: 404,
    title: 'There is no such open proposal',
    remedy: 'It was sealed, revoked by all who approved it, or it expired: see /v1/proposals and /v1/epochs.',
  },
  'peer-unknown': { status: 404, title: 'There is no such peer', remedy: 'See /v1/peers.' },
  'fleet-node-unknown': {
    status: 404,
    title: 'There is no such node in the fleet',
    remedy: 'See /v1/fleet, and fleet.nodes in the configuration.',
  },
  'no-broker': {
    status: 404,
    title: 'This node is no broker',
    remedy: 'Ask a node with `broker.enabled`. Its chain needs an account directory.',
  },
  'faucet-off': { status: 404, title: 'This chain has no faucet', remedy: 'Only development chains have one.' },
  'method-not-allowed': { status: 405, title: 'The route has no such method', remedy: 'See the Allow header.' },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive whole in time',
    remedy: 'Send it again, within 30 seconds; split what is large.',
  },
  'entry-unknown': {
    status: 404,
    title: 'The account directory has no such entry',
    remedy:
      'Register the account: `slipstream account register`. Chains whose genesis has no `distilled` have no directory.',
  },
  'proof-not-ready': {
    status: 409,
    title: 'There is no proof yet',
    remedy: 'Of a transaction: wait until it is final, `?wait=final`. Of state: ask again.',
  },
  conflict: { status: 409, title: 'The present state does not allow it', remedy: 'See `detail`.' },
  pruned: {
    status: 410,
    title: 'It was here and has been pruned',
    remedy: 'Ask a node that retains more: `retention.blocks`, `retention.archive`.',
  },
  'too-large': { status: 413, title: 'The request is too large', remedy: 'Split it.' },
  'unsupported-media-type': {
    status: 415,
    title: 'The content type is not supported',
    remedy: 'Send application/json, or application/octet-stream where the route takes bytes.',
  },
  'invalid-transaction': {
    status: 422,
    title: 'The transaction is well-formed and not valid',
    remedy: 'See `reason`.',
  },
  'query-failed': {
    status: 422,
    title: 'The query did not answer',
    remedy: 'The application refuses it, or threw an exception: see `detail`.',
  },
  'query-too-large': {
    status: 422,
    title: 'The query takes too much',
    remedy: 'It may take a million ticks and read 1,000 keys: ask for less at once.',
  },
  'rate-limited': { status: 429, title: 'Too many requests from this address', remedy: 'Wait for `Retry-After`.' },
  'too-many-streams': { status: 429, title: 'Too many open streams', remedy: 'Close some, or wait for `Retry-After`.' },
  overloaded: { status: 503, title: 'The node is overloaded', remedy: 'Wait for `Retry-After` and send again.' },
  'not-ready': { status: 503, title: 'The node is not ready', remedy: 'It starts, syncs or stops: see `detail`.' },
  internal: {
    status: 503,
    title: 'The node could not answer',
    remedy: 'Wait for `Retry-After` and send again; the log of the node has the reason.',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

type SessionReason = Extract<SkipReason, `session-${string}`>;
const SESSION_REASONS = Object.keys(SKIP_REASONS).filter((reason): reason is SessionReason =>
  reason.startsWith('session-'),
);

/** For which execution would skip the transaction, as far as known at submission. */
export const REFUSAL_REASONS = [
  'bad-signature',
  'wrong-genesis',
  'expired',
  'expiry-too-far',
  'duplicate',
  'fee-not-covered',
  'max-fee-too-low',
  'insufficient-balance',
  'malformed',
  'call-quarantined',
  ...KEY_SIGNATURE_FAULTS,
  ...SESSION_REASONS,
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ examples: ['/docs/problems#transaction-unknown'] }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.Enum(PROBLEM_CODES),
    detail: Type.String({ description: 'What happened, to what, and what to do.' }),
    reason: Type.Optional(Type.Enum([...REFUSAL_REASONS], { description: 'Why a transaction is not valid.' })),
    faults: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer into the body, or the name of a parameter.' }),
          message: Type.String(),
        }),
      ),
    ),
    retryAfterMs: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: 'Problem', description: 'RFC 9457 problem details.' },
);
export type Problem = Json<typeof ProblemSchema>;
export type ProblemFault = NonNullable<Problem['faults']>[number];

export interface ProblemDetails {
  readonly detail?: string;
  readonly reason?: RefusalReason;
  readonly faults?: readonly ProblemFault[];
  readonly retryAfterMs?: number;
}

export function problem(code: ProblemCode, { detail, ...rest }: ProblemDetails = {}): Problem {
  const { status, title, remedy } = PROBLEMS[code];
  return { type: `/docs/problems#${code}`, title, status, code, detail: detail ?? `${title}. ${remedy}`, ...rest };
}
