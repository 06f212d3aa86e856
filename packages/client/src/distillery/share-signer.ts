/**
 * Signs batch ids. In a page a worker does it, so that drawing goes on; elsewhere this thread, which WebAssembly holds for two
 * milliseconds. In Node, `signWith` takes a native library instead.
 *
 *   sign --> worker --lost--> waiting signatures fail, the next one starts another worker
 */
import { loadShareSigning } from '@slipstream/crypto/browser';
import { ClientError } from '../errors.ts';
import type { PageWorker, PageWorkerClass } from '../page-worker.ts';

/** 192 bytes, uncompressed. `message`: 32 bytes. */
export type SignShare = (message: Uint8Array, secret: Uint8Array) => Uint8Array;

export interface ShareSigner {
  /** Throws ClientError `closed`, or `bad-argument` for a secret that is none. */
  sign(message: Uint8Array, secret: Uint8Array): Promise<Uint8Array>;
  close(): void;
}

export interface ShareRequest {
  readonly id: number;
  readonly message: Uint8Array;
  readonly secret: Uint8Array;
}

export type ShareAnswer =
  | { readonly id: number; readonly signature: Uint8Array }
  | { readonly id: number; readonly fault: string };

type ShareWorker = PageWorker<ShareRequest, ShareAnswer>;

declare const Worker: PageWorkerClass<ShareRequest, ShareAnswer> | undefined;

export function createShareSigner(signWith?: SignShare): ShareSigner {
  if (signWith !== undefined) return inThisThread(async () => signWith);
  if (typeof Worker === 'undefined') return inThisThread(async () => (await loadShareSigning()).sign);
  return inWorker(() => new Worker(new URL('./share-worker.ts', import.meta.url), { type: 'module', name: 'shares' }));
}

function inThisThread(load: () => Promise<SignShare>): ShareSigner {
  return {
    async sign(message, secret) {
      try {
        return (await load())(message, secret);
      } catch (cause) {
        throw noSignature(cause instanceof Error ? cause.message : String(cause));
      }
    },
    close() {},
  };
}

interface Waiting {
  readonly resolve: (signature: Uint8Array) => void;
  readonly reject: (error: ClientError) => void;
}

/** The number of waiting signatures is bounded by the batches that a session signs at once. */
export function inWorker(start: () => ShareWorker): ShareSigner {
  const waiting = new Map<number, Waiting>();
  let worker: ShareWorker | undefined;
  let nextId = 0;
  let isClosed = false;

  function lose(error: ClientError): void {
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function started(): ShareWorker {
    if (worker !== undefined) return worker;
    const made = start();
    made.addEventListener('message', ({ data }) => {
      const found = waiting.get(data.id);
      waiting.delete(data.id);
      if ('signature' in data) found?.resolve(data.signature);
      else found?.reject(noSignature(data.fault));
    });
    made.addEventListener('error', () => {
      if (worker === made) lose(noSignature('the worker that signs could not be loaded, or ended'));
    });
    worker = made;
    return made;
  }

  return {
    sign(message, secret) {
      if (isClosed) return Promise.reject(closed());
      return new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        started().postMessage({ id, message, secret });
      });
    },
    close() {
      isClosed = true;
      lose(closed());
    },
  };
}

function noSignature(reason: string): ClientError {
  return new ClientError('bad-argument', `no share could be signed: ${reason}`);
}

function closed(): ClientError {
  return new ClientError('closed', 'the distillery was closed');
}
