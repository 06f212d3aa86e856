/** Whatever a node sends: what is returned has its form, and what is thrown is a ClientError. */
import {
  createCheck,
  EVENT_TYPES,
  EVENTS,
  EvidenceSchema,
  ROUTE_TABLE,
  type RouteName,
  STREAM_MESSAGES,
  type StreamEvent,
  StreamMessageSchema,
} from '@slipstream/schema';
import { type GenesisHash, genesisToJson } from '@slipstream/types';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { valuesOf } from '../../api/test/values-of-schema.ts';
import {
  buildTransaction,
  type Client,
  ClientError,
  createClient,
  estimateFee,
  generateKeyPair,
  readCredential,
  signTransaction,
  transfer,
  verifyEvidence,
  verifyProof,
  verifyRowProof,
  type WebSocketEvent,
} from '../src/index.ts';
import { genesis } from './real-chain.ts';

const GENESIS = genesisToJson(genesis);
const ID = `0x${'ab'.repeat(32)}`;
const { account: sender, accountText: ACCOUNT, ...key } = generateKeyPair();

/** Of every route that answers with JSON, and the calls that are more than one. */
const CALLS: Partial<Record<RouteName, (client: Client) => Promise<unknown>>> = {
  status: (client) => client.status(),
  genesis: (client) => client.genesis(),
  submitTransaction: (client) => client.submit(new Uint8Array(1)),
  submitBatch: (client) => client.submitBatch([new Uint8Array(1)]),
  transaction: (client) => client.transaction(ID),
  transactionProof: (client) => client.proof(ID),
  account: (client) => client.account(ACCOUNT),
  accounts: (client) => client.accounts([ACCOUNT]),
  accountTransactions: (client) => client.accountTransactions(ACCOUNT),
  accountData: (client) => client.accountData(ACCOUNT, 'colour'),
  directoryEntry: (client) => client.directory(0),
  block: (client) => client.block('latest'),
  blocks: (client) => client.blocks(),
  blockTransactions: (client) => client.blockTransactions(1),
  blockBatches: (client) => client.blockBatches(1),
  distilledBatch: (client) => client.batch(ID),
  distilledRows: (client) => client.batchRows(ID),
  blockOutcomes: (client) => client.blockOutcomes(1),
  certificates: (client) => client.certificates(1),
  committee: (client) => client.committee(),
  epochs: (client) => client.epochs(),
  epoch: (client) => client.epoch('current'),
  validators: (client) => client.validators(),
  validator: (client) => client.validator(ID),
  proposals: (client) => client.proposals(),
  proposal: (client) => client.proposal(ID),
  fees: (client) => client.fees(),
  peers: (client) => client.peers(),
  evidence: (client) => client.call('evidence'),
  faucet: (client) => client.faucet(ACCOUNT),
  fleet: (client) => client.fleet(),
  audit: (client) => client.call('audit'),
  drain: (client) => client.drain(),
  logLevel: (client) => client.call('logLevel'),
  session: (client) => client.session.show(ID),
  credential: (client) => client.session.credential(ID),
  identity: (client) => client.session.identity(ACCOUNT),
  healthz: (client) => client.call('healthz'),
  readyz: (client) => client.call('readyz'),
};

function clientOf(body: unknown, status = 200): Client {
  return createClient({
    url: 'http://node',
    token: 'token',
    fetch: () => Promise.resolve(new Response(JSON.stringify(body) ?? '', { status })),
  });
}

async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return error;
  }
}

/** One place of the value is another: `path` chooses a field at each depth. */
function damaged(value: unknown, path: readonly number[], other: unknown): unknown {
  const [at, ...rest] = path;
  if (at === undefined || typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const chosen = keys[at % Math.max(1, keys.length)];
  if (chosen === undefined) return other;
  const changed = damaged((value as Record<string, unknown>)[chosen], rest, other);
  return Array.isArray(value) ? value.with(Number(chosen), changed) : { ...value, [chosen]: changed };
}

const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...['', '0x', '..', -1, 1e300, [], {}]));
/** Of the right form, of nearly the right one, and of none. */
function answersOf(schema: TSchema): fc.Arbitrary<unknown> {
  const right = valuesOf(schema);
  const path = fc.array(fc.nat(20), { maxLength: 4 });
  return fc.oneof(
    right,
    fc.tuple(right, path, other).map(([value, at, one]) => damaged(value, at, one)),
    other,
  );
}

describe('answers', () => {
  it.each(Object.keys(CALLS) as RouteName[])('of %s are returned in their form, or rejected', async (name) => {
    const schema = ROUTE_TABLE[name].answers[200];
    if (schema === undefined) throw new Error(`${name} has no answer`);
    const call = CALLS[name] as (client: Client) => Promise<unknown>;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(answersOf(schema), fc.constantFrom(200, 200, 200, 202, 400, 404, 503), async (body, status) => {
        const outcome = await outcomeOf(call(clientOf(body, status)));
        if (outcome instanceof ClientError) refused += 1;
        else if (name !== 'credential') expect(createCheck(schema)(outcome).ok).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('with an error status are problems, also when malformed', async () => {
    const problems = fc.record({ code: other, detail: other, reason: other, faults: other, retryAfterMs: other });
    const status = fc.integer({ min: 400, max: 599 });
    await fc.assert(
      fc.asyncProperty(problems, status, async (body, code) => {
        expect(await outcomeOf(clientOf(body, code).status())).toBeInstanceOf(ClientError);
      }),
    );
    const newer = {
      code: 'invalid-transaction',
      detail: 'no',
      status: 'x',
      reason: 'of-a-newer-node',
      retryAfterMs: [],
    };
    const error = (await outcomeOf(clientOf(newer, 422).status())) as ClientError;
    expect(error).toMatchObject({ code: 'invalid-transaction', message: 'no' });
    expect(error.problem?.reason).toBeUndefined();
    expect(error.retryAfterMs).toBeUndefined();
  });

  it('that are lists lose only their malformed entries', async () => {
    const good = { type: 'votes', epoch: 0, offender: 1, view: 3, first: '0x00', second: '0x01' };
    const page = { items: [good, { type: 'foo' }, null, good], next: null, malformed: 'a claim of the node' };
    const { items, malformed, next } = await clientOf(page).call('evidence');
    expect({ items, next }).toEqual({ items: [good, good], next: null });
    expect(malformed.map(({ item }) => item)).toEqual([2, 3]);
    expect(malformed[0]?.fault).toContain('type');
    expect((await clientOf({ items: [] }).peers()).malformed).toEqual([]);
  });

  it('name in their rejection what is wrong', async () => {
    const answer = outcomeOf(clientOf({ items: 'all' }).peers());
    await expect(answer).resolves.toMatchObject({
      code: 'malformed-answer',
      message: expect.stringContaining('/items'),
    });
  });

  it('cannot break a fee, a submission or a credential', async () => {
    const actions = [transfer(ACCOUNT, 1n)];
    const body = () => ({ genesisHash: new Uint8Array(32) as GenesisHash, sender, expiryMs: Date.now() + 5, actions });
    const pair = { account: sender, accountText: ACCOUNT, ...key };
    const transaction = signTransaction(buildTransaction(body()), pair);
    await fc.assert(
      fc.asyncProperty(other, async (value) => {
        const fees = { prices: value, minimumPrices: value } as unknown as Parameters<typeof estimateFee>[1];
        await outcomeOf(Promise.try(() => estimateFee(transaction, fees)));
        await outcomeOf(
          Promise.try(() => readCredential(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))),
        );
        await outcomeOf(clientOf(value).submitAndWait(transaction, { timeoutMs: 1 }));
        await outcomeOf(clientOf(value).genesisHash());
      }),
      { numRuns: 40 },
    );
  });
});

describe('verification', () => {
  const evidence = answersOf(EvidenceSchema);
  const genesisFile = fc
    .tuple(fc.array(fc.nat(20), { maxLength: 4 }), other)
    .map(([path, one]) => damaged(GENESIS, path, one));

  it('of evidence returns a verdict for any evidence and any genesis', () => {
    fc.assert(
      fc.property(fc.oneof(evidence, fc.anything()), fc.oneof(fc.constant(GENESIS), genesisFile), (item, file) => {
        const { ok } = verifyEvidence(item, file);
        expect(ok).toBe(false);
      }),
    );
    expect(verifyEvidence({ type: 'foo' }, GENESIS)).toMatchObject({
      ok: false,
      error: expect.stringContaining('type'),
    });
  });

  it('of a proof returns a verdict for any proof and any genesis', () => {
    const proofs = answersOf(ROUTE_TABLE.transactionProof.answers[200] as TSchema);
    const input = fc.oneof(
      proofs,
      proofs.map((proof) => ({ proof })),
      fc.uint8Array(),
      fc.anything(),
    );
    fc.assert(
      fc.property(input, fc.oneof(fc.constant(GENESIS), genesisFile), (proof, file) => {
        expect(verifyProof(proof, file).ok).toBe(false);
        expect(verifyRowProof(proof, file, ID).ok).toBe(false);
      }),
    );
  });
});

class Socket {
  static newest: Socket;
  readonly #listeners = new Map<string, (event: WebSocketEvent) => void>();

  constructor() {
    Socket.newest = this;
  }

  addEventListener(type: string, listener: (event: WebSocketEvent) => void): void {
    this.#listeners.set(type, listener);
  }

  close(): void {}

  say(data: unknown): void {
    this.#listeners.get('message')?.({ data });
  }
}

describe('streams', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const client = createClient({ url: 'http://node', WebSocket: Socket });
  const event = fc
    .constantFrom(...EVENT_TYPES)
    .chain((type) => answersOf(EVENTS[type].data).map((data) => ({ type, data })))
    .chain((one) => fc.nat().map((sequence) => ({ type: 'event', sequence, atMs: 1, event: one })));
  const messages = fc.oneof(event, ...Object.values(STREAM_MESSAGES).map((schema) => answersOf(schema)));

  it('deliver well-formed events and states, and report the others', () => {
    const check = createCheck(StreamMessageSchema);
    let [delivered, reported] = [0, 0];
    fc.assert(
      fc.property(fc.array(messages, { maxLength: 20 }), fc.boolean(), (all, garbled) => {
        const deliver = (message: unknown) => {
          delivered += 1;
          expect(check(message)).toMatchObject({ ok: true });
        };
        const stream = client.events({ onState: deliver, onEvent: deliver, onMalformed: () => (reported += 1) });
        for (const message of all) Socket.newest.say(garbled ? message : JSON.stringify(message));
        stream.close();
      }),
      { numRuns: 200 },
    );
    expect(delivered).toBeGreaterThan(0);
    expect(reported).toBeGreaterThan(0);
  });

  it('continue after a malformed event, and request nothing twice', () => {
    const seen: StreamEvent[] = [];
    const faults: string[] = [];
    const stream = client.events({ onEvent: (one) => seen.push(one), onMalformed: (fault) => faults.push(fault) });
    const say = (sequence: number, event: unknown) =>
      Socket.newest.say(JSON.stringify({ type: 'event', sequence, atMs: 1, event }));
    say(1, { type: 'peer.unblocked', data: { peer: 7 } });
    say(2, { type: 'of.a.newer.node', data: {} });
    say(3, { type: 'peer.unblocked', data: { peer: ID } });
    say(3, { type: 'peer.unblocked', data: { peer: ID } });
    stream.close();
    expect(seen.map(({ sequence }) => sequence)).toEqual([3]);
    expect(faults).toEqual([expect.stringContaining('event peer.unblocked: /peer')]);
  });
});
