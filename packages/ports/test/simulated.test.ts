import {
  createRandom,
  createSimDisk,
  createSimKeyValue,
  createSimNetwork,
  createSimulation,
  type Simulation,
  uniformLatency,
} from '@slipstream/simulator';
import type { PeerKey } from '../src/index.ts';
import { describeClock, describeRandom } from './clock-suite.ts';
import { describeDisk } from './disk-suite.ts';
import { describeKeyValue } from './key-value-suite.ts';
import { describeTransport } from './transport-suite.ts';

async function untilIn(simulation: Simulation, condition: () => boolean): Promise<void> {
  const { reason } = await simulation.run({ until: condition });
  if (reason !== 'condition') throw new Error(`the condition never came true (${reason})`);
}

describeDisk('simulated', async () => createSimDisk({ random: createRandom(1) }).mount());

describeKeyValue('simulated', async () => createSimKeyValue({ random: createRandom(1) }).mount());

describeClock('simulated', () => {
  const simulation = createSimulation({ seed: 1 });
  return { clock: simulation.clock({ node: 'a' }), until: (condition) => untilIn(simulation, condition) };
});

describeRandom('simulated', () => createRandom(1));

describeTransport('simulated', async () => {
  const simulation = createSimulation({ seed: 1 });
  const network = createSimNetwork(simulation, { latency: uniformLatency(1, 50) });
  const a = network.transport('a'.repeat(64) as PeerKey);
  const b = network.transport('b'.repeat(64) as PeerKey);
  return {
    a,
    b,
    until: (condition) => untilIn(simulation, condition),
    async settle() {
      await simulation.run();
    },
    async stop() {
      await Promise.all([a.stop(), b.stop()]);
    },
  };
});
