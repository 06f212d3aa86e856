/** What the tests of an application import. */
export { NODE_ACCOUNTS } from './accounts.ts';
export { TestError } from './errors.ts';
export type { DrawnInputs, NodeSimulationOptions, SimulatedOnNodes } from './nodes/simulate-on-nodes.ts';
export { type NodeReport, type NodeRuns, playOnNodes } from './nodes/simulator-process.ts';
export { type Simulated, type SimulationOptions, simulate, simulateFile } from './simulate.ts';
export { type TestChain, type TestOptions, testChain } from './test-chain.ts';
