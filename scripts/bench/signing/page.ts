/** In a browser: signs as the SDK does, in its worker, and watches the page meanwhile. */
import { loadShareSigning } from '@slipstream/crypto/browser';
import { createShareSigner } from '../../../packages/client/src/distillery/share-signer.ts';

export interface PageTimes {
  readonly by: string;
  /** From request to signature, in the worker. */
  readonly workerMs: readonly number[];
  /** Between turns of the page while the worker signs, beyond those asked for. */
  readonly gapsMs: readonly number[];
}

declare const window: { measure?: (count: number) => Promise<PageTimes> };

const TURN_MS = 4;

window.measure = async (count) => {
  const signer = createShareSigner();
  const secret = new Uint8Array(32).fill(1);
  const messageOf = (i: number) => new Uint8Array(32).fill(i & 255);
  for (let i = 0; i < 3; i++) await signer.sign(messageOf(i), secret);
  const { by } = await loadShareSigning();
  const gapsMs: number[] = [];
  let turnMs = performance.now();
  const turns = setInterval(() => {
    gapsMs.push(performance.now() - turnMs - TURN_MS);
    turnMs = performance.now();
  }, TURN_MS);
  const workerMs: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    await signer.sign(messageOf(i), secret);
    workerMs.push(performance.now() - startMs);
  }
  clearInterval(turns);
  signer.close();
  return { by, workerMs, gapsMs };
};
