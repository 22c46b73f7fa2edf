import { ElfmemError } from '../../errors.ts'
import type { Embedder } from '../../ports/embedder.ts'

const LETTER = /\p{L}/gu

/**
 * True if at least half of the letters of a text are of scripts that the embedder was trained on, and for a text
 * without letters. Throws CONFIG_INVALID if Unicode has no script of a name in `scripts`. Cost: a pass over the text for
 * each script.
 */
export function knowsScript({ scripts }: Pick<Embedder, 'scripts'>, text: string): boolean {
  if (scripts === undefined) return true
  const known = scripts.map((name) => countOf(text, lettersOf(name)))
  return 2 * known.reduce((sum, each) => sum + each, 0) >= countOf(text, LETTER)
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function lettersOf(script: string): RegExp {
  try {
    return new RegExp(`(?=\\p{L})\\p{Script=${script}}`, 'gu')
  } catch {
    throw new ElfmemError('CONFIG_INVALID', `The embedder names a script that Unicode lacks: ${script}.`, {
      recovery: 'Give the names that Unicode has for the Script property, such as Latin or Cyrillic.',
    })
  }
}
