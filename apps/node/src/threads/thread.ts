/** A thread that ends unexpectedly, or throws an unhandled error, fails the node, because its state is lost; the next start recovers. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { NodeError } from '../errors.ts';

export interface ThreadData<Setting> {
  readonly port: MessagePort;
  /** Ends of channels to threads other than the main one. */
  readonly ports: readonly MessagePort[];
  readonly setting: Setting;
}

export interface Thread {
  readonly port: MessagePort;
  /** Transfers an end of a channel to another thread; it arrives at the thread's parentPort. */
  give(port: MessagePort): void;
  /** Ends the thread at once; ask it to finish first. Idempotent. */
  end(): Promise<void>;
}

interface ThreadSetting<Setting> {
  readonly name: string;
  readonly module: URL;
  readonly setting: Setting;
  /** MiB; default: that of a Worker. */
  readonly stackMib?: number | undefined;
  /** Transferred: ends of channels to other threads. */
  readonly ports?: readonly MessagePort[];
  /** Called once, unless `end` was called. */
  readonly onFailure: (error: NodeError) => void;
}

export function startThread<Setting>(options: ThreadSetting<Setting>): Thread {
  const { name, module, setting, stackMib, ports = [], onFailure } = options;
  const { port1, port2 } = new MessageChannel();
  const workerData: ThreadData<Setting> = { port: port2, ports, setting };
  const worker = new Worker(module, {
    name,
    workerData,
    transferList: [port2, ...ports],
    ...(stackMib !== undefined && { resourceLimits: { stackSizeMb: stackMib } }),
  });
  let isOver = false;

  function fail(what: string, cause?: unknown): void {
    if (isOver) return;
    isOver = true;
    onFailure(threadFailure(`the ${name} thread ${what}`, cause));
  }

  worker.on('error', (cause) => {
    fail(`failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  });
  worker.on('messageerror', (cause) => fail(`sent what cannot be read: ${String(cause)}`, cause));
  worker.on('exit', (code) => fail(`ended with code ${code}`));

  return {
    port: port1,
    give: (port) => worker.postMessage(port, [port]),
    async end() {
      isOver = true;
      await worker.terminate();
      port1.close();
    },
  };
}

/** The message has the stack, which shows where a defect is. */
export function threadFailure(what: string, cause?: unknown): NodeError {
  const stack = cause instanceof Error && cause.stack !== undefined ? `\n${cause.stack}` : '';
  const text =
    `${what}. The node signs nothing more and stops. Start it again: it recovers what is on disk. ` +
    `If that repeats, it is a defect: report it with this log${stack}`;
  return new NodeError('node-failed', text, {}, cause);
}
