/**
 * A witness on the wire: an admitted peer with a key of its own that connects to every validator, directly, and only listens.
 *
 * It hears each vote and proposal as its signer sends it (the transport proves who that is), so what a node signed is known
 * although its log may say something else, or be lost.
 */
import { createTransport, type PeerAddress } from '@slipstream/network';
import { type Clock, type PeerKey, silentTelemetry } from '@slipstream/ports';
import { decodeFrame, encodeFrame, FRAME_LIMITS, type GenesisHash } from '@slipstream/types';
import { createRandom } from '../../apps/node/src/world/index.ts';
import type { ConductBook } from './conduct.ts';

export interface ListenerOptions {
  readonly genesisHash: GenesisHash;
  /** In the order of the committee. */
  readonly validators: readonly PeerAddress[];
  readonly clock: Clock;
}

export interface Listener {
  /** Frames that could not be decoded: none of an honest node. */
  readonly malformed: number;
  stop(): Promise<void>;
}

/** `onFinal` gets each view that a certificate of finality was heard for, as often as it is heard. */
export async function startListener(
  { genesisHash, validators, clock }: ListenerOptions,
  conduct: ConductBook,
  onFinal: (view: number) => void,
): Promise<Listener> {
  const random = createRandom();
  const seed = random.bytes(32);
  const indexOf = new Map<PeerKey, number>(validators.map(({ peer }, index) => [peer, index]));
  let malformed = 0;
  const transport = createTransport(
    { clock, random, telemetry: silentTelemetry },
    {
      seed,
      genesisHash,
      listen: [],
      peers: validators,
      admit: (peer) => (indexOf.has(peer) ? 'validator' : undefined),
      frameLimits: FRAME_LIMITS,
    },
  );
  transport.onFrame((from, _lane, bytes) => {
    const signer = indexOf.get(from);
    if (signer === undefined) return;
    const decoded = decodeFrame(bytes);
    if (!decoded.ok) {
      malformed += 1;
      return;
    }
    const frame = decoded.value;
    if (frame.name === 'proposal' && frame.value.block.proposer === signer)
      conduct.proposal('wire', signer, frame.value);
    if (frame.name !== 'consensus') return;
    for (const vote of frame.value.votes) if (vote.signer === signer) conduct.vote('wire', vote);
    for (const { subject } of frame.value.certificates) {
      if (subject.kind === 'finalize' || subject.kind === 'certify') onFinal(subject.view);
    }
  });
  transport.onPeer((event) => {
    // What a validator sends itself comes unasked; the certificates that it adopts are for those who follow.
    if (event.type !== 'connected') return;
    transport.send(event.peer, 'consensus', encodeFrame('subscribe', { certificates: true, members: [] }));
  });
  await transport.start();
  return {
    get malformed() {
      return malformed;
    },
    stop: () => transport.stop(),
  };
}
