/** Vitest's process ends when its bootstrap is gone. */
export { endWithStarter as setup } from '../scripts/end-with-starter.ts';
