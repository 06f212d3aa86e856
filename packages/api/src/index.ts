export { isLoopback } from './addresses.ts';
export * from './api.ts';
export * from './backend.ts';
export * from './errors.ts';
export * from './event-hub.ts';
export type { AuditLog } from './handlers/admin.ts';
export type { Fleet } from './handlers/fleet.ts';
export type { MetricsSource } from './handlers/node.ts';
export type { ApiLimits, ApiOptions } from './options.ts';
