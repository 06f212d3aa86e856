/** Node's worker threads. A page's bundle must not name the module, so it is asked for at run time. */
interface NodeWorker {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (data: never) => void): void;
  on(event: 'error' | 'exit', listener: () => void): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface NodeThreads {
  readonly Worker: new (file: URL) => NodeWorker;
  readonly parentPort: object | null;
}

declare const process: { getBuiltinModule?: (name: string) => unknown } | undefined;

/** Undefined: not in Node. */
export function nodeThreads(): NodeThreads | undefined {
  if (typeof process === 'undefined') return undefined;
  return process.getBuiltinModule?.('node:worker_threads') as NodeThreads | undefined;
}
