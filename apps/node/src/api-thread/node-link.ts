/** The API's calls to the main thread. */
import type { AcceptOutcome, AdminOutcome } from '@slipstream/api';
import type { Dissemination, SubmitResult } from '@slipstream/dissemination';
import type { PeerKey } from '@slipstream/ports';
import { fromHex, toHex, utf8 } from '@slipstream/primitives';
import {
  type ArtifactView,
  LOG_LEVELS,
  type LogLevelName,
  type Peer,
  type QuarantineView,
  type Status,
} from '@slipstream/schema';
import type { Channel, Handlers } from '../threads/channel.ts';
import { pausedError } from '../threads/errors.ts';
import { type Head, messageOf } from '../threads/message.ts';
import { sendTelemetry, type TelemetryLine } from '../threads/thread-telemetry.ts';
import { type BrokerLink, brokerHandlers, brokerLinkThrough } from './broker-link.ts';
import { sharing } from './sharing.ts';
import { decodeSubmitResults, encodeSubmitResults } from './submit-results.ts';
import type { NodeSide } from './wire.ts';

export type PooledState = ReturnType<Dissemination['status']>;

export interface SubmissionLink {
  /** `source` pays for invalid transactions. */
  submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitResult[]>;
  /** State of an uncommitted transaction; hexadecimal id. `isAttestationAwaited`: a client waits for `attested`. */
  pooled(id: string, isAttestationAwaited?: boolean): Promise<PooledState>;
}

export interface OperatorLink {
  status(): Promise<Status>;
  peers(): Promise<readonly Peer[]>;
  metrics(): Promise<string>;
  blockPeer(peer: PeerKey, reason: string): Promise<AdminOutcome>;
  unblockPeer(peer: PeerKey): Promise<AdminOutcome>;
  artifacts(): Promise<readonly ArtifactView[]>;
  acceptArtifact(hash: Uint8Array): Promise<AcceptOutcome>;
  quarantine(): Promise<readonly QuarantineView[]>;
  quarantineAction(application: string, action: string): Promise<AdminOutcome>;
  liftQuarantine(application: string, action: string): Promise<AdminOutcome>;
  logLevel(): Promise<LogLevelName>;
  setLogLevel(level: LogLevelName): Promise<void>;
  finish(): void;
}

export interface NodeLink extends SubmissionLink, OperatorLink, BrokerLink {}

export function linkThrough(channel: Pick<Channel<NodeSide>, 'call' | 'notify'>): NodeLink {
  const ask = async <T>(kind: 'status' | 'peers' | 'artifacts' | 'quarantine'): Promise<T> =>
    (await channel.call(kind, null)).head as T;
  return {
    async submitMany(transactions, source) {
      return decodeSubmitResults(await channel.call('submit', { source: source ?? null }, transactions));
    },
    pooled: async (id, isAttestationAwaited = false) =>
      (await channel.call('pooled', { id, isAttestationAwaited })).head as PooledState,
    status: sharing(() => ask<Status>('status')),
    peers: sharing(() => ask<readonly Peer[]>('peers')),
    metrics: sharing(async () => new TextDecoder().decode((await channel.call('metrics', null)).bytes[0])),
    blockPeer: async (peer, reason) => (await channel.call('blockPeer', { peer, reason })).head as AdminOutcome,
    unblockPeer: async (peer) => (await channel.call('unblockPeer', { peer })).head as AdminOutcome,
    artifacts: sharing(() => ask<readonly ArtifactView[]>('artifacts')),
    acceptArtifact: async (hash) => (await channel.call('acceptArtifact', { hash: toHex(hash) })).head as AcceptOutcome,
    quarantine: sharing(() => ask<readonly QuarantineView[]>('quarantine')),
    quarantineAction: async (application, action) =>
      (await channel.call('quarantineAction', { application, action })).head as AdminOutcome,
    liftQuarantine: async (application, action) =>
      (await channel.call('liftQuarantine', { application, action })).head as AdminOutcome,
    logLevel: async () => levelOf((await channel.call('logLevel', null)).head),
    async setLogLevel(level) {
      await channel.call('setLogLevel', { level });
    },
    finish: () => void channel.notify('finish', null),
    ...brokerLinkThrough(channel),
  };
}

/** For a node whose parts are being exchanged: what they said last, and nothing new. */
export function pausedLink(link: NodeLink): NodeLink {
  const paused = () => Promise.reject(pausedError());
  return {
    ...link,
    status: async () => ({ ...(await link.status()), ready: false, syncing: true }),
    submitMany: paused,
    checkLogin: paused,
    sumShares: paused,
    checkStragglers: paused,
    offerBatch: paused,
    blockPeer: paused,
    unblockPeer: paused,
    acceptArtifact: paused,
  };
}

/** For the main thread. `link` is undefined until the node is assembled; no request comes before. */
export function nodeHandlers(link: () => NodeLink, telemetry: Parameters<typeof sendTelemetry>[0]): Handlers<NodeSide> {
  return {
    calls: {
      async submit({ head: { source }, bytes }) {
        return encodeSubmitResults(await link().submitMany(bytes, source ?? undefined));
      },
      pooled: async ({ head: { id, isAttestationAwaited } }) =>
        messageOf(plain(await link().pooled(id, isAttestationAwaited))),
      status: async () => messageOf(plain(await link().status())),
      peers: async () => messageOf(plain(await link().peers())),
      metrics: async () => messageOf(null, [utf8(await link().metrics())]),
      blockPeer: async ({ head: { peer, reason } }) =>
        messageOf(plain(await link().blockPeer(peer as PeerKey, reason))),
      unblockPeer: async ({ head: { peer } }) => messageOf(plain(await link().unblockPeer(peer as PeerKey))),
      artifacts: async () => messageOf(plain(await link().artifacts())),
      acceptArtifact: async ({ head: { hash } }) => messageOf(plain(await link().acceptArtifact(fromHex(hash)))),
      quarantine: async () => messageOf(plain(await link().quarantine())),
      quarantineAction: async ({ head: { application, action } }) =>
        messageOf(plain(await link().quarantineAction(application, action))),
      liftQuarantine: async ({ head: { application, action } }) =>
        messageOf(plain(await link().liftQuarantine(application, action))),
      logLevel: async () => messageOf(await link().logLevel()),
      async setLogLevel({ head: { level } }) {
        await link().setLogLevel(levelOf(level));
        return messageOf(null);
      },
      ...brokerHandlers(link),
    },
    notices: {
      telemetry: ({ head }: { readonly head: readonly TelemetryLine[] }) => sendTelemetry(telemetry, head),
      finish: () => link().finish(),
    },
  };
}

/** Numbers, texts and lists; the cast adds the index signature of Head. */
function plain(value: object): Head {
  return value as Head;
}

function levelOf(text: string): LogLevelName {
  return LOG_LEVELS.find((level) => level === text) ?? 'info';
}
