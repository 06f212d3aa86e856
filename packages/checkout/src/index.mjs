/** The checkout that this code runs from. Plain JavaScript, because the bootstrap imports it before anything is installed. */
export { bundleEntry } from './bundle.mjs';
export { consoleFolder } from './console-folder.mjs';
export { compileCache, nodeFlags, pinnedNode } from './pinned-node.mjs';
export { root } from './root.mjs';
