/** A client at each validator, outside of its process: what has no receipt yet is sent again, to any node that runs. */
import { EPOCH_MS, type SeededRandom } from '@slipstream/simulator';
import { type Action, decodeTransaction, hexOf } from '@slipstream/types';
import { accountKeyOf, transactionBytes } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import type { Sent, WholeRecord } from './record.ts';
import { ACCOUNTS } from './stores.ts';

export interface Clients {
  /** No new transactions; the sent ones are still sent again. */
  stop(): void;
  /** Sent again until it has its receipt or has expired, `stop` or not. Returns it. */
  send(form: SentForm): Sent;
}

export interface SentForm extends Pick<Sent, 'account' | 'transfer' | 'mayFail' | 'mayBeOverLimit'> {
  readonly actions: readonly Action[];
  readonly lifeMs?: number;
}

/** Mean, of each client. */
const EVERY_MS = 100;
const LIFE_MS = 50_000;
/** Of one in SHORT_ONE_IN: it may expire. */
const SHORT_LIFE_MS = 1_500;
const SHORT_ONE_IN = 10;
const AGAIN_MS = 1_000;
const MAX_FEE = 1_000_000n;
const DATA_BYTES_MAX = 200;

export function startClients(
  { simulation, chain, members, node, nodes }: Cluster,
  record: WholeRecord,
  random: SeededRandom,
): Clients {
  let isStopped = false;

  function create({ account, actions, lifeMs = LIFE_MS, ...form }: SentForm): Sent {
    const expiryMs = Math.floor(EPOCH_MS + simulation.nowMs + lifeMs);
    const salt = random.bytes(8);
    const bytes = transactionBytes({
      account,
      genesisHash: chain.genesisHash,
      expiryMs,
      salt,
      actions,
      maxFee: MAX_FEE,
    });
    return { ...form, account, id: hexOf(decodeTransaction(bytes).id), bytes, expiryMs, sentMs: simulation.nowMs };
  }

  function send(form: SentForm, at: number): Sent {
    const sent = create(form);
    record.sent(sent);
    submit(sent, at);
    simulation.schedule(AGAIN_MS, () => again(sent));
    return sent;
  }

  function submit({ id, bytes }: Sent, at: number): void {
    const { alive, running, peer } = node(at);
    if (!alive || running === undefined) return;
    const submitted = record.node(peer)?.submit(bytes);
    void submitted?.then(
      (answer) => {
        if (answer === 'accepted') record.accepted(id);
        if (answer === 'over-limit') record.overLimit(id);
      },
      () => {}, // the node stopped
    );
  }

  function again(sent: Sent): void {
    if (record.places.has(sent.id) || record.refused.has(sent.id) || EPOCH_MS + simulation.nowMs > sent.expiryMs)
      return;
    const running = nodes.flatMap((each, at) => (each.running ? [at] : []));
    if (running.length > 0) submit(sent, random.pick(running));
    simulation.schedule(AGAIN_MS, () => again(sent));
  }

  function next(member: number): void {
    if (isStopped) return;
    const [from, to] = [random.below(ACCOUNTS), random.below(ACCOUNTS)];
    const lifeMs = random.below(SHORT_ONE_IN) === 0 ? SHORT_LIFE_MS : LIFE_MS;
    const value = random.bytes(random.below(DATA_BYTES_MAX));
    const actions = [
      { kind: 'transfer', to: accountKeyOf(to), amount: 1n },
      { kind: 'setData', name: `n${random.below(5)}`, value },
    ] as const;
    send({ account: from, transfer: { from, to }, actions, lifeMs }, member);
    simulation.schedule(2 * EVERY_MS * random.unit(), () => next(member));
  }

  for (const member of members) simulation.schedule(EVERY_MS * random.unit(), () => next(member));
  return {
    stop() {
      isStopped = true;
    },
    send: (form) => send(form, random.pick(members)),
  };
}
