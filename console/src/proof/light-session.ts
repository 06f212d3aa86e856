/**
 * The light client of one node, in the page's worker: it follows the node's heights, and judges what the page shows. It trusts the genesis
 * file that the node gave; the page shows its hash.
 */
import { createClient, verifyEvidence } from '@slipstream/client';
import {
  type HeightCheck,
  type LightClient,
  type NodeFault,
  type NodeView,
  openLightClient,
} from '@slipstream/client/light';
import type { EvidenceView } from '@slipstream/schema';
import { answerTo } from './answer.ts';
import type { HeightVerdict, LiveAnswer, LiveCounters } from './live-message.ts';
import type { Verification, VerifyRequest } from './verify-message.ts';

export interface LightSession {
  readonly url: string;
  /** Undefined: not opened so far. */
  genesisHash(): string | undefined;
  /** Follows heights. A session that only verifies opens its light client with the first question. */
  follow(): void;
  verify(request: Pick<VerifyRequest, 'question' | 'flip'>): Promise<Verification>;
  evidence(id: number, item: EvidenceView): Promise<void>;
  stop(): void;
}

/** A page is left open for days: of a core. */
const BUSY_SHARE_MAX = 0.3;
/** Until the node gives its genesis file. */
const AGAIN_MS = 2_000;

export function createLightSession(url: string, send: (answer: LiveAnswer) => void): LightSession {
  const client = createClient({ url });
  const tally = createTally();
  let opening: Promise<LightClient> | undefined;
  let genesisHash: string | undefined;
  let isStopped = false;

  /** A failed request is repeated by the next caller. */
  function light(): Promise<LightClient> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function open(): Promise<LightClient> {
    const genesis = await client.genesis();
    const report = (fault: NodeFault, untilMs: number | null) =>
      send({ type: 'fault', fault, untilMs, url, genesisHash: hash });
    const opened = openLightClient({
      genesis,
      urls: [url],
      // This is a worker already.
      checks: 'inline',
      heights: 'each',
      busyShareMax: BUSY_SHARE_MAX,
      onCheck(check) {
        send({ type: 'height', verdict: verdictOf(check), counters: tally.add(check), url, genesisHash: hash });
      },
      onNode: createFaultReport(report),
      onConflict({ first, second }) {
        const detail = `it proves two chains, at heights ${first.height} and ${second.height}`;
        report({ code: 'contradiction', detail, atMs: Date.now() }, null);
      },
    });
    const hash = opened.committees.pin().genesisHash;
    genesisHash = hash;
    if (isStopped) opened.close();
    return opened;
  }

  function follow(): void {
    light().catch(() => {
      if (!isStopped) setTimeout(follow, AGAIN_MS);
    });
  }

  return {
    url,
    genesisHash: () => genesisHash,
    follow,
    async verify(request) {
      return answerTo(request, { light, client });
    },
    async evidence(id, item) {
      const fault = await light().then(
        async ({ judge }) => {
          const judged = await judge((committees) => {
            const verified = verifyEvidence(item, committees);
            return verified.ok ? verified : { ok: false, error: { message: verified.error } };
          });
          return judged.ok ? null : judged.error.message;
        },
        (error: Error) => error.message,
      );
      send({ type: 'evidence', verdict: { id, fault } });
    },
    stop() {
      isStopped = true;
      void opening?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}

function verdictOf({ height, result, tookMs }: HeightCheck): HeightVerdict {
  if ('fault' in result) return { height, blockId: null, fault: result.fault, finalization: false, tookMs };
  return { height, blockId: result.blockId, fault: null, finalization: result.finalization, tookMs };
}

interface Tally {
  add(check: HeightCheck): LiveCounters;
}

/** Heights come in order. */
export function createTally(nowMs = () => performance.now()): Tally {
  const startMs = nowMs();
  const counts = { verified: 0, refused: 0, passedOver: 0 };
  let busyMs = 0;
  let lastHeight: number | undefined;
  return {
    add({ height, result, tookMs }) {
      if ('fault' in result) counts.refused += 1;
      else counts.verified += result.finalization ? 2 : 1;
      counts.passedOver += Math.max(0, height - (lastHeight ?? height) - 1);
      lastHeight = Math.max(height, lastHeight ?? height);
      busyMs += tookMs;
      return { ...counts, busyShare: busyMs / Math.max(1, nowMs() - startMs) };
    },
  };
}

/** Each fault once. */
function createFaultReport(report: (fault: NodeFault, untilMs: number | null) => void): (view: NodeView) => void {
  let reported: NodeView['lastFault'] = null;
  return ({ lastFault, excludedUntilMs }) => {
    if (lastFault === null || lastFault === reported) return;
    reported = lastFault;
    report(lastFault, excludedUntilMs);
  };
}
