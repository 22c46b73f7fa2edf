import { readSources } from '../../helpers/sources.ts'

/** A recovery as the source has it, and the file that it stands in. */
interface Recovery {
  readonly file: string
  readonly text: string
}

const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g
/** A field with a recovery: literals, each after what decides whether it is taken. */
const FIELD = new RegExp(`\\b(?:recovery|otherwise):((?:[^'"\`,{}]*(?:${LITERAL.source}))+)`, 'g')

/** A literal with a word in place of each value that is put in. */
const textOf = (literal: string) => literal.replaceAll(/\$\{[^}]*\}/g, '<word>').replaceAll(/\\(.)/g, '$1')

/** Every recovery in the source, and what stands in one. */
export const recoveries: readonly Recovery[] = readSources().flatMap(({ file, text }) =>
  [...text.matchAll(FIELD)]
    .flatMap(([, value = '']) => [...value.matchAll(LITERAL)])
    .map(([, single, double, template]) => textOf(single ?? double ?? template ?? ''))
    // A sentence, and not a word that a condition compares with.
    .filter((each) => each.includes(' '))
    .map((each) => ({ file, text: each })),
)
