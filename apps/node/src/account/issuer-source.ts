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
  genesisHash(): Promise<GenesisHash>;
  handovers(from: number): Promise<ServedHandovers>;
  members(epoch: number): Promise<readonly CertifiedMember[]>;
}

/** Calls throw ClientError, and NodeError `issuer-unproven` for handovers that do not decode. */
export function createIssuerSource(url: string): IssuerSource {
  const client = createClient({ url });
  return {
    url,
    genesisHash: () => client.genesisHash(),
    async handovers(from) {
      const { items, next, root } = await client.handovers(from);
      const handovers = items.map((item) => {
        const handover = handoverFromJson(item);
        if (handover.ok) return handover.value;
        throw new NodeError('issuer-unproven', `a handover that does not decode: ${handover.error}`, { url });
      });
      return { items: handovers, next, root: root && rootFrom(root) };
    },
    async members(epoch) {
      const { members } = await client.epoch(epoch);
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
