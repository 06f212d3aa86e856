/** A node's side of an application in memory, for tests of what calls applications. */
export { createMemoryState, keyText, type MemoryState, purseOf, UndeclaredKey } from './memory-state.ts';
