/** An attacker without the real code: it receives frames and sends by a script. */
import type { PeerKey } from '@slipstream/ports';
import { decodeFrame, type Frame } from '@slipstream/types';
import type { NodeCode } from '../harness/cluster.ts';
import { createLiar, type Liar } from './corrupted.ts';

export interface Script {
  readonly everyMs: number;
  act(): Promise<void> | void;
  onFrame?(frame: Frame, from: PeerKey): void;
}

export function scripted(write: (liar: Liar) => Script): NodeCode {
  return async (world, setting) => {
    const { transport, clock } = world;
    const script = write(createLiar(world, setting));
    transport.onFrame((from, _lane, bytes) => {
      const decoded = decodeFrame(bytes);
      if (decoded.ok) script.onFrame?.(decoded.value, from);
    });
    transport.onPeer(() => {});
    await transport.start();
    const loop = () => {
      void Promise.resolve(script.act()).then(() => clock.after(script.everyMs, loop));
    };
    clock.after(script.everyMs, loop);
    return { consensus: undefined };
  };
}

/** By the highest view of votes, certificates and heartbeats. */
export function createViewFollower(): { readonly view: number; onFrame(frame: Frame): void } {
  let view = 1;
  return {
    get view() {
      return view;
    },
    onFrame(frame) {
      if (frame.name === 'heartbeat') view = Math.max(view, frame.value.view);
      if (frame.name === 'consensus') for (const { subject } of frame.value.votes) view = Math.max(view, subject.view);
    },
  };
}
