/**
 * An admitted peer that connects to every validator and only receives: signers send votes and proposals themselves, so their signatures are
 * known even if a log differs or is lost.
 */
import { createTransport } from '@slipstream/network';
import { createRandom } from '@slipstream/platform';
import { type Clock, type PeerKey, silentTelemetry } from '@slipstream/ports';
import { decodeFrame, encodeFrame, FRAME_LIMITS, type Frame, type GenesisHash } from '@slipstream/types';
import type { EpochWatch } from './epoch-watch.ts';
import type { StatementRecord } from './signed-statements.ts';

export interface ListenerOptions {
  readonly genesisHash: GenesisHash;
  readonly epochs: EpochWatch;
  readonly clock: Clock;
}

export interface Listener {
  /** Frames that could not be decoded; honest nodes send none. */
  readonly malformed: number;
  stop(): Promise<void>;
}

/** Frames of an epoch whose record no node has given yet: some seconds of a busy network. */
const WAITING_MAX = 20_000;
const SUBSCRIBE_MS = 500;

/** `onFinal` gets views of finality certificates, also repeatedly. */
export async function startListener(
  { genesisHash, epochs, clock }: ListenerOptions,
  signed: StatementRecord,
  onFinal: (view: number) => void,
): Promise<Listener> {
  const random = createRandom();
  const seed = random.bytes(32);
  const note = createOwnStatements(epochs);
  let malformed = 0;
  const transport = createTransport(
    { clock, random, telemetry: silentTelemetry },
    {
      seed,
      genesisHash,
      listen: [],
      peers: epochs.peers(),
      admit: (key) => (epochs.peers().some(({ peer }) => peer === key) ? 'validator' : undefined),
      frameLimits: FRAME_LIMITS,
    },
  );

  function take(from: PeerKey, frame: Frame): void {
    if (frame.name === 'proposal') {
      const { value } = frame;
      note.own(value.block.epoch, value.block.proposer, from, () => signed.proposal('wire', value));
    }
    if (frame.name !== 'consensus') return;
    for (const vote of frame.value.votes) {
      note.own(vote.subject.epoch, vote.signer, from, () => signed.vote('wire', vote));
    }
    for (const { subject } of frame.value.certificates) {
      if (subject.kind === 'finalize' || subject.kind === 'certify') onFinal(subject.view);
    }
  }

  transport.onFrame((from, _lane, bytes) => {
    const decoded = decodeFrame(bytes);
    if (decoded.ok) take(from, decoded.value);
    else malformed += 1;
  });
  // A validator sends its own messages to every peer; adopted certificates go to subscribers only, and an epoch begins with none.
  const subscribing = setInterval(() => {
    for (const { peer, connected } of transport.peers()) {
      if (connected) transport.send(peer, 'consensus', encodeFrame('subscribe', { certificates: true, members: [] }));
    }
  }, SUBSCRIBE_MS);
  epochs.onRecord(() => {
    transport.setPeers(epochs.peers());
    note.recordsChanged();
  });
  await transport.start();
  return {
    get malformed() {
      return malformed;
    },
    stop() {
      clearInterval(subscribing);
      return transport.stop();
    },
  };
}

function createOwnStatements(epochs: EpochWatch) {
  let waiting: (() => void)[] = [];

  /** Only what the sender signed itself. */
  function own(epoch: number, index: number, from: PeerKey, note: () => void): void {
    if (epochs.isPeerOf(epoch, index, from)) note();
    else if (!epochs.has(epoch) && waiting.length < WAITING_MAX) waiting.push(() => own(epoch, index, from, note));
  }

  return {
    own,
    recordsChanged() {
      const known = waiting;
      waiting = [];
      for (const retry of known) retry();
    },
  };
}
