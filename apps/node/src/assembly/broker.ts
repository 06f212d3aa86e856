/** The main thread's side of a broker: keys of the directory, the verifier, the chunk in the making, and what the chain is like now. */
import { KNOWN_AT_DEPTH, type OfferAnswer } from '@slipstream/broker';
import type { Dissemination } from '@slipstream/dissemination';
import { ROW_UNITS, STRAGGLER_UNITS } from '@slipstream/distilled';
import type { Clock, PeerKey } from '@slipstream/ports';
import { BLS_UNCOMPRESSED_KEY_BYTES, feeOf, forecastPrices } from '@slipstream/types';
import type { ApiThread } from '../api-thread/api.ts';
import type { BrokerLink } from '../api-thread/broker-link.ts';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import type { Executor } from '../executor/executor.ts';
import { highestMinimums } from '../executor/fee-rules.ts';
import { pausedError } from '../threads/errors.ts';
import type { Verification } from './verification.ts';

const CONNECTIONS_MS = 1_000;

interface BrokerSideParts {
  readonly executor: Pick<Executor, 'directory' | 'fees' | 'record' | 'recordOf'>;
  readonly dissemination: Pick<Dissemination, 'offerBatch' | 'reachesProducer'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly verification: Pick<Verification, 'verifier' | 'distilled' | 'sumShares'>;
  readonly epochs: Pick<NodeEpochs, 'now' | 'self'>;
  readonly audience: Pick<ApiThread, 'chain'>;
}

interface BrokerSide {
  readonly link: BrokerLink;
  /** A block is committed, or the directory grew. */
  changed(): void;
  stop(): void;
}

/** `broker`: network key that this node's batches name. */
export function createBrokerSide(parts: BrokerSideParts, broker: PeerKey): BrokerSide {
  const { executor, dissemination, verification, epochs, audience, clock } = parts;

  /** Rejects for an index without an entry, which the broker does not ask for. */
  function keysOf(indices: Uint32Array): Uint8Array {
    const directory = executor.directory?.viewAt(executor.directory.newest() ?? -1);
    if (directory === undefined || indices.some((index) => index >= directory.size)) throw pausedError();
    const keys = new Uint8Array(BLS_UNCOMPRESSED_KEY_BYTES * indices.length);
    for (const [i, index] of indices.entries()) {
      const from = BLS_UNCOMPRESSED_KEY_BYTES * index;
      keys.set(directory.keys.subarray(from, from + BLS_UNCOMPRESSED_KEY_BYTES), BLS_UNCOMPRESSED_KEY_BYTES * i);
    }
    return keys;
  }

  const link: BrokerLink = {
    async checkLogin(message, indices, aggregate) {
      const claim = { message, keys: keysOf(indices), aggregate };
      return (await verification.distilled.checkDistilled([claim], 'client'))[0] === true;
    },
    async sumShares(message, given) {
      const shares = given.map(({ indices, signature }) => ({ indices, keys: keysOf(indices), signature }));
      return verification.sumShares({ message, shares }, 'client');
    },
    checkStragglers: (signatures) => verification.verifier.checkAccounts(signatures, 'client'),
    async offerBatch(bytes) {
      return answerOf(await dissemination.offerBatch(bytes, broker));
    },
  };

  function changed(): void {
    const head = chainHead(executor, epochs, dissemination);
    if (head !== undefined) audience.chain(head);
  }

  /** Connections change while no block is committed. */
  function watchConnections(): void {
    if (epochs.self() === undefined) changed();
    cancelWatch = clock.after(CONNECTIONS_MS, watchConnections);
  }

  let cancelWatch = executor.directory && clock.after(CONNECTIONS_MS, watchConnections);
  return { link, changed, stop: () => cancelWatch?.() };
}

function answerOf(result: Awaited<ReturnType<Dissemination['offerBatch']>>): OfferAnswer {
  if (result.type !== 'rejected') return { type: 'accepted' };
  const { reason, retryAfterMs } = result;
  if (reason === 'wrong-epoch') return { type: 'wrong-epoch' };
  return retryAfterMs === undefined ? { type: 'refused', reason } : { type: 'later', retryAfterMs, reason };
}

/** Undefined: nothing is executed here yet, or the chain has no directory. */
function chainHead(
  { directory, fees, record, recordOf }: BrokerSideParts['executor'],
  epochs: BrokerSideParts['epochs'],
  dissemination: Pick<Dissemination, 'reachesProducer'>,
): Parameters<ApiThread['chain']>[0] | undefined {
  const newest = directory?.newest();
  if (directory === undefined || newest === undefined) return undefined;
  const knownAt = Math.max(0, newest - KNOWN_AT_DEPTH);
  const { prices } = fees();
  const risen = forecastPrices(prices, highestMinimums(record(), recordOf(record().epoch + 1)));
  return {
    epoch: epochs.now(),
    hasProducer: dissemination.reachesProducer(),
    knownAt,
    directorySize: directory.viewAt(knownAt)?.size ?? 0,
    rowFee: feeOf(ROW_UNITS, prices),
    stragglerFee: feeOf(STRAGGLER_UNITS, prices),
    feeCap: feeOf(ROW_UNITS, risen),
  };
}
