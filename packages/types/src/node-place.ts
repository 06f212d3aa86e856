/** A node's name for people, and the address where peers reach it. */

/** Lower case only, so that no two names differ by case. */
export const NODE_NAME = {
  match: /^[a-z0-9][a-z0-9._-]{0,39}$/,
  is: '1 to 40 of a-z, 0-9, ".", "_" and "-", a letter or digit first',
} as const;

const PORT_MAX = 65_535;
const HOST_PORT = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?):([1-9][0-9]{0,4})$/;

export const NODE_ADDRESS = `host:port in lower case, with a port from 1 to ${PORT_MAX}`;

export function isNodeAddress(text: string): boolean {
  const port = HOST_PORT.exec(text)?.[1];
  return port !== undefined && Number(port) <= PORT_MAX;
}

/** Throws RangeError with the expected form. */
export function requireNodeAddress(text: unknown): string {
  if (typeof text === 'string' && isNodeAddress(text)) return text;
  throw new RangeError(`must be ${NODE_ADDRESS}`);
}
