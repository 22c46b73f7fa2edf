import { ElfmemError } from '../../../../errors.ts'

/** The refusal of a text that is not of its format, with the line and column where reading ended; both from 1. */
export function unparsable(text: string, offset: number): ElfmemError {
  const before = text.slice(0, offset).split('\n')
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  return new ElfmemError('CONFIG_INVALID', `it cannot be read at line ${line}, column ${column}`, {
    recovery: 'Mend the file.',
    details: { line },
  })
}

/** The refusal of a text in which something else stands where an entry belongs. */
export function misplaced(at: readonly string[], kind: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${at.join('.') || 'what it holds'} is no ${kind} there`, {
    recovery: 'Mend the file.',
  })
}
