import type { Mutant } from './mutant.ts'

const test = 'test/story/25-echo-wrapped.test.ts'
const FORMS = 'src/flow/engine/wrapped-forms.ts'
const MENDED = 'src/flow/intake/mended.ts'
const ECHO = 'src/flow/intake/echo.ts'

/** Breaks of what is known of a recall that comes back in other lines. */
export const ECHOES: readonly Mutant[] = [
  {
    breaks: 'a text whose lines were broken anew is looked into again',
    file: ECHO,
    from: 'if (text === undefined) continue',
    to: 'if (text === undefined || text.length > 0) continue',
    test,
    only: 'set at the width of a terminal makes no copy',
  },
  {
    breaks: 'a fold within a word is no other word',
    file: FORMS,
    from: "if (kind !== 'prose' && i > 0) at = skipLineEnd(text, at)",
    to: '',
    test,
    only: 'folded within words makes no copy',
  },
  {
    breaks: 'words that may be anybody’s break at their blanks alone',
    file: FORMS,
    from: "if (kind !== 'prose' && i > 0) at",
    to: 'if (i > 0) at',
    test,
    only: 'stay own words',
  },
  {
    breaks: 'a blank stays a blank',
    file: FORMS,
    from: 'if (next === at) return { failedAt: i }',
    to: '',
    test,
    only: 'stay own words',
  },
  {
    breaks: 'words between what was shown are kept',
    file: MENDED,
    from: 'parts.push(...wordsIn(text.slice(own, found.start)), found.line)',
    to: 'parts.push(found.line)',
    test,
    only: 'no own word around shown text',
  },
  {
    breaks: 'an edit stores no frame',
    file: ECHO,
    from: 'if (paste?.isFrame !== true || ',
    to: 'if (paste !== undefined || ',
    test,
    only: 'an edit refuses',
  },
]
