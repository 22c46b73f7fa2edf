import { ElfmemError } from '../../../../errors.ts'

/** The refusal of a text that is not of its format, as people call it, with what is wrong where its lines are counted from 1. */
export function unparsable(format: string, wrong: string, { line, column }: TextPlace): ElfmemError {
  const reason = `is no valid ${format}: ${wrong} at line ${line}, column ${column}`
  return new ElfmemError('CONFIG_INVALID', reason, { recovery: 'Mend the file.', details: { line } })
}

/** A place in a text, counted from 1. */
interface TextPlace {
  readonly line: number
  readonly column: number
}

/** The refusal of a text in which something else stands where an entry belongs. */
export function misplaced(at: readonly string[], expected: string): ElfmemError {
  const place = at.join('.') || 'its top'
  return new ElfmemError('CONFIG_INVALID', `has something else at ${place}, where ${expected} was expected`, {
    recovery: 'Mend the file.',
  })
}
