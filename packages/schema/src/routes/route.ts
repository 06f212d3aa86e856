import { CHUNK_BYTES_MAX, TRANSACTION_BYTES_MAX } from '@slipstream/types';
import { type TObject, type TSchema, Type } from 'typebox';
import type { ProblemCode } from '../problem.ts';
import { Account, Amount, Id, MANY_ACCOUNTS_MAX, PeerId, UINT32_PATTERN } from '../scalars.ts';
import { proofQuery } from '../state-proofs.ts';
import { RESUME_PATTERN } from '../stream.ts';

/** A chunk's content. */
export const BATCH_TRANSACTIONS_MAX = 1_000;
export const BATCH_BYTES_MAX = 2 * CHUNK_BYTES_MAX + 64 * 1024;
/** In JSON a little over twice its bytes. */
export const TRANSACTION_JSON_BYTES_MAX = 3 * TRANSACTION_BYTES_MAX;
const PAGE_ITEMS_MAX = 100;
export const PAGE_ITEMS_DEFAULT = 20;
/** Of one request; a client asks again. */
export const WAIT_MS_MAX = 60_000;
export const WAIT_MS_DEFAULT = 10_000;

export const CLOSED = { additionalProperties: false } as const;
export const NONE = Type.Object({}, CLOSED);

const waitQuery = {
  wait: Type.Optional(
    Type.String({
      description:
        'Stages to wait for, separated by commas: attested, ordered, final. Answers when the last one is reached.',
      pattern: '^(attested|ordered|final)(,(attested|ordered|final)){0,2}$',
      examples: ['final'],
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      description: 'How long to wait at most.',
      minimum: 0,
      maximum: WAIT_MS_MAX,
      default: WAIT_MS_DEFAULT,
    }),
  ),
};
export const WaitQuery = Type.Object(waitQuery, CLOSED);

export const limitOfPage = Type.Optional(
  Type.Integer({ minimum: 1, maximum: PAGE_ITEMS_MAX, default: PAGE_ITEMS_DEFAULT }),
);

/** A cursor that is no `next` of the list is an error, not its end. */
function pageOf(cursor: { readonly title: string; readonly pattern: string; readonly examples: readonly [string] }) {
  const description = '`next` of the page before.';
  return {
    cursor: Type.Optional(Type.String({ ...cursor, examples: [...cursor.examples], description })),
    limit: limitOfPage,
  };
}

/** By a height, or a place in the list. */
const page = pageOf({ title: 'CursorParameter', pattern: '^[0-9]{1,15}$', examples: ['41'] });
export const PageQuery = Type.Object(page, CLOSED);
export const ProofQuery = Type.Object(proofQuery, CLOSED);
export const ValidatorsQuery = Type.Object(
  {
    ...page,
    waiting: Type.Optional(
      Type.Enum(['true', 'false'], {
        description:
          'true: only those that a seal is awaited for, in the order of their actions: candidates, and those that rotate their keys, leave or were reported.',
        default: 'false',
      }),
    ),
  },
  CLOSED,
);
/** Height and index. */
export const AccountPageQuery = Type.Object(
  pageOf({ title: 'AccountCursorParameter', pattern: '^[0-9]{1,15}-[0-9]{1,9}$', examples: ['41-0'] }),
  CLOSED,
);

export const StreamQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({ description: 'Separated by commas; all when missing.', pattern: '^[a-z,]{1,200}$' }),
    ),
    resume: Type.Optional(
      Type.String({
        description:
          '"run:sequence": the run of the hello, the sequence of the last message taken in, whatever its type. The state follows instead of what was missed when that is gone, when the run is another, and after 0.',
        pattern: RESUME_PATTERN,
      }),
    ),
    past: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: 'true: the state has what the node remembers of its past, for charts: up to 300 kB.',
        default: 'false',
      }),
    ),
  },
  CLOSED,
);

export const BlockReference = Type.String({
  description: 'A height, a block id, or `latest`.',
  pattern: '^(latest|0|[1-9][0-9]{0,14}|0x[0-9a-fA-F]{64})$',
  examples: ['latest'],
});

export const DirectoryReference = Type.String({
  description: 'An index, or an account.',
  pattern: `^(${UINT32_PATTERN}|0x0[12][0-9a-fA-F]{64})$`,
  examples: ['0'],
});

export const AnyId = Type.String({ ...Id, title: 'IdParameter', pattern: '^0x[0-9a-fA-F]{64}$' });
export const AnyAccount = Type.String({ ...Account, title: 'AccountParameter', pattern: '^0x0[123][0-9a-fA-F]{64}$' });
export const AccountsQuery = Type.Object(
  {
    accounts: Type.String({
      ...Account,
      title: 'AccountsParameter',
      description: `Up to ${MANY_ACCOUNTS_MAX}, separated by commas.`,
      pattern: `^0x0[123][0-9a-fA-F]{64}(,0x0[123][0-9a-fA-F]{64}){0,${MANY_ACCOUNTS_MAX - 1}}$`,
    }),
  },
  CLOSED,
);
export const AnyPeer = Type.String({ ...PeerId, title: 'PeerParameter', pattern: '^0x[0-9a-fA-F]{64}$' });

export const FaucetRequestSchema = Type.Object(
  { account: AnyAccount, amount: Type.Optional(Amount) },
  { ...CLOSED, title: 'FaucetRequest' },
);

export const BlockPeerRequestSchema = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 200, description: 'For the record.' })) },
  { ...CLOSED, title: 'BlockPeerRequest' },
);

export const BatchRequestSchema = Type.Object(
  {
    transactions: Type.Array(
      Type.String({
        description: 'A serialized transaction.',
        pattern: '^0x([0-9a-fA-F]{2})*$',
        maxLength: 2 + 2 * TRANSACTION_BYTES_MAX,
      }),
      { minItems: 1, maxItems: BATCH_TRANSACTIONS_MAX },
    ),
  },
  { ...CLOSED, title: 'BatchRequest' },
);

type Method = 'GET' | 'POST';
type MediaType = 'application/json' | 'application/octet-stream' | 'text/plain' | 'text/html' | 'text/event-stream';

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly tag:
    | ('transactions' | 'accounts' | 'sessions' | 'blocks' | 'chain' | 'applications' | 'epochs')
    | ('node' | 'streams' | 'admin');
  readonly summary: string;
  /** Facts beyond the schemas. */
  readonly description?: string;
  readonly params: TObject;
  readonly query: TObject;
  /** `bytes`: SSZ is accepted too. */
  readonly body?: {
    readonly json: TSchema;
    readonly bytes: boolean;
    readonly bytesMax: number;
    readonly optional?: boolean;
  };
  /** By status; undefined: not JSON. */
  readonly answers: Readonly<Record<number, TSchema | undefined>>;
  readonly media?: readonly MediaType[];
  /** With an ETag; may be 304. */
  readonly tagged?: true;
  readonly problems: readonly ProblemCode[];
}

export const COMMON_PROBLEMS = [
  'malformed-request',
  'host-not-allowed',
  'bad-parameter',
  'method-not-allowed',
  'request-timeout',
  'too-large', // headers too
  'rate-limited',
  'overloaded',
  'not-ready', // it takes over a state
  'internal',
] as const satisfies readonly ProblemCode[];

export const JSON_BODY_PROBLEMS = ['malformed-json', 'malformed-body', 'unsupported-media-type'] as const;
