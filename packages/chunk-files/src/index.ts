export { type ChunkFiles, type ChunkFilesOptions, openChunkFiles } from './chunk-files.ts';
export { type ChunkReader, createChunkReader } from './chunk-reader.ts';
export type { KeptChunk } from './chunk-record.ts';
export { BODIES, CHUNKS } from './contents.ts';
