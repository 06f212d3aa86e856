/**
 * Nodes that were off, or not there yet, while epochs ended: they follow from the records that they have, by themselves. Two members changed
 * their keys meanwhile. An epoch has its least number of blocks, each as soon as can be.
 */
import { readFile } from 'node:fs/promises';
import { watchedLoad } from '@slipstream/app-loadgen';
import type { KeyPair } from '@slipstream/client';
import { type ClusterNode, eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import type { Change } from '@slipstream/types';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  act,
  consentOf,
  decide,
  giveNextKeys,
  operatorOf,
  untilEpoch,
  validatorIdFrom,
} from '../../scripts/devnet/governing.ts';
import { playSteps } from '../e2e/steps.ts';

const RUNNING = ['validator-0', 'validator-1', 'validator-2'];
const OFF = ['validator-3', 'full-node-0'];
/** Executes every block from genesis on. */
const ARCHIVE = 'full-node-1';
/** Takes over a state. */
const SYNCING = 'full-node-2';
const BLOCK_MS = '20';
const MS_MAX = 120_000;
/** Twenty take two to three minutes on two busy cores. */
const EPOCHS_MS_MAX = 900_000;
const STATE_SYNC = /state sync: at height [0-9]+/;

interface Behind {
  readonly epochs: number;
  /** In heights. */
  readonly snapshotEvery: string;
  /** Flags of the node that takes over a state. */
  readonly syncing: readonly string[];
}

export function testNodesBehind({ epochs, snapshotEvery, syncing }: Behind): void {
  /** Epochs that two members take their new keys in. */
  const rotations = new Map([
    [2, 1],
    [epochs, 2],
  ]);
  let network: TemporaryNetwork;
  let running: Awaited<ReturnType<typeof watchedLoad>>;

  const some = (names: readonly string[]) => ({ ...network, nodes: names.map(network.node) });
  const logOf = ({ process }: ClusterNode) => readFile(process.logFile, 'utf8');

  beforeEach(async () => {
    network = await temporaryNetwork({
      validators: 4,
      fullNodes: 3,
      flags: [
        ...['--sync-snapshot-every', snapshotEvery],
        ...['--consensus-min-block-interval-ms', BLOCK_MS, '--consensus-idle-block-interval-ms', BLOCK_MS],
      ],
      flagsOf: ({ name }) => (name === SYNCING ? syncing : name === ARCHIVE ? ['--retention-archive', 'true'] : []),
    });
    await network.start([...RUNNING, ...OFF]);
    running = await watchedLoad(some(RUNNING), 20);
    await untilHeight(some(OFF), 5, MS_MAX);
    await network.kill(OFF);
  }, MS_MAX);

  afterEach(async () => {
    running?.watch.stop();
    await network?.remove();
  });

  async function rotate(index: number): Promise<void> {
    const node = network.node(`validator-${index}`);
    const { client } = network.node('validator-0');
    const [keys, operator] = [await giveNextKeys(node), await operatorOf(node)];
    await act(client, operator, {
      kind: 'rotateKeys',
      validatorId: await validatorIdFrom(client, index),
      blsPublicKey: keys.blsPublicKey,
      peerKey: keys.peerKey,
      address: `127.0.0.1:${node.networkPort}`,
      feeAccount: operator.account,
      consent: await consentOf(client, keys, operator),
    });
  }

  async function expectSameBlocks(names: readonly string[]): Promise<void> {
    const { height } = await network.node('validator-0').client.status();
    await untilHeight(some(names), height + 5, MS_MAX);
    const blocks = await Promise.all(names.map((name) => network.node(name).client.block(height)));
    const own = await network.node('validator-0').client.block(height);
    for (const { block } of blocks) expect(block).toEqual(own.block);
  }

  async function endEpochs(): Promise<void> {
    const { client } = network.node('validator-0');
    const operators = await Promise.all(RUNNING.map(network.node).map(operatorOf));
    const governor = operators[0] as KeyPair;
    const validatorId = await validatorIdFrom(client, 0);
    const governance = { administrators: [governor.account], approvals: 1 };
    await decide(
      client,
      operators,
      { kind: 'setGovernance', governance },
      { kind: 'setWeight', validatorId, weight: 2 },
    );
    await untilEpoch(some(RUNNING), 1);
    for (let epoch = 2; epoch <= epochs; epoch++) {
      const rotated = rotations.get(epoch);
      const changes: readonly Change[] = [{ kind: 'setWeight', validatorId, weight: 2 - (epoch % 2) }];
      if (rotated !== undefined) await rotate(rotated);
      else await act(client, governor, { kind: 'propose', changes, notBeforeMs: 0 });
      await untilEpoch(some(RUNNING), epoch);
    }
    const { height } = await client.status();
    await untilHeight(some(RUNNING), height + 20, MS_MAX);
  }

  async function comeBack(): Promise<void> {
    await network.start(OFF);
    await untilEpoch(some([...RUNNING, ...OFF]), epochs);
    const { client } = network.node('validator-3');
    const from = (await client.status()).height;
    await eventually('validator-3 signs in the newest epoch', MS_MAX, async () => {
      const { height, epoch } = await client.status();
      const { items } = await client.blocks({ limit: 1 });
      const { state } = await client.certificates(items[0]?.block.height ?? height);
      if (height > from && state?.epoch === epochs && state.signers.includes(3)) return true;
      throw new Error(JSON.stringify({ epoch, height, state }));
    });
    await expectSameBlocks(OFF);
  }

  async function executeAll(): Promise<void> {
    await network.start([ARCHIVE]);
    await untilEpoch(some([ARCHIVE]), epochs);
    await expectSameBlocks([ARCHIVE]);
    const archive = network.node(ARCHIVE);
    expect(await logOf(archive)).not.toMatch(STATE_SYNC);
    const first = await network.node('validator-0').client.block(1);
    expect((await archive.client.block(1)).block).toEqual(first.block);
  }

  async function takeOver(): Promise<void> {
    await network.start([SYNCING]);
    await untilEpoch(some([SYNCING]), epochs);
    await expectSameBlocks([SYNCING]);
    expect(await logOf(network.node(SYNCING))).toMatch(STATE_SYNC);
  }

  async function countLoad(): Promise<void> {
    await running.load.finish();
    expect(running.load.sent.lost()).toEqual([]);
    for (const { process } of network.nodes) expect(await process.errors()).toEqual([]);
  }

  test('nodes that were off for epochs, and new ones, follow by themselves', { timeout: EPOCHS_MS_MAX }, () =>
    playSteps({
      [`${epochs} epochs end while a validator and a full node are off`]: endEpochs,
      'both come back by themselves, and the validator signs': comeBack,
      'a new full node executes every block since genesis, through all epochs': executeAll,
      'a new full node takes over a state, and is in the newest epoch': takeOver,
      'nothing of the load was lost': countLoad,
    }),
  );
}
