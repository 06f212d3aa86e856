/** The load generator as a library: what scripts, benches and chaos tests build on. The command is `npm run loadgen`. */
export * from './errors.ts';
export * from './fate/block-follower.ts';
export * from './fate/chain-audit.ts';
export * from './fate/transaction-book.ts';
export * from './load.ts';
export * from './measure/histogram.ts';
export * from './prepare.ts';
export * from './sending/node-handle.ts';
export * from './sending/submit.ts';
export * from './signing/signed-batch.ts';
export * from './signing/signer-pool.ts';
export * from './signing/transfer-source.ts';
export * from './workload/seeded-random.ts';
export * from './workload/transfer-plan.ts';
export * from './workload/zipf-mandelbrot.ts';
