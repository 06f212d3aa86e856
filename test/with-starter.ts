/** Vitest's process, like any script, ends when the bootstrap that started it is gone; those that it started end with it. */
export { endWithStarter as setup } from '../scripts/end-with-starter.ts';
