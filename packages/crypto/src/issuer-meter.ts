/**
 * Issuer meter: how many bad signatures one peer or address may cause.
 *
 * A good signature pays for itself; a bad one costs as much and brings nothing. Each bad one takes a token of its issuer. An issuer
 * without tokens is refused before any of its signatures is verified.
 *
 *   asked --tokens left?--> verified --bad--> a token less
 *          \--none: refused
 *
 * Verification takes longer than asking, so an issuer may have more under way than it has tokens: it goes into debt for them.
 */
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';

export interface IssuerMeter {
  /** Whether its signatures are worth verifying now. */
  mayAsk(issuer: string): boolean;
  /** So many of its signatures were bad. */
  failed(issuer: string, count: number): void;
  /** Issuers whose buckets are stored. */
  readonly size: number;
}

export interface IssuerMeterOptions {
  /** Bad signatures at once. */
  readonly burst: number;
  readonly perSecond: number;
  readonly debtMax: number;
  readonly issuersMax: number;
}

export const ISSUER_METER_DEFAULTS: IssuerMeterOptions = {
  /** 20 ms of verification at once ... */
  burst: 256,
  /** ... and 2 ms a second: a thousand hostile addresses together take less than two cores. */
  perSecond: 32,
  /** As many as intake has in checks at once, so each is paid for. An issuer is refused for ten minutes at most. */
  debtMax: 20_000,
  issuersMax: 4_096,
};

export function createIssuerMeter(
  clock: MonotonicClock,
  { burst, perSecond, debtMax, issuersMax }: IssuerMeterOptions = ISSUER_METER_DEFAULTS,
): IssuerMeter {
  const limiter = createRateLimiter<string>(clock, { rate: { perSecond, burst }, debtMax, keysMax: issuersMax });
  return {
    mayAsk: (issuer) => limiter.left(issuer) > 0,
    failed: limiter.charge,
    get size() {
      return limiter.size;
    },
  };
}
