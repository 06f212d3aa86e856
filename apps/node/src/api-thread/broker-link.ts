/** A broker's calls from the API's thread to the main thread, which has the directory's keys, the verifier and the chunk in the making. */
import type { IndexedShare, OfferAnswer, SumOfShares } from '@slipstream/broker';
import type { AccountSignature } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import type { Channel, Handlers } from '../threads/channel.ts';
import { messageOf } from '../threads/message.ts';
import type { NodeSide } from './wire.ts';

export interface BrokerLink {
  checkLogin(message: Uint8Array, indices: Uint32Array, aggregate: Uint8Array): Promise<boolean>;
  sumShares(message: Uint8Array, shares: readonly IndexedShare[]): Promise<SumOfShares>;
  checkStragglers(signatures: readonly AccountSignature[]): Promise<readonly boolean[]>;
  offerBatch(bytes: Uint8Array): Promise<OfferAnswer>;
}

const MESSAGE_BYTES = 32;

export function brokerLinkThrough(channel: Pick<Channel<NodeSide>, 'call'>): BrokerLink {
  return {
    async checkLogin(message, indices, aggregate) {
      return (await channel.call('checkLogin', null, [message, bytesOf(indices), aggregate])).head;
    },
    async sumShares(message, shares) {
      const parts = shares.flatMap(({ indices, signature }) => [bytesOf(indices), signature]);
      const [good, aggregate] = (await channel.call('sumShares', null, [message, ...parts])).bytes;
      return { good: flagsOf(good), aggregate };
    },
    async checkStragglers(signatures) {
      const lists = [
        concatBytes(...signatures.map(({ publicKey }) => publicKey)),
        concatBytes(...signatures.map(({ message }) => message)),
        concatBytes(...signatures.map(({ signature }) => signature)),
      ];
      return flagsOf((await channel.call('checkStragglers', null, lists)).bytes[0]);
    },
    async offerBatch(bytes) {
      const { type, retryAfterMs, reason } = (await channel.call('offerBatch', null, [bytes])).head;
      if (type === 'later') return { type, retryAfterMs: retryAfterMs ?? 0 };
      return type === 'refused' ? { type, reason: reason ?? '' } : { type };
    },
  };
}

type BrokerCalls = Pick<Handlers<NodeSide>['calls'], 'checkLogin' | 'sumShares' | 'checkStragglers' | 'offerBatch'>;

/** For the main thread. */
export function brokerHandlers(link: () => BrokerLink): BrokerCalls {
  return {
    async checkLogin({ bytes: [message = NONE, indices = NONE, aggregate = NONE] }) {
      return messageOf(await link().checkLogin(message, indicesOf(indices), aggregate));
    },
    async sumShares({ bytes: [message = NONE, ...parts] }) {
      const shares: IndexedShare[] = [];
      for (let i = 0; i < parts.length; i += 2) {
        shares.push({ indices: indicesOf(parts[i] as Uint8Array), signature: parts[i + 1] as Uint8Array });
      }
      const { good, aggregate } = await link().sumShares(message, shares);
      return messageOf(null, aggregate === undefined ? [flagBytes(good)] : [flagBytes(good), aggregate]);
    },
    async checkStragglers({ bytes: [keys = NONE, messages = NONE, signatures = NONE] }) {
      const count = messages.length / MESSAGE_BYTES;
      const checked = Array.from({ length: count }, (_, i) => ({
        publicKey: partOf(keys, ED25519_PUBLIC_KEY_BYTES, i),
        message: partOf(messages, MESSAGE_BYTES, i),
        signature: partOf(signatures, ED25519_SIGNATURE_BYTES, i),
      }));
      return messageOf(null, [flagBytes(await link().checkStragglers(checked))]);
    },
    async offerBatch({ bytes: [batch = NONE] }) {
      const answer = await link().offerBatch(batch);
      const retryAfterMs = answer.type === 'later' ? answer.retryAfterMs : null;
      return messageOf({ type: answer.type, retryAfterMs, reason: answer.type === 'refused' ? answer.reason : null });
    },
  };
}

const NONE = new Uint8Array();

function partOf(joined: Uint8Array, length: number, i: number): Uint8Array {
  return joined.subarray(length * i, length * (i + 1));
}

function bytesOf(indices: Uint32Array): Uint8Array {
  return new Uint8Array(indices.buffer, indices.byteOffset, indices.byteLength);
}

/** Copies: a part of a message may begin at any byte. */
function indicesOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

function flagBytes(flags: readonly boolean[]): Uint8Array {
  return Uint8Array.from(flags, (flag) => (flag ? 1 : 0));
}

function flagsOf(bytes: Uint8Array = NONE): readonly boolean[] {
  return Array.from(bytes, (byte) => byte === 1);
}
