/** `simulate` with nodes: the checkout's simulator plays, in a process of its own. */
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import tickets from '../../../docs/integrators/examples/applications/tickets.ts';
import token from '../../../docs/integrators/examples/applications/token.ts';
import { NODE_ACCOUNTS, playOnNodes, simulate, type TestError } from '../src/index.ts';
import oversold from './applications/oversold.ts';
import remembering from './applications/remembering.ts';

const here = (path: string) => new URL(path, import.meta.url);
const example = (name: string) => here(`../../../docs/integrators/examples/applications/${name}.ts`);
const failureOf = (played: Promise<unknown>): Promise<TestError> =>
  played.then(
    () => Promise.reject(new Error('the simulation passed')),
    (error: TestError) => error,
  );

/** A simulation takes some seconds a seed on a machine that does nothing else. */
const MS_MAX = 300_000;

it(
  'plays an application on nodes, and says how its final calls ended',
  async () => {
    const genesis = { holders: NODE_ACCOUNTS.map((owner) => ({ owner, value: 50n })) };
    const played = await simulate(token, { file: example('token'), genesis, nodes: 4, seeds: 3 });
    expect(played).toMatchObject({ seeds: 3, views: expect.any(Number) });
    expect(played.outcomes.transfer).toMatchObject({
      success: expect.any(Number),
      'insufficient-balance': expect.any(Number),
    });
    expect(Object.keys(played.outcomes).sort()).toEqual(['approve', 'transfer', 'transferFrom']);
  },
  MS_MAX,
);

it(
  'draws inputs by a module, and names actions that never succeeded',
  async () => {
    const inputs = here('applications/tickets-inputs.ts');
    const played = await simulate(tickets, { file: example('tickets'), nodes: 4, seeds: 1, inputs });
    expect(played.outcomes.open).toEqual({ 'no-seats': expect.any(Number) });
    expect(played.neverSucceeded).toEqual(['open', 'take']);
  },
  MS_MAX,
);

it(
  'finds an invariant that breaks, and names the seed and a command that replays it',
  async () => {
    const file = here('applications/oversold.ts');
    const failure = await failureOf(
      simulate(oversold, { file, genesis: { seats: 30 }, nodes: 4, seeds: 1, firstSeed: 7 }),
    );
    expect(failure).toMatchObject({ code: 'simulation-failed', data: { seed: 7, failures: 1 } });
    expect(failure.message).toMatch(
      /^seed 7, on 4 simulated nodes: .*the invariant noSeatIsTakenTwice of oversold does not hold after block \d+\n/,
    );
    const command = /npm run slipstream -- app sim (\S+) --nodes 4 --seeds 1 --first-seed 7 --genesis (\S+)/;
    const [, named = '', genesis = ''] = command.exec(failure.message) ?? [];
    expect([named, JSON.parse(await readFile(genesis, 'utf8'))]).toEqual([fileURLToPath(file), { seats: 30 }]);
    const again = await playOnNodes({ file: named, genesis, nodes: 4, seeds: 1, firstSeed: 7 }, { line() {} });
    expect(failure.message).toContain(again.failed[0]?.failure);
    await rm(dirname(genesis), { recursive: true });
  },
  MS_MAX,
);

it(
  'finds state outside of tables: nodes that were restarted, or executed a rival block, have other states',
  async () => {
    const file = here('applications/remembering.ts');
    const failure = await failureOf(simulate(remembering, { file, nodes: 4, seeds: 1 }));
    expect(failure).toMatchObject({ code: 'simulation-failed', data: { seed: 1 } });
    expect(failure.message).toMatch(/P2|P4|diverged/);
  },
  MS_MAX,
);

it('refuses wrong terms before a simulation begins', async () => {
  const file = example('token');
  await expect(simulate(token, { file, nodes: 3 })).rejects.toThrow('nodes is a whole number from 4 to 100');
  await expect(simulate(token, { file, nodes: 4, genesis: { holders: 7 } as never })).rejects.toMatchObject({
    code: 'genesis-failed',
  });
  await expect(simulate(token, { file: example('escrow'), nodes: 4 })).rejects.toMatchObject({
    code: 'another-application',
  });
  const runs = { file: '/a=b.ts', nodes: 4, seeds: 1, firstSeed: 1 };
  await expect(playOnNodes(runs, { line() {} })).rejects.toMatchObject({ code: 'path-unusable' });
});
