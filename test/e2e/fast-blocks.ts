/** An idle chain makes a block per second by default. A test that waits for blocks of one waits a quarter of that. */
export const FAST_BLOCKS: readonly string[] = ['--consensus-idle-block-interval-ms', '250'];
