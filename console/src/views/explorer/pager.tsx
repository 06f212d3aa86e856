import { Button } from '../../design/button.tsx';
import type { Paging } from './pages.ts';

export function Pager({ paging, next }: { readonly paging: Paging; readonly next: string | null }) {
  if (paging.first && next === null) return null;
  return (
    <div className="pager">
      <Button disabled={paging.first} onClick={paging.previous}>
        Newer
      </Button>
      <Button disabled={next === null} onClick={() => next !== null && paging.next(next)}>
        Older
      </Button>
    </div>
  );
}
