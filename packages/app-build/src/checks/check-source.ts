/** The checks of one source, each breach with its line and what to write instead. */
import { findReferences } from '../syntax/scopes.ts';
import { lineOf, parseModule, type Tree } from '../syntax/tree.ts';
import { findImportBreaches } from './imports.ts';
import { findStateBreaches } from './module-state.ts';
import { findNameBreaches } from './names.ts';
import { type Breach, RULES, type Rule, type RuleName } from './rules.ts';
import { findSyntaxBreaches } from './syntax.ts';

export interface Finding {
  /** As given. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly rule: RuleName | 'syntax';
  /** "FILE:LINE: what is not allowed; remedy". */
  readonly message: string;
}

/** Findings of a module of TypeScript or JavaScript, by line. */
export function checkSource(file: string, text: string): readonly Finding[] {
  const { program, faults } = parseModule(file, text);
  if (faults.length > 0)
    return faults.map(({ message, at }) => ({
      ...placed(file, text, at),
      rule: 'syntax',
      message: `${file}:${lineOf(text, at)}: ${message}; write TypeScript that only needs its types removed`,
    }));
  return breachesOf(program)
    .map((breach) => findingOf(file, text, breach))
    .sort((a, b) => a.line - b.line || (a.message < b.message ? -1 : 1));
}

function breachesOf(program: Tree): readonly Breach[] {
  const references = findReferences(program);
  return [
    ...findSyntaxBreaches(program),
    ...findImportBreaches(program),
    ...findStateBreaches(program, references),
    ...findNameBreaches(program, references),
  ];
}

function placed(file: string, text: string, at: number) {
  return { file, line: lineOf(text, at) };
}

function findingOf(file: string, text: string, { rule, at, name = '' }: Breach): Finding {
  const { what, remedy }: Rule = RULES[rule];
  const place = placed(file, text, at);
  return {
    ...place,
    rule,
    message: `${file}:${place.line}: ${what.replace('$', () => name)} is not allowed; ${remedy}`,
  };
}
