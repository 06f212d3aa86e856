export * from './api.ts';
export * from './backend.ts';
export * from './errors.ts';
export * from './event-hub.ts';
export type { MetricsSource } from './handlers/node.ts';
export { API_LIMITS, type ApiLimits, type ApiOptions } from './options.ts';
