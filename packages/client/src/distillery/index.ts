export type { BrokerSocket, BrokerSocketConstructor } from './broker-socket.ts';
export { openDistillery } from './distillery.ts';
export type * from './options.ts';
