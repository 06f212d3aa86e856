export * from './backend.ts';
export * from './event-hub.ts';
