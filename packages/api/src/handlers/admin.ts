/** Requires a bearer token and, by default, a loopback client. Refusals are recorded at a bounded rate, since any client can cause them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, PeerKey, Telemetry } from '@slipstream/ports';
import { fromHex } from '@slipstream/primitives';
import type { AuditEntry, LogLevelJson } from '@slipstream/schema';
import type { AcceptOutcome } from '../accept-outcome.ts';
import { isLoopback } from '../addresses.ts';
import { type Answer, type ApiRequest, type Handler, json, refuse } from '../answer.ts';
import type { AdminOutcome, DrainRequest, NodeBackend } from '../backend.ts';

interface AdminRules {
  readonly token: string | undefined;
  readonly loopbackOnly: boolean;
}

/** Operator actions, retained longer than the log. */
export interface AuditLog {
  /** Never waits, never throws. */
  record(entry: AuditEntry): void;
  /** Bounded, newest first. */
  newest(): Promise<readonly AuditEntry[]>;
}

interface AdminComponents {
  readonly backend: Pick<
    NodeBackend,
    'blockPeer' | 'unblockPeer' | 'acceptArtifact' | 'quarantine' | 'quarantineAction' | 'liftQuarantine' | 'operation'
  >;
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly audit: AuditLog;
}

type AdminRoute =
  | 'blockPeer'
  | 'unblockPeer'
  | 'acceptArtifact'
  | 'quarantineAction'
  | 'liftQuarantine'
  | 'logLevel'
  | 'setLogLevel'
  | 'drainState'
  | 'drain'
  | 'undrain'
  | 'audit';

const DRAIN_MS_DEFAULT = 60_000;
/** With entries of about 150 bytes, refusals take three weeks to evict an action from 32 MiB. */
const REFUSALS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

export function createAdminHandlers(
  components: AdminComponents,
  rules: AdminRules,
): Readonly<Record<AdminRoute, Handler>> {
  const { backend, audit } = components;
  const { operation } = backend;
  const record = createRecord(components);

  /** Only refusals are recorded. */
  function readOnly(name: string, answer: () => Promise<unknown>): Handler {
    return async (request) => {
      const refusal = refusalOf(request, rules);
      if (refusal === undefined) return json(await answer());
      record.refusal(request, name, refusal);
      return refuse(refusal);
    };
  }

  function act(name: string, detailOf: (request: ApiRequest) => string, run: (request: ApiRequest) => Promise<Done>) {
    return async (request: ApiRequest): Promise<Answer> => {
      const refusal = refusalOf(request, rules);
      if (refusal !== undefined) {
        record.refusal(request, name, refusal);
        return refuse(refusal);
      }
      const { outcome, answer } = await run(request);
      record.act(request, name, outcome, detailOf(request));
      return answer;
    };
  }

  return {
    blockPeer: act(
      'block-peer',
      (request) => `${peerOf(request)}: ${reasonOf(request)}`,
      async (request) => peerAnswer(request, await backend.blockPeer(keyOf(request), reasonOf(request))),
    ),
    unblockPeer: act('unblock-peer', peerOf, async (request) =>
      peerAnswer(request, await backend.unblockPeer(keyOf(request))),
    ),
    acceptArtifact: act('accept-artifact', artifactOf, async (request) =>
      acceptAnswer(request, await backend.acceptArtifact(fromHex(artifactOf(request)))),
    ),
    quarantineAction: act('quarantine', actionOf, ({ params }) =>
      quarantineAnswer(backend, backend.quarantineAction(params.application ?? '', params.action ?? '')),
    ),
    liftQuarantine: act('lift-quarantine', actionOf, ({ params }) =>
      quarantineAnswer(backend, backend.liftQuarantine(params.application ?? '', params.action ?? '')),
    ),
    logLevel: readOnly('read-log-level', async () => ({ level: await operation.logLevel() })),
    setLogLevel: act(
      'set-log-level',
      ({ body }) => (body as LogLevelJson).level,
      async ({ body }) => {
        const { level } = body as LogLevelJson;
        await operation.setLogLevel(level);
        return { outcome: 'done', answer: json({ level }) };
      },
    ),
    drainState: readOnly('read-drain', () => operation.drainState()),
    drain: act(
      'drain',
      (request) => JSON.stringify(drainRequestOf(request)),
      async (request) => ({ outcome: 'done', answer: json(await operation.drain(drainRequestOf(request))) }),
    ),
    undrain: act(
      'undrain',
      () => '',
      async () => ({ outcome: 'done', answer: json(await operation.undrain()) }),
    ),
    audit: readOnly('read-audit', async () => ({ items: await audit.newest() })),
  };
}

interface Done {
  readonly outcome: string;
  readonly answer: Answer;
}

function createRecord({ telemetry, clock, audit }: AdminComponents) {
  let sinceMs = Number.NEGATIVE_INFINITY;
  let refusals = 0;

  /** Unrecorded refusals before this one; undefined: this one is unrecorded. */
  function passedOver(atMs: number): number | undefined {
    refusals += 1;
    if (Math.abs(atMs - sinceMs) < MINUTE_MS) return refusals > REFUSALS_PER_MINUTE ? undefined : 0;
    const unrecorded = Math.max(0, refusals - 1 - REFUSALS_PER_MINUTE);
    sinceMs = atMs;
    refusals = 1;
    return unrecorded;
  }

  return {
    act({ address }: ApiRequest, act: string, outcome: string, detail: string): void {
      telemetry.log('info', 'an admin act', { act, address, outcome, detail });
      audit.record({ atMs: clock.wallMs(), act, address, outcome, detail });
    },
    /** Without the requested detail: an unauthorized client wrote it. */
    refusal({ address }: ApiRequest, act: string, reason: string): void {
      telemetry.count('api_admin_refusals_total', 1, { reason });
      const atMs = clock.wallMs();
      const before = passedOver(atMs);
      if (before === undefined) return;
      const detail = before === 0 ? '' : `${before} more were refused before it and are not recorded`;
      telemetry.log('warn', 'an admin request was refused', { act, address, reason, detail });
      audit.record({ atMs, act, address, outcome: reason, detail });
    },
  };
}

function drainRequestOf({ body }: ApiRequest): DrainRequest {
  const { stop = false, deadlineMs = DRAIN_MS_DEFAULT } = (body ?? {}) as Partial<DrainRequest>;
  return { stop, deadlineMs };
}

const peerOf = ({ params }: ApiRequest): string => (params.peer ?? '').toLowerCase();
const keyOf = (request: ApiRequest): PeerKey => peerOf(request).slice(2) as PeerKey;

function reasonOf({ body }: ApiRequest): string {
  return ((body ?? {}) as { readonly reason?: string }).reason ?? 'blocked by an operator';
}

function peerAnswer(request: ApiRequest, outcome: AdminOutcome): Done {
  switch (outcome.type) {
    case 'done':
      return { outcome: 'done', answer: json({ done: true, peer: peerOf(request) }) };
    case 'unknown':
      return { outcome: 'unknown', answer: refuse('peer-unknown') };
    case 'refused':
      return { outcome: 'refused', answer: refuse('conflict', { detail: outcome.detail }) };
    default:
      return outcome satisfies never;
  }
}

const artifactOf = ({ params }: ApiRequest): string => (params.hash ?? '').toLowerCase();

function acceptAnswer(request: ApiRequest, outcome: AcceptOutcome): Done {
  switch (outcome.type) {
    case 'accepted': {
      const { type: _, ...accepted } = outcome;
      return { outcome: 'done', answer: json({ hash: artifactOf(request), ...accepted }) };
    }
    case 'unknown':
      return { outcome: 'unknown', answer: refuse('artifact-unknown') };
    case 'refused':
      return { outcome: 'refused', answer: refuse('artifact-refused', { detail: outcome.detail }) };
    default:
      return outcome satisfies never;
  }
}

const actionOf = ({ params }: ApiRequest): string => `${params.application}.${params.action}`;

async function quarantineAnswer(backend: Pick<NodeBackend, 'quarantine'>, acted: Promise<AdminOutcome>): Promise<Done> {
  const outcome = await acted;
  switch (outcome.type) {
    case 'done':
      return { outcome: 'done', answer: json({ items: await backend.quarantine() }) };
    case 'unknown':
      return { outcome: 'unknown', answer: refuse('action-unknown') };
    case 'refused':
      return { outcome: 'refused', answer: refuse('conflict', { detail: outcome.detail }) };
    default:
      return outcome satisfies never;
  }
}

function refusalOf(
  { address, headers }: ApiRequest,
  { token, loopbackOnly }: AdminRules,
): 'admin-remote' | 'unauthorized' | undefined {
  if (loopbackOnly && !isLoopback(address)) return 'admin-remote';
  const [, given] = /^Bearer ([!-~]{1,256})$/i.exec(String(headers.authorization ?? '')) ?? [];
  return token !== undefined && given !== undefined && equalSecrets(given, token) ? undefined : 'unauthorized';
}

/** In constant time. */
function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
