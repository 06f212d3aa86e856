/** Signs batch ids in a worker of a page, with WebAssembly if the page may. */
import { loadShareSigning } from '@slipstream/crypto/browser';
import type { ShareAnswer, ShareRequest } from './share-signer.ts';

declare function postMessage(answer: ShareAnswer): void;
declare function addEventListener(type: 'message', listener: (event: { readonly data: ShareRequest }) => void): void;

addEventListener('message', ({ data }) => {
  void answerTo(data).then(postMessage);
});

async function answerTo({ id, message, secret }: ShareRequest): Promise<ShareAnswer> {
  try {
    return { id, signature: (await loadShareSigning()).sign(message, secret) };
  } catch (error) {
    return { id, fault: error instanceof Error ? error.message : String(error) };
  }
}
