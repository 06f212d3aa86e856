/**
 * Administrators change the committee, a step in each epoch, with transactions like any other's:
 *
 *   propose, by one --final--> approve, by another --> sealed --boundary--> next step
 *                       \\----> ready of the joining node, in each epoch until it is a member
 */
import { assert } from '@slipstream/primitives';
import {
  type Change,
  consentMessage,
  proposalsInOutput,
  RULES_VERSION,
  readyMessage,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { accountKeyOf } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import type { Clients } from './clients.ts';
import type { Sent, WholeRecord } from './record.ts';
import { ADMINISTRATORS } from './stores.ts';

/** Numbers of nodes. */
export interface Step {
  readonly joins?: number;
  readonly leaves?: number;
  readonly weights?: readonly { readonly node: number; readonly weight: number }[];
}

const LOOK_MS = 50;
const LIFE_MS = 8_000;

/** `steps[e]` is proposed in epoch e. */
export function startGovernance(cluster: Cluster, record: WholeRecord, clients: Clients, steps: readonly Step[]): void {
  const { simulation, chain, scheme, peer } = cluster;
  const { genesisHash } = chain;
  const [proposer, approver, announcer] = ADMINISTRATORS;
  const proposed = new Map<number, Sent>();
  const approved = new Map<number, Sent>();
  /** By node. */
  const ready = new Map<number, { readonly sent: Sent; readonly epoch: number }>();

  const validatorOf = (node: number): ValidatorId => validatorIdOf(scheme.signer(node).publicKey);
  const keysOf = (node: number) => keysIn(cluster, node);

  function addition(node: number): Change {
    const operator = accountKeyOf(announcer);
    return {
      kind: 'addValidator',
      name: `node-${node}`,
      weight: 1,
      ...keysOf(node),
      address: `127.0.0.1:${9000 + node}`,
      operator,
      feeAccount: operator,
      consent: scheme.signAction(node, consentMessage(genesisHash, keysOf(node), operator)),
    };
  }

  function changesOf({ joins, leaves, weights = [] }: Step): readonly Change[] {
    return [
      ...(joins === undefined ? [] : [addition(joins)]),
      ...(leaves === undefined ? [] : [{ kind: 'removeValidator', validatorId: validatorOf(leaves) } as const]),
      ...weights.map(({ node, weight }) => ({ kind: 'setWeight', validatorId: validatorOf(node), weight }) as const),
    ];
  }

  function isGone(sent: Sent | undefined): boolean {
    return sent === undefined || record.hasExpired(sent.id);
  }

  function announce(node: number, epoch: number): void {
    const isMember = [epoch, epoch + 1].some((at) => isIn(record, at, peer(node)));
    const last = ready.get(node);
    if (isMember || (last?.epoch === epoch && !isGone(last.sent))) return;
    ready.set(node, { sent: sendReadiness(cluster, clients, node, epoch), epoch });
  }

  function act(epoch: number): void {
    const step = steps[epoch];
    if (step === undefined) return;
    if (isGone(proposed.get(epoch))) {
      const actions = [{ kind: 'propose', changes: changesOf(step), notBeforeMs: 0 }] as const;
      proposed.set(epoch, clients.send({ account: proposer, actions, lifeMs: LIFE_MS }));
    }
    const receipt = record.receiptOf(proposed.get(epoch)?.id ?? '');
    if (receipt === undefined || !isGone(approved.get(epoch))) return;
    const [proposalId] = proposalsInOutput(receipt.output) ?? [];
    assert(proposalId !== undefined, 'the proposal is taken');
    approved.set(
      epoch,
      clients.send({ account: approver, actions: [{ kind: 'approve', proposalId }], lifeMs: LIFE_MS }),
    );
  }

  function look(): void {
    const epoch = record.boundaries.size;
    act(epoch);
    for (const [at, sent] of proposed) {
      const node = steps[at]?.joins;
      if (node !== undefined && record.receiptOf(sent.id)) announce(node, epoch);
    }
    simulation.schedule(LOOK_MS, look);
  }

  simulation.schedule(LOOK_MS, look);
}

function keysIn({ scheme, peer }: Cluster, node: number) {
  return { blsPublicKey: scheme.signer(node).publicKey, peerKey: peer(node) };
}

/** Of a node that runs, in this epoch. */
export function sendReadiness(cluster: Cluster, clients: Clients, node: number, epoch: number): Sent {
  const stated = { ...keysIn(cluster, node), epoch, version: RULES_VERSION };
  const signature = cluster.scheme.signAction(node, readyMessage(cluster.chain.genesisHash, stated));
  const actions = [{ kind: 'ready', ...stated, signature }] as const;
  return clients.send({ account: ADMINISTRATORS[2], actions, mayFail: true, lifeMs: LIFE_MS });
}

export function isIn({ seals }: WholeRecord, epoch: number, peer: string): boolean {
  return seals.get(epoch)?.committee.members.some(({ peerKey }) => peerKey === peer) === true;
}
