import { ElfmemError } from '../../../../errors.ts'

/** Where reading a text ended, and what should have stood there. */
interface Wrong {
  /** As people call it. */
  readonly format: string
  /** In UTF-16 units of the text. */
  readonly offset: number
  readonly expected: string
}

/** The refusal of a text that is not of its format, with line and column, both from 1. */
export function unparsable(text: string, { format, offset, expected }: Wrong): ElfmemError {
  const before = text.slice(0, offset).split('\n')
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  const reason = `is no valid ${format}: ${expected} was expected at line ${line}, column ${column}`
  return new ElfmemError('CONFIG_INVALID', reason, { recovery: 'Mend the file.', details: { line } })
}

/** The refusal of a text in which something else stands where an entry belongs. */
export function misplaced(at: readonly string[], expected: string): ElfmemError {
  const place = at.join('.') || 'its top'
  return new ElfmemError('CONFIG_INVALID', `has something else at ${place}, where ${expected} was expected`, {
    recovery: 'Mend the file.',
  })
}
