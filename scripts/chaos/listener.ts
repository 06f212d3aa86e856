/**
 * An admitted peer that connects to every validator and only receives: signers send votes and proposals themselves, so their signatures are
 * known even if a log differs or is lost.
 */
import { createTransport, type PeerAddress } from '@slipstream/network';
import { createRandom } from '@slipstream/platform';
import { type Clock, type PeerKey, silentTelemetry } from '@slipstream/ports';
import { decodeFrame, encodeFrame, FRAME_LIMITS, type GenesisHash } from '@slipstream/types';
import type { StatementRecord } from './signed-statements.ts';

export interface ListenerOptions {
  readonly genesisHash: GenesisHash;
  readonly validators: readonly PeerAddress[];
  readonly clock: Clock;
}

export interface Listener {
  /** Frames that could not be decoded; honest nodes send none. */
  readonly malformed: number;
  stop(): Promise<void>;
}

/** `onFinal` gets views of finality certificates, also repeatedly. */
export async function startListener(
  { genesisHash, validators, clock }: ListenerOptions,
  signed: StatementRecord,
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
      signed.proposal('wire', signer, frame.value);
    if (frame.name !== 'consensus') return;
    for (const vote of frame.value.votes) if (vote.signer === signer) signed.vote('wire', vote);
    for (const { subject } of frame.value.certificates) {
      if (subject.kind === 'finalize' || subject.kind === 'certify') onFinal(subject.view);
    }
  });
  transport.onPeer((event) => {
    // A validator sends its own messages to every peer; adopted certificates go to subscribers only.
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
