/**
 * Verifies aggregates beside the thread of a light client: in a page's worker, or a worker thread of Node. A check takes 6 ms in
 * WebAssembly and 30 ms in JavaScript (decision 0068).
 *
 *   verify --remembered?--> true
 *      \--> worker --holds or not-->
 *              \--could not be loaded, or ended--> this thread, from now on
 */
import { type CertificateAggregate, loadAggregateCheck } from '@slipstream/crypto/browser';
import { concatBytes, sha256, toHex } from '@slipstream/primitives';
import type { VerifyAggregate } from '../epochs/committees.ts';
import { type AggregateAnswer, type StartWorker, startWorker, type WorkerPort } from './start-worker.ts';

export interface AggregateVerifier {
  readonly verify: VerifyAggregate;
  /** What waits is verified in this thread. Idempotent. */
  close(): void;
}

/** Many reads are under one certificate. */
const REMEMBERED_MAX = 256;

/** `worker`: where the platform has workers. */
export function createAggregateVerifier(
  where: 'worker' | 'inline',
  start: StartWorker = startWorker,
): AggregateVerifier {
  const { verify, close } = where === 'inline' ? { verify: inThisThread, close() {} } : inWorker(start);
  const remembered = new Set<string>();
  return {
    close,
    async verify(aggregate) {
      const { publicKeys, message, aggregate: signature } = aggregate;
      const name = toHex(sha256(concatBytes(message, signature, ...publicKeys)));
      if (remembered.has(name)) return true;
      const holds = await verify(aggregate);
      if (!holds) return false;
      const [oldest] = remembered;
      if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
      remembered.add(name);
      return true;
    },
  };
}

let check: ReturnType<typeof loadAggregateCheck> | undefined;

async function inThisThread(aggregate: CertificateAggregate): Promise<boolean> {
  check ??= loadAggregateCheck();
  return (await check).verify(aggregate);
}

interface Waiting {
  readonly aggregate: CertificateAggregate;
  readonly resolve: (holds: boolean | Promise<boolean>) => void;
}

function inWorker(start: StartWorker): AggregateVerifier {
  const waiting = new Map<number, Waiting>();
  let worker: WorkerPort | undefined;
  let isLost = false;
  let nextId = 0;

  function lost(): void {
    if (isLost) return;
    isLost = true;
    worker?.end();
    for (const { aggregate, resolve } of waiting.values()) resolve(inThisThread(aggregate));
    waiting.clear();
  }

  function onAnswer({ id, holds }: AggregateAnswer): void {
    waiting.get(id)?.resolve(holds);
    waiting.delete(id);
  }

  return {
    verify(aggregate) {
      if (!isLost) worker ??= start(onAnswer, lost);
      const port = worker;
      if (isLost || port === undefined) return inThisThread(aggregate);
      return new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, { aggregate, resolve });
        port.post({ id, aggregate });
      });
    },
    close: lost,
  };
}
