/** A broker in virtual time, with real keys: honest clients, and clients that lie. */

import blst from '@chainsafe/blst';
import { createInlineVerifier, ed25519PublicKey, ed25519Sign } from '@slipstream/crypto/native';
import {
  type Batch,
  batchIdOf,
  checkBatchForm,
  checkClaims,
  columnsOf,
  decodeBatch,
  outcomesRootOf,
  type Row,
  rowAt,
  type Straggler,
  stragglerMessage,
} from '@slipstream/distilled';
import {
  type BrokerMessage,
  decodeBrokerMessage,
  encodeClientMessage,
  loginMessage,
} from '@slipstream/distilled/stream';
import { silentTelemetry } from '@slipstream/ports';
import { concatBytes, type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import { createSimulation } from '@slipstream/simulator';
import { type Account, createAccount, directoryOf, EPOCH, GENESIS, row } from '../../distilled/test/world.ts';
import {
  type AccountState,
  type BrokerComponents,
  type ChainView,
  createBroker,
  type OfferAnswer,
} from '../src/index.ts';

export { row };

const BROKER = toHex(sha256(utf8('broker'))) as PeerKey;
const ACCOUNTS = Array.from({ length: 12 }, (_, i) => createAccount(`of a broker ${i}`));
const directory = directoryOf(ACCOUNTS);
const { verifier, distilled, shares } = createInlineVerifier({ committees: [] });
const LINK_MS = 10;

const account = (index: number): Account => ACCOUNTS[index] as Account;

/** What a client does with a header. */
export type Behaviour = 'honest' | 'withholds' | 'false' | 'late' | 'shares nothing';

export interface ClientOptions {
  readonly behaviour?: () => Behaviour;
  /** Whose keys sign the login, if other than the indices'. */
  readonly signers?: readonly number[];
  /** Bytes that it sends as its login. */
  readonly login?: Uint8Array;
  readonly address?: string;
  /** Of a late share. */
  readonly lateMs?: number;
  /** It reads nothing. */
  readonly isStuck?: () => boolean;
}

type Values<Name extends BrokerMessage['name']> = Extract<BrokerMessage, { name: Name }>['value'];

function keysOf(indices: Iterable<number>): Uint8Array {
  return concatBytes(...[...indices].map((index) => directory.keys.subarray(96 * index, 96 * index + 96)));
}

function unsentBytesOf(sent: readonly Uint8Array[]): number {
  return sent.reduce((sum, { length }) => sum + length, 0);
}

/** Uncompressed. */
function signSum(indices: Iterable<number>, message: Uint8Array): Uint8Array {
  const signatures = [...indices].map((index) => blst.SecretKey.fromBytes(account(index).blsSecret).sign(message));
  return new Uint8Array(blst.aggregateSignatures(signatures).toBytes(false));
}

function compressed(signature: Uint8Array): Uint8Array {
  return new Uint8Array(blst.Signature.fromBytes(signature, false).toBytes(true));
}

export function createWorld(
  overrides: Partial<Pick<BrokerComponents, 'offer'>> & {
    sharesFault?: () => boolean;
    /** Before states are read. */
    reading?: () => Promise<void>;
  } = {},
  limits = {},
) {
  const simulation = createSimulation({ seed: 'broker' });
  const clock = simulation.clock({ node: 'broker' });
  const states = new Map<number, AccountState>();
  for (const [index, { secret }] of ACCOUNTS.entries()) {
    const publicKey = ed25519PublicKey(secret);
    states.set(index, { balance: 1_000_000n, last: 0, mask: new Uint32Array(2), isRetired: false, publicKey });
  }
  const offered: { readonly bytes: Uint8Array; readonly batch: Batch }[] = [];
  /** `lost`: the offer arrives, its answer does not. */
  const answers: (OfferAnswer | 'lost')[] = [];
  const counted = new Map<string, number>();
  const logged: unknown[] = [];
  const countCalls = new Map<string, number>();
  let view: ChainView | undefined = {
    epoch: EPOCH,
    knownAt: 20,
    directorySize: ACCOUNTS.length,
    rowFee: 10n,
    stragglerFee: 100n,
    feeCap: 13n,
  };
  let logins = 0;
  const broker = createBroker(
    {
      clock,
      random: simulation.random('nonces'),
      telemetry: {
        ...silentTelemetry,
        count(name, by = 1) {
          counted.set(name, (counted.get(name) ?? 0) + by);
          countCalls.set(name, (countCalls.get(name) ?? 0) + 1);
        },
        log: (level, message, fields) => void logged.push([level, message, fields]),
      },
      chain: () => view,
      async accounts(indices) {
        await overrides.reading?.();
        return [...indices].map((index) => states.get(index));
      },
      checks: {
        async login(message, indices, aggregate) {
          logins++;
          const claim = { message, keys: keysOf(indices), aggregate };
          return (await distilled.checkDistilled([claim], 'client'))[0] === true;
        },
        shares: async (message, given) => {
          if (overrides.sharesFault?.() === true) throw new Error('the queue is full');
          const keyed = given.map(({ indices, signature }) => ({ keys: keysOf(indices), signature }));
          return shares.sumShares({ message, shares: keyed }, 'client');
        },
        stragglers: (signatures) => verifier.checkAccounts(signatures, 'client'),
      },
      offer:
        overrides.offer ??
        (async (bytes, batch) => {
          offered.push({ bytes: bytes.slice(), batch });
          const answer = answers.shift() ?? { type: 'accepted' };
          if (answer === 'lost') throw new Error('the answer is lost');
          return answer;
        }),
    },
    { genesisHash: GENESIS, broker: BROKER, limits },
  );

  function connect(indices: readonly number[], options: ClientOptions = {}) {
    const { behaviour = () => 'honest', lateMs = 2_000 } = options;
    const messages: BrokerMessage[] = [];
    const sent: Uint8Array[] = [];
    let closed: string | undefined;
    const stream = broker.open(
      {
        send: (bytes) => {
          if (options.isStuck?.() !== true) simulation.schedule(LINK_MS, () => receive(bytes));
          else sent.push(bytes);
        },
        unsentBytes: () => unsentBytesOf(sent),
        close: (reason) => {
          closed = reason;
          if (options.isStuck?.() !== true) simulation.schedule(LINK_MS, () => stream?.closed());
        },
        terminate: () => {
          sent.length = 0;
          closed ??= 'terminated';
          simulation.schedule(0, () => stream?.closed());
        },
      },
      options.address ?? `address ${indices.join()}`,
    );

    function toBroker(message: Parameters<typeof encodeClientMessage>[0] | Uint8Array, delayMs = LINK_MS): void {
      const bytes = message instanceof Uint8Array ? message : encodeClientMessage(message);
      simulation.schedule(delayMs, () => stream?.message(bytes));
    }

    function receive(bytes: Uint8Array): void {
      const decoded = decodeBrokerMessage(bytes);
      if (!decoded.ok) throw new Error(decoded.error.message);
      const message = decoded.value;
      messages.push(message);
      if (message.name === 'challenge') logIn(message.value);
      if (message.name === 'headerWithPaths' || message.name === 'headerWithColumns') answer(message);
    }

    function logIn({ genesisHash, nonce, broker: of }: Values<'challenge'>): void {
      if (options.login !== undefined) return toBroker(options.login);
      const list = Uint32Array.from(indices);
      const message = loginMessage({ genesisHash, broker: of, nonce, indices: list });
      const bytes = encodeClientMessage({
        name: 'login',
        value: { indices: list, aggregate: compressed(signSum(options.signers ?? indices, message)) },
      });
      client.loginBytes = bytes.slice();
      toBroker(bytes);
    }

    function answer({ name, value }: Extract<BrokerMessage, { name: 'headerWithPaths' | 'headerWithColumns' }>): void {
      const how = behaviour();
      if (how === 'withholds') return;
      const batchId = batchIdOf(GENESIS, value.header);
      const senders =
        name === 'headerWithPaths' ? value.own.map(({ sender }) => sender) : [...new Set(value.rows.senders)];
      const own = senders.filter((sender) => indices.includes(sender));
      const signature = signSum(own, how === 'false' ? new Uint8Array(32) : batchId);
      const without = Uint32Array.from(how === 'shares nothing' ? own : []);
      toBroker({ name: 'share', value: { batchId, without, signature } }, how === 'late' ? lateMs : LINK_MS);
    }

    const client = {
      messages,
      loginBytes: new Uint8Array() as Uint8Array,
      toBroker,
      disconnect: () => stream?.closed(),
      get closed() {
        return closed;
      },
      isTaken: stream !== undefined,
      unsentBytes: () => unsentBytesOf(sent),
      /** Of one kind, in order. */
      all: <Name extends BrokerMessage['name']>(name: Name) =>
        messages.flatMap((message) => (message.name === name ? [message.value as Values<Name>] : [])),
      headers: () =>
        messages.flatMap((message) =>
          message.name === 'headerWithPaths' || message.name === 'headerWithColumns' ? [message.value] : [],
        ),
      /** `signed`: with straggler signatures. */
      rows(
        rows: readonly Row[],
        {
          signed = false,
          isForged = false,
          terms = {},
          number = 1,
          times = 1,
          expiryMs = clock.wallMs() + 59_000,
          feeCap = 50n,
        } = {},
      ): void {
        const own = { expiryMs: clock.wallMs() + 55_000, feeCap: 500n, ...terms };
        const sign = (one: Row) => ed25519Sign(stragglerMessage(GENESIS, one, own), account(one.sender).secret);
        const stragglers: Straggler[] = (signed ? rows : []).map((one, position) => ({
          position,
          ...own,
          signature: isForged ? new Uint8Array(64).fill(1) : sign(one),
        }));
        const value = { number, expiryMs, feeCap, rows: columnsOf(rows), stragglers };
        const bytes = encodeClientMessage({ name: 'rows', value });
        for (let i = 0; i < times; i++) toBroker(bytes);
      },
    };
    return client;
  }

  async function run(ms: number): Promise<void> {
    await simulation.run({ untilMs: simulation.nowMs + ms });
  }

  /** Judged as each node does. */
  async function areValid(): Promise<readonly boolean[]> {
    const claims = offered.map(({ bytes }) => {
      const decoded = decodeBatch(bytes);
      if (!decoded.ok) throw new Error(decoded.error.message);
      const { epoch } = decoded.value.header;
      const checked = checkBatchForm(decoded.value, { genesisHash: GENESIS, epoch, directory });
      if (!checked.ok) throw new Error(checked.error);
      return checked.value;
    });
    return checkClaims(claims, { ...distilled, checkAccounts: verifier.checkAccounts }, 'chunk');
  }

  const idOf = (i: number) => toHex(batchIdOf(GENESIS, (offered[i] as (typeof offered)[0]).batch.header));

  function rowsOf(i: number): readonly Row[] {
    const { rows } = (offered[i] as (typeof offered)[0]).batch;
    return Array.from({ length: rows.count }, (_, at) => rowAt(rows, at));
  }

  /** A final block in which these offers ran. */
  function commit(
    numbers: readonly number[],
    {
      height = 30,
      epoch = EPOCH,
      outcome = 0,
      outcomeOf = (_: Row) => outcome,
      skipped = [] as readonly number[],
    } = {},
  ): void {
    const batches = numbers.map((i) => {
      const { batch } = offered[i] as (typeof offered)[0];
      const outcomes = Uint8Array.from(rowsOf(i), outcomeOf);
      const leaf = {
        header: batch.header,
        rowFee: 10n,
        stragglerFee: 100n,
        firstIndex: 0,
        outcomesRoot: outcomesRootOf(outcomes),
      };
      return { batchId: batchIdOf(GENESIS, batch.header), leaf, outcomes };
    });
    broker.committed({ epoch, height, timestampMs: clock.wallMs(), batches, skipped: new Set(skipped.map(idOf)) });
  }

  /** A block of the epoch before, and one of the next. */
  function moveEpoch(): void {
    commit([]);
    setChain({ epoch: EPOCH + 1 });
    commit([], { epoch: EPOCH + 1 });
  }

  function changeState(index: number, change: Partial<AccountState>): void {
    states.set(index, { ...(states.get(index) as AccountState), ...change });
  }

  function setChain(next: Partial<ChainView> | undefined): void {
    view = next && { ...(view as ChainView), ...next };
  }

  return {
    broker,
    connect,
    run,
    moveEpoch,
    setChain,
    offered,
    answers,
    changeState,
    counted,
    logged,
    countCalls,
    areValid,
    commit,
    rowsOf,
    nowMs: () => clock.wallMs(),
    get logins() {
      return logins;
    },
    row,
  };
}

/** A world in which alice, of index 0, has sent a row, and its batch was offered unless `afterMs` is short. */
export async function createWorldWithRow({
  world = createWorld(),
  afterMs = 500,
  signed = false,
  ...client
}: ClientOptions & { world?: ReturnType<typeof createWorld>; afterMs?: number; signed?: boolean } = {}) {
  const alice = world.connect([0], client);
  await world.run(100);
  alice.rows([row(0, 5, 1)], { signed });
  await world.run(afterMs);
  return { world, alice };
}

/** A client of account 1 that gave no share for its rows 1 to 3, so that its next ones need a straggler signature (Q8). */
export async function connectPenalized(
  world: ReturnType<typeof createWorld>,
  behaviour: () => Behaviour = () => 'withholds',
) {
  const mallory = world.connect([1], { behaviour });
  await world.run(100);
  for (let i = 1; i <= 3; i++) {
    mallory.rows([row(1, 5, 1, i)]);
    await world.run(800);
  }
  return mallory;
}
