/**
 * Administrators change the committee, a step in each epoch, with transactions like any other's:
 *
 *   propose, by one --final--> approve, by another --> sealed --boundary--> next step
 *                       \\----> ready of the joining node, in each epoch until it is a member
 */
import { assert, bytesEqual } from '@slipstream/primitives';
import {
  type Change,
  consentMessage,
  proposalsInOutput,
  RULES_VERSION,
  readyMessage,
  type Units,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { accountKeyOf } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import type { NodeKeys } from '../node-keys.ts';
import type { Clients } from './clients.ts';
import type { Sent, WholeRecord } from './record.ts';
import { ADMINISTRATORS, feeAccountOf, genesisOf, OPERATOR } from './stores.ts';

/** Numbers of nodes. */
export interface Step {
  readonly joins?: number;
  readonly leaves?: number;
  readonly weights?: readonly { readonly node: number; readonly weight: number }[];
  /** Both keys of each. */
  readonly rotates?: readonly number[];
  /** Of a block. */
  readonly limits?: Units;
  readonly upgrade?: Upgrade;
}

export interface Upgrade {
  readonly change: Change & { readonly kind: 'upgradeApplication' };
  /** Nodes that have the artifact and say so, in each epoch until a record names it. */
  reporters(): readonly number[];
}

const LOOK_MS = 50;
const LIFE_MS = 8_000;

/** `steps[e]` is proposed in epoch e. */
export function startGovernance(cluster: Cluster, record: WholeRecord, clients: Clients, steps: readonly Step[]): void {
  const { simulation, chain, scheme, peer } = cluster;
  const { genesisHash } = chain;
  const [proposer, approver] = ADMINISTRATORS;
  const proposed = new Map<number, Sent>();
  const approved = new Map<number, Sent>();
  const rotated = new Map<number, Sent>();
  /** By step. */
  const ready = new Map<number, { readonly sent: Sent; readonly epoch: number }>();

  const validatorOf = (node: number): ValidatorId => validatorIdOf(scheme.signer(node).publicKey);
  function addition(node: number): Change {
    return {
      kind: 'addValidator',
      name: `node-${node}`,
      weight: 1,
      operator: OPERATOR,
      ...consented(node, 0),
    };
  }

  /** Its keys after so many rotations. */
  function consented(node: number, turn: number) {
    const { blsKey } = cluster.keysOf(node)[turn] as NodeKeys;
    const keys = keysIn(cluster, node, turn);
    const consent = scheme.signAction(blsKey, consentMessage(genesisHash, keys, OPERATOR));
    return { ...keys, address: `127.0.0.1:${9000 + node}`, feeAccount: accountKeyOf(feeAccountOf(node)), consent };
  }

  /** All in one transaction, and so is their readiness: one boundary takes them. */
  function rotate(step: number, rotates: readonly number[]): void {
    const earlier = steps.slice(0, step + 1);
    const turns = rotates.map((node) => ({
      node,
      turn: earlier.filter((each) => each.rotates?.includes(node)).length,
    }));
    if (isGone(rotated.get(step))) {
      const actions = turns.map(
        ({ node, turn }) => ({ kind: 'rotateKeys', validatorId: validatorOf(node), ...consented(node, turn) }) as const,
      );
      rotated.set(step, clients.send({ account: ADMINISTRATORS[2], actions, lifeMs: LIFE_MS }));
    }
    if (record.receiptOf(rotated.get(step)?.id ?? '') === undefined) return;
    const isIn = ({ node, turn }: HeldKeys) =>
      [...record.seals.keys()].some((epoch) => usesKeys(record, epoch, keysIn(cluster, node, turn)));
    if (!turns.every(isIn)) announce(step, turns);
  }

  function changesOf({ joins, leaves, weights = [], limits, upgrade }: Step): readonly Change[] {
    return [
      ...(joins === undefined ? [] : [addition(joins)]),
      ...(leaves === undefined ? [] : [{ kind: 'removeValidator', validatorId: validatorOf(leaves) } as const]),
      ...weights.map(({ node, weight }) => ({ kind: 'setWeight', validatorId: validatorOf(node), weight }) as const),
      ...(limits === undefined ? [] : [parametersWith(limits)]),
      ...(upgrade === undefined ? [] : [upgrade.change]),
    ];
  }

  function parametersWith(limits: Units): Change {
    const { fees, times } = genesisOf(chain);
    return { kind: 'setParameters', fees: { ...fees, limits }, times };
  }

  function isGone(sent: Sent | undefined): boolean {
    return sent === undefined || record.hasExpired(sent.id);
  }

  function announce(step: number, keys: readonly HeldKeys[], artifacts: readonly Uint8Array[] = []): void {
    const epoch = record.boundaries.size;
    const last = ready.get(step);
    if (last?.epoch === epoch && !isGone(last.sent)) return;
    ready.set(step, { sent: sendReadiness(cluster, clients, keys, epoch, artifacts), epoch });
  }

  function act(epoch: number): void {
    const step = steps[epoch];
    if (step === undefined) return;
    const changes = changesOf(step);
    if (changes.length === 0) return;
    if (isGone(proposed.get(epoch))) {
      const actions = [{ kind: 'propose', changes, notBeforeMs: 0 }] as const;
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
      const isMember = (of: number) => [epoch, epoch + 1].some((each) => isIn(record, each, peer(of)));
      const upgrade = steps[at]?.upgrade;
      if (upgrade !== undefined && record.receiptOf(sent.id) && !isNamed(record, upgrade)) {
        const reporters = upgrade.reporters().map((reporter) => ({ node: reporter, turn: 0 }));
        announce(at, reporters, [upgrade.change.hash]);
      }
      if (node !== undefined && !isMember(node) && record.receiptOf(sent.id)) announce(at, [{ node, turn: 0 }]);
    }
    for (const [at, { rotates = [] }] of steps.slice(0, epoch + 1).entries()) {
      if (rotates.length > 0) rotate(at, rotates);
    }
    simulation.schedule(LOOK_MS, look);
  }

  simulation.schedule(LOOK_MS, look);
}

interface HeldKeys {
  readonly node: number;
  /** Rotations before. */
  readonly turn: number;
}

/** After so many rotations. */
export function keysIn({ scheme, keysOf }: Cluster, node: number, turn: number) {
  const { blsKey, peerKey } = keysOf(node)[turn] as NodeKeys;
  return { blsPublicKey: scheme.signer(blsKey).publicKey, peerKey };
}

/** Of nodes that run, in this epoch. */
export function sendReadiness(
  cluster: Cluster,
  clients: Clients,
  held: readonly HeldKeys[],
  epoch: number,
  artifacts: readonly Uint8Array[] = [],
): Sent {
  const actions = held.map(({ node, turn }) => {
    const stated = { ...keysIn(cluster, node, turn), epoch, version: RULES_VERSION, artifacts };
    const { blsKey } = cluster.keysOf(node)[turn] as NodeKeys;
    const signature = cluster.scheme.signAction(blsKey, readyMessage(cluster.chain.genesisHash, stated));
    return { kind: 'ready', ...stated, signature } as const;
  });
  return clients.send({ account: ADMINISTRATORS[2], actions, mayFail: true, lifeMs: LIFE_MS });
}

/** The record of this epoch binds the keys to each other. */
export function usesKeys({ seals }: WholeRecord, epoch: number, keys: ReturnType<typeof keysIn>): boolean {
  const members = seals.get(epoch)?.committee.members ?? [];
  return members.some(
    ({ blsPublicKey, peerKey }) => bytesEqual(blsPublicKey, keys.blsPublicKey) && peerKey === keys.peerKey,
  );
}

export function isIn({ seals }: WholeRecord, epoch: number, peer: string): boolean {
  return seals.get(epoch)?.committee.members.some(({ peerKey }) => peerKey === peer) === true;
}

/** By the record of an epoch. */
function isNamed({ seals }: WholeRecord, { change: { hash } }: Upgrade): boolean {
  return [...seals.values()].some(({ record }) =>
    record.parameters.applications.some((each) => bytesEqual(each, hash)),
  );
}
