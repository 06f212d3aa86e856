import type { Clock } from '@slipstream/ports';
import type { Links } from './building.ts';

/** The new member's first chunk waits for the answer. */
const ASKED_POLL_MS = 20;

/** A node that followed at its start asks when it becomes a member (H4). */
export async function untilAsked(
  links: Pick<Links, 'connected'>,
  clock: Pick<Clock, 'after'>,
  isStopped: () => boolean,
): Promise<void> {
  while (links.connected?.consensus.signing()?.state === 'querying' && !isStopped()) {
    await new Promise<void>((resolve) => void clock.after(ASKED_POLL_MS, resolve));
  }
}
