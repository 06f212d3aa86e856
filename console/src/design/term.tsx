/** A word with its definition, shown on hover, focus or tap, closed by Escape. */
import './term.css';
import { useEffect, useId, useRef, useState } from 'react';

interface TermProps {
  readonly word: string;
  readonly means: string;
}

const TIP_WIDTH_PX = 280;
const GAP_PX = 8;

interface Place {
  readonly left: number;
  readonly top: number;
}

export function Term({ word, means }: TermProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<Place>();

  const show = () => {
    const box = button.current?.getBoundingClientRect();
    if (box) setPlace(placeBelow(box));
  };
  const hide = () => setPlace(undefined);
  const open = place !== undefined;

  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setPlace(undefined);
    };
    const onScroll = () => setPlace(undefined);
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', onScroll, { passive: true, capture: true });
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, [open]);

  return (
    <>
      <button
        ref={button}
        type="button"
        className="term"
        aria-describedby={open ? id : undefined}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
        onClick={show}
      >
        {word}
      </button>
      {place === undefined ? null : (
        <span id={id} role="tooltip" className="term-tip" style={place}>
          {means}
        </span>
      )}
    </>
  );
}

function placeBelow(box: DOMRect): Place {
  const width = Math.min(TIP_WIDTH_PX, window.innerWidth - 3 * GAP_PX);
  const left = Math.max(GAP_PX, Math.min(box.left, window.innerWidth - width - GAP_PX));
  return { left, top: box.bottom + GAP_PX };
}
