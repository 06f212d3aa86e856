/**
 * A session on this chain: granted by the page's key, used with its own, refused outside of its scope.
 *
 *   sign in --> act with the session key --> try a forbidden action --> revoke --> try again
 */
import {
  anchorSalt,
  type Client,
  ClientError,
  generateKeyPair,
  type KeyPair,
  type Session,
  transfer,
} from '@slipstream/client';

export interface SessionNote {
  readonly kind: 'done' | 'refused';
  readonly text: string;
  readonly tookMs: number;
}

export interface SessionWorld {
  readonly client: Client;
  /** The node's clock, as this machine knows it. */
  readonly nodeNowMs: () => number;
  readonly signal: AbortSignal;
}

const SERVICE = 'console';
const LIFE_MS = 10 * 60_000;
/** Below the chain's limit, because clocks may differ. */
const EXPIRY_MS = 45_000;
/** Above any fee here; the rest is not charged. */
const FEE_MAX = 1_000_000n;
/** Covers the fees of a few transactions. */
const LIMIT = 10n * FEE_MAX;

async function timesOf({ client, nodeNowMs, signal }: SessionWorld) {
  const { prices } = await client.fees({ signal });
  const isFree = Object.values(prices).every((price) => price === '0');
  return { expiryMs: Math.round(nodeNowMs() + EXPIRY_MS), maxFee: isFree ? 0n : FEE_MAX, signal, isFree };
}

/** The session may only set data. Its account is funded where transactions have a price. */
export async function signIn(world: SessionWorld, device: KeyPair): Promise<Session> {
  const { client, nodeNowMs, signal } = world;
  const { isFree, ...times } = await timesOf(world);
  const terms = {
    anchor: device.account,
    anchorSalt: anchorSalt(device),
    service: SERVICE,
    spendLimit: LIMIT,
    target: await client.genesisHash({ signal }),
    actions: ['setData'] as const,
    expiryMs: Math.round(nodeNowMs() + LIFE_MS),
  };
  const session = await client.session.grant(terms, device, times);
  if (!isFree) await client.faucet(session.accountText, { wait: 'final', signal });
  return session;
}

export async function write(world: SessionWorld, session: Session): Promise<SessionNote> {
  return noting(world, 'The session key set data for its account, without your key.', (times) =>
    world.client.session.act([{ kind: 'setData', name: 'console', value: new Uint8Array([1]) }], session, times),
  );
}

export async function overstep(world: SessionWorld, session: Session): Promise<SessionNote> {
  const { accountText } = generateKeyPair();
  return noting(world, 'The chain accepted a transfer that the session does not allow.', (times) =>
    world.client.session.act([transfer(accountText, 1n)], session, times),
  );
}

export async function revoke(world: SessionWorld, session: Session, device: KeyPair): Promise<SessionNote> {
  return noting(world, 'Revoked: every validator refuses the session from now on.', (times) =>
    world.client.session.revoke(device.account, session.grantId, device, times),
  );
}

/** Some steps expect a rejection by the node; other errors are thrown. */
async function noting(
  world: SessionWorld,
  done: string,
  act: (times: {
    readonly expiryMs: number;
    readonly maxFee: bigint;
    readonly signal: AbortSignal;
  }) => Promise<unknown>,
): Promise<SessionNote> {
  const { isFree: _, ...times } = await timesOf(world);
  const startMs = performance.now();
  try {
    await act(times);
    return { kind: 'done', text: done, tookMs: performance.now() - startMs };
  } catch (error) {
    const reason = error instanceof ClientError ? error.problem?.reason : undefined;
    if (reason === undefined || !(error instanceof ClientError)) throw error;
    return { kind: 'refused', text: `Refused (${reason}): ${error.message}`, tookMs: performance.now() - startMs };
  }
}
