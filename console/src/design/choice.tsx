/** A choice of one of a few options, side by side. */
import './choice.css';
import { useId } from 'react';

interface ChoiceProps<T extends string> {
  /** For screen readers. */
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

export function Choice<T extends string>({ label, options, chosen, onChoose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="hidden-label">{label}</legend>
      {options.map(({ value, text }) => (
        <label key={value} className="choice-option" data-chosen={value === chosen || undefined}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
