/** What the tests of an application import. */
export { TestError } from './errors.ts';
export { type Simulated, type SimulationOptions, simulate, simulateFile } from './simulate.ts';
export { type TestChain, type TestOptions, testChain } from './test-chain.ts';
