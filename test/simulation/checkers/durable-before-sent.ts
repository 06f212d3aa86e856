/** I3: a signature is durable when it first leaves an honest node. */
import { toHex } from '@slipstream/primitives';
import type { MessageListener } from './sent-messages.ts';
import type { Check } from './watched.ts';

/** Files that would survive a power cut now; undefined: the disk is not watched. */
export type DurableFiles = (peer: string) => Iterable<Uint8Array> | undefined;

export function checkDurability(durableFiles: DurableFiles): MessageListener {
  const seen = new Set<string>();

  const keyOf = (bytes: Uint8Array) => toHex(bytes.subarray(0, 32));

  function signature(from: string, bytes: Uint8Array, what: string, check: Check): void {
    const key = keyOf(bytes);
    if (seen.has(key)) return;
    seen.add(key);
    const files = durableFiles(from);
    const isDurable = files === undefined || anyHolds(files, bytes);
    check(isDurable, 'I3: nothing signed is sent that is not durable', { from, what });
  }

  return {
    corruptedSignature: (bytes) => void seen.add(keyOf(bytes)),
    vote: (from, { subject, signature: bytes }, check) =>
      signature(from, bytes, `${subject.kind} of view ${subject.view}`, check),
    proposal: (from, { kind, view, signature: bytes }, check) =>
      signature(from, bytes, `${kind} proposal of view ${view}`, check),
  };
}

/** The newest file mostly does. */
function anyHolds(files: Iterable<Uint8Array>, bytes: Uint8Array): boolean {
  for (const file of files) if (holds(file, bytes)) return true;
  return false;
}

function holds(file: Uint8Array, bytes: Uint8Array): boolean {
  const view = (of: Uint8Array) => Buffer.from(of.buffer, of.byteOffset, of.length);
  return view(file).includes(view(bytes));
}
