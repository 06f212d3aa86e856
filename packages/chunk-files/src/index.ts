export { type ChunkFiles, type ChunkFilesComponents, type ChunkFilesOptions, openChunkFiles } from './chunk-files.ts';
export { type ChunkReader, type ChunkReaderComponents, createChunkReader } from './chunk-reader.ts';
export type { KeptChunk } from './chunk-record.ts';
