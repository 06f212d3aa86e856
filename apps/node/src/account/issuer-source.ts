/** A node of another chain, by its API. Nothing that it answers is trusted. */
import { createClient } from '@slipstream/client';
import { handoverFromJson } from '@slipstream/schema';
import { type CertifiedMember, type GenesisHash, type Handover, parseBytes } from '@slipstream/types';
import { NodeError } from '../errors.ts';

interface ServedRoot {
  /** 48 bytes. */
  readonly rootKey: Uint8Array;
  readonly expiryMs: number;
  /** 96 bytes. */
  readonly signature: Uint8Array;
}

interface ServedHandovers {
  /** Of consecutive epochs. */
  readonly items: readonly Handover[];
  /** Epoch from which more follow. */
  readonly next: number | null;
  readonly root: ServedRoot | undefined;
}

export interface IssuerSource {
  readonly url: string;
  genesisHash(signal: AbortSignal): Promise<GenesisHash>;
  handovers(from: number, signal: AbortSignal): Promise<ServedHandovers>;
  members(epoch: number, signal: AbortSignal): Promise<readonly CertifiedMember[]>;
}

/** Twice a page of handovers, the largest answer of a node. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Calls throw ClientError, and NodeError `issuer-unproven` for handovers that do not decode. */
export function createIssuerSource(url: string): IssuerSource {
  const client = createClient({ url, fetch: fetchBounded });
  return {
    url,
    genesisHash: (signal) => client.genesisHash({ signal }),
    async handovers(from, signal) {
      const { items, next, root } = await client.handovers(from, { signal });
      const handovers = items.map((item) => {
        const handover = handoverFromJson(item);
        if (handover.ok) return handover.value;
        throw new NodeError('issuer-unproven', `a handover that does not decode: ${handover.error}`, { url });
      });
      return { items: handovers, next, root: root && rootFrom(root) };
    },
    async members(epoch, signal) {
      const { members } = await client.epoch(epoch, { signal });
      return members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey: parseBytes(blsPublicKey) }));
    },
  };
}

function rootFrom({
  rootKey,
  expiryMs,
  signature,
}: {
  rootKey: string;
  expiryMs: number;
  signature: string;
}): ServedRoot {
  return { rootKey: parseBytes(rootKey), expiryMs, signature: parseBytes(signature) };
}

/** A redirect could lead to hosts that only this node reaches. */
async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  return new Response(response.body?.pipeThrough(atMost(ANSWER_BYTES_MAX)), response);
}

/** Counts after decompression. */
function atMost(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new RangeError(`an answer of more than ${bytesMax} bytes`);
      controller.enqueue(chunk);
    },
  });
}
