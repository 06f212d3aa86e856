/**
 * A thread of the node: started, watched, stopped in order.
 *
 * One that ends by itself, or throws what it does not handle, fails the node: what it held is gone, so going on would be
 * limping. What is durable stays so; the next start recovers.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { NodeError } from '../errors.ts';

/** What every thread is started with; `setting` is its own. */
export interface ThreadData<Setting> {
  readonly port: MessagePort;
  /** Towards other threads than the main one. */
  readonly ports: readonly MessagePort[];
  readonly setting: Setting;
}

export interface Thread {
  /** This end of the thread's channel. */
  readonly port: MessagePort;
  /** Ends it, whatever it does; tell it to finish first. Idempotent. */
  end(): Promise<void>;
}

export interface ThreadSetting<Setting> {
  readonly name: string;
  /** Its main module. */
  readonly module: URL;
  /** Structured-cloned once. */
  readonly setting: Setting;
  /** Moved to the thread: its ends of channels with other threads. */
  readonly ports?: readonly MessagePort[];
  /** Called once, unless `end` was called before. */
  readonly onFailure: (error: NodeError) => void;
}

export function startThread<Setting>({ name, module, setting, ports = [], onFailure }: ThreadSetting<Setting>): Thread {
  const { port1, port2 } = new MessageChannel();
  const workerData: ThreadData<Setting> = { port: port2, ports, setting };
  const worker = new Worker(module, { name, workerData, transferList: [port2, ...ports] });
  let isOver = false;

  function fail(what: string, cause?: unknown): void {
    if (isOver) return;
    isOver = true;
    const text = `the ${name} thread ${what}. The node stops: its next start recovers what is on disk`;
    onFailure(new NodeError('node-failed', text, { thread: name }, cause));
  }

  worker.on('error', (cause) => {
    fail(`failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`, cause);
  });
  worker.on('messageerror', (cause) => fail(`sent what cannot be read: ${String(cause)}`, cause));
  worker.on('exit', (code) => fail(`ended with code ${code}`));

  return {
    port: port1,
    async end() {
      isOver = true;
      await worker.terminate();
      port1.close();
    },
  };
}
