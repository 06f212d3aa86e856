export * from './errors.ts';
export * from './open.ts';
export * from './parameters.ts';
export * from './store.ts';
