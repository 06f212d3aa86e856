/** Parts of the main thread's turns, named for a profile (development.profileTurns). */
import type { NetworkTransport } from '@slipstream/network';
import type { Verifier } from '@slipstream/ports';
import { frameNameOf } from '@slipstream/types';
import type { TurnProfile } from '../threads/turn-profile.ts';

export function profiledTransport(transport: NetworkTransport, turns: TurnProfile): NetworkTransport {
  return {
    ...transport,
    send: (peer, lane, frame) => turns.within(`frame out: ${nameOf(frame)}`, () => transport.send(peer, lane, frame)),
    broadcast: (lane, frame) =>
      turns.within(`frame out to all: ${nameOf(frame)}`, () => transport.broadcast(lane, frame)),
    onFrame(handler) {
      transport.onFrame((from, lane, frame) =>
        turns.within(`frame in: ${nameOf(frame)}`, () => handler(from, lane, frame)),
      );
    },
  };
}

/** A call's part until the thread of the verifier has it. */
export function profiledVerifier(verifier: Verifier, turns: TurnProfile): Verifier {
  const named = Object.entries(verifier).map(([name, check]: [string, (...asked: never[]) => unknown]) => [
    name,
    (...asked: never[]) => turns.within(`to verifier: ${name}`, () => check(...asked)),
  ]);
  return Object.fromEntries(named) as Verifier;
}

function nameOf(frame: Uint8Array): string {
  return frameNameOf(frame) ?? 'unknown';
}
