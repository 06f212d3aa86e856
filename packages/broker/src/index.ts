export * from './broker.ts';
export * from './components.ts';
export { BROKER_LIMITS, KNOWN_AT_DEPTH } from './limits.ts';
