import type { Scenario } from '../scenario.ts';

export const observer: Scenario = {
  name: 'observer',
  about: 'Two nodes follow without voting, one from the start and one late: both have every final block.',
  async play({ size, cluster }) {
    const { start, progress, members } = cluster({ observers: 2 });
    start([...members, size]);
    await progress(25, 10_000, [...members, size]);
    start([size + 1]);
    await progress(40, 20_000, [size + 1]);
  },
};
