/** The main thread's side of the API. Events and moves are forwarded at once; `open` makes it listen. */

import type { MessagePort } from 'node:worker_threads';
import type { Clock, Telemetry } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, toHex } from '@slipstream/primitives';
import type { EventData, EventType } from '@slipstream/schema';
import type { CommittedSummary } from '../executor/committed-summary.ts';
import { type Channel, createChannel } from '../threads/channel.ts';
import type { Head } from '../threads/message.ts';
import type { QueueStats } from '../threads/send-queue.ts';
import { startThread } from '../threads/thread.ts';
import type { TurnProfile } from '../threads/turn-profile.ts';
import { packIds } from './ids.ts';
import { type NodeLink, nodeHandlers, pausedLink } from './node-link.ts';
import { API_QUEUES, type ApiSetting, type ApiSide, type ChainHead, type EventLine, type NodeSide } from './wire.ts';

export interface ApiThread {
  /** Queues an event: a turn's events go with the next message to that thread, or within a tenth of a second. */
  publish<T extends EventType>(type: T, data: EventData<T>): void;
  /** Hexadecimal ids. */
  attested(ids: readonly string[]): void;
  ordered(ids: readonly string[], height: number): void;
  committed(block: CommittedSummary): void;
  /** What a broker builds on; before `committed` of its block. */
  chain(head: ChainHead): void;
  /**
   * Resolves when it listens, or continues after `pause`. Throws NodeError, or a RemoteError with the code of an ApiError. `stateReads`: to
   * the executor. `applications`: artifacts, in the order of genesis; `accepted`: of later epochs.
   */
  open(
    link: NodeLink,
    stateReads: MessagePort,
    now: { readonly height: number } & Pick<ApiSetting, 'applications' | 'accepted'>,
  ): Promise<{ readonly url: string }>;
  /** An artifact of a later epoch may run. Resolves once reads know it. */
  accepted(artifact: Uint8Array): Promise<void>;
  /** Status, peers and metrics are answered as before, other reads and submissions with 503, until the next `open`. */
  pause(): Promise<void>;
  queues(): readonly QueueStats[];
  /** Sends bye to the streams and ends the thread. Idempotent. */
  stop(): Promise<void>;
}

interface ApiThreadLinks {
  readonly turns?: TurnProfile | undefined;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly telemetry: Telemetry;
  readonly fail: (error: unknown) => void;
}

/** Events of one turn of the event loop: more of them mean a defect, and are dropped. */
const LINES_MAX = 4096;

export function startApiThread({ turns, clock, telemetry, fail }: ApiThreadLinks, setting: ApiSetting): ApiThread {
  let node: NodeLink | undefined;
  const thread = startThread({
    name: 'api',
    module: new URL('./api-main.ts', import.meta.url),
    setting,
    onFailure(error) {
      channel.close(error);
      fail(error);
    },
  });
  const profiled = turns && { turns, other: 'api' };
  const channel = createChannel<ApiSide, NodeSide>(
    { port: thread.port, handlers: nodeHandlers(linked, telemetry), onFault: fail, profiled },
    API_QUEUES,
  );
  const events = createEventLines({ clock, telemetry }, (lines) => channel.notifySoon('events', lines));
  let { applications } = setting;
  const accepted = createAccepted(channel, setting);
  let stopping: Promise<void> | undefined;

  function linked(): NodeLink {
    if (node === undefined) throw new Error('the API asks before the node is assembled');
    return node;
  }

  async function stop(): Promise<void> {
    // The reason of the stop is among the queued events.
    events.flush();
    await channel.call('stop', null).catch(() => {});
    channel.close();
    await thread.end();
  }

  return {
    publish: events.publish,
    ...reportsThrough(channel, setting),
    async open(link, stateReads, now) {
      node = link;
      thread.give(stateReads);
      const isSame = now.applications.every((artifact, i) => bytesEqual(artifact, applications[i] ?? NONE));
      applications = now.applications;
      for (const artifact of now.accepted) await accepted(artifact);
      return (await channel.call('open', { height: now.height }, isSame ? [] : applications)).head;
    },
    accepted,
    async pause() {
      node = node && pausedLink(node);
      await channel.call('pause', null);
    },
    queues: channel.queues,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

const NONE = new Uint8Array();

/** Passes on each artifact once. */
function createAccepted(channel: Channel<ApiSide>, { accepted }: ApiSetting): ApiThread['accepted'] {
  const known = new Set(accepted.map((artifact) => toHex(sha256(artifact))));
  return async (artifact) => {
    const hash = toHex(sha256(artifact));
    if (known.has(hash)) return;
    await channel.call('accepted', null, [artifact]);
    known.add(hash);
  };
}

type Reports = Pick<ApiThread, 'attested' | 'ordered' | 'chain' | 'committed'>;

function reportsThrough(channel: Channel<ApiSide>, { broker }: ApiSetting): Reports {
  return {
    attested: (ids) => void channel.notify('attested', null, [packIds(ids)]),
    ordered: (ids, height) => void channel.notify('ordered', { height }, [packIds(ids)]),
    chain: (head) => void channel.notify('chain', head),
    committed(summary) {
      const { block, executedIds, skipped, batches, committedMs } = summary;
      const { epoch, height, timestampMs } = block;
      const lost = broker === undefined ? NONE : idsOfLost(skipped);
      const head = { epoch, height, timestampMs, committedMs };
      channel.notify('committed', head, [packIds(executedIds), failedPlaces(summary), lost, batches]);
    },
  };
}

/** A byte for each transaction: 1 for a failed one. */
function failedPlaces({ executedIds, isFailed }: Parameters<ApiThread['committed']>[0]): Uint8Array {
  return Uint8Array.from(executedIds, (_, place) => (isFailed(place) ? 1 : 0));
}

/** Skipped batches, without copies of batches that ran. */
function idsOfLost(skipped: CommittedSummary['skipped']): Uint8Array {
  return concatBytes(...skipped.flatMap(({ id, reason }) => (reason === 'duplicate' ? [] : [id])));
}

interface EventLines extends Pick<ApiThread, 'publish'> {
  flush(): void;
}

function createEventLines(
  { clock, telemetry }: Pick<ApiThreadLinks, 'clock' | 'telemetry'>,
  send: (lines: readonly EventLine[]) => void,
): EventLines {
  let lines: EventLine[] = [];

  function flush(): void {
    if (lines.length === 0) return;
    const gathered = lines;
    lines = [];
    send(gathered);
  }

  return {
    flush,
    publish(type, data) {
      if (lines.length === 0) setImmediate(flush);
      if (lines.length < LINES_MAX) lines.push([type, data as Head, clock.wallMs()]);
      else telemetry.count('node_api_events_lost', 1);
    },
  };
}
