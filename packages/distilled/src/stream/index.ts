export * from './broker-messages.ts';
export * from './client-messages.ts';
export * from './limits.ts';
export * from './login.ts';
export * from './reasons.ts';
export * from './stream-codec.ts';
