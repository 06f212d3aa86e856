export * from './brand.ts';
export * from './bytes.ts';
export * from './codec.ts';
export * from './errors.ts';
export * from './hash.ts';
export * from './peer.ts';
export * from './rate-limiter.ts';
export * from './result.ts';
