import { Button } from '../../design/button.tsx';
import type { Paging } from './pages.ts';

interface PagerProps {
  readonly paging: Paging;
  readonly next: string | null;
  /** Of lists that do not begin with the newest. */
  readonly words?: readonly [previous: string, next: string];
}

export function Pager({ paging, next, words: [previousWord, nextWord] = ['Newer', 'Older'] }: PagerProps) {
  if (paging.first && next === null) return null;
  return (
    <div className="pager">
      <Button disabled={paging.first} onClick={paging.previous}>
        {previousWord}
      </Button>
      <Button disabled={next === null} onClick={() => next !== null && paging.next(next)}>
        {nextWord}
      </Button>
    </div>
  );
}
