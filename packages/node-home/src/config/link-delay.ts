/** An item of `network.delays`. */
export interface LinkDelay {
  /** 64 hexadecimal digits. */
  readonly peer: string;
  readonly delayMs: number;
  readonly jitterMs: number;
}

const ITEM = /^([0-9a-f]{64})=([0-9]{1,6}(?:\.[0-9]+)?)\+([0-9]{1,6}(?:\.[0-9]+)?)$/;

/** "<peer key>=<ms>+<jitter ms>". Throws RangeError with the expected form. */
export function parseLinkDelay(text: string): LinkDelay {
  const [, peer, delayMs, jitterMs] = ITEM.exec(text) ?? [];
  if (peer === undefined) {
    throw new RangeError(`must have entries <peer key of 64 hexadecimal digits>=<ms>+<jitter ms>, not "${text}"`);
  }
  return { peer, delayMs: Number(delayMs), jitterMs: Number(jitterMs) };
}
