import { count, shortName, shownLine } from '../block/text.ts'
import type { Engine } from '../engine/engine.ts'
import type { Filter } from '../index/blocks.ts'
import type { Entry } from './match.ts'
import { subjectOf } from './overview.ts'

/** An overview has clearly more than an answer if it has at least so many notes more, and as many as the answer. */
const CLEARLY_MORE = 5

/**
 * Returns a sentence on the overview if a question is broad, about a name or everything, and an answer has hardly any of its notes;
 * undefined otherwise. Asks no store.
 */
export function overviewHint(
  engine: Engine,
  question: string,
  { filter, shown }: { readonly filter: Filter; readonly shown: readonly Entry[] },
): string | undefined {
  const about = engine.analysis.language.subjectOf(question)
  if (about === undefined) return undefined
  const { ids } = engine.index.about(subjectOf(engine, { about }, filter), Number.POSITIVE_INFINITY)
  const among = new Set(ids)
  const here = shown.filter(({ block }) => among.has(block.id)).length
  if (among.size - here < Math.max(CLEARLY_MORE, here)) return undefined
  const name = shortName(shownLine(about)).replaceAll("'", '’')
  const [those, call] =
    about === '' ? ['', 'overview()'] : [` that name ${name}`, `overview({ about: '${name}' })`]
  return `${here} of ${count(among.size, 'note')}${those} are here; ${call} has the whole.`
}
