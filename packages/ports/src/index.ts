export * from './clock.ts';
export * from './compression.ts';
export * from './disk.ts';
export * from './key-value.ts';
export * from './random.ts';
export * from './signatures.ts';
export * from './telemetry.ts';
export * from './transport.ts';
