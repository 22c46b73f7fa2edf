import type { Block } from '../../domain/block/block.ts'
import { shownEntry } from '../../domain/safety/visible.ts'
import { CUT_BEFORE, CUT_MARK } from '../../domain/text/budget.ts'

/** The date, source and id that a frame wrote behind the words of a block, whole or cut; undefined if it does not hold them. */
export function stampAfter(body: string, { content }: Block): string | undefined {
  const entry = shownEntry(content)
  if (body.startsWith(entry)) return stampIn(body.slice(entry.length))
  const isTail = body.startsWith(CUT_BEFORE)
  const words = isTail ? body.slice(CUT_BEFORE.length) : body
  const at = words.indexOf(CUT_MARK)
  if (at < 0) return isTail ? stampAfterTail(words, entry) : undefined
  const part = words.slice(0, at)
  const isPart = part !== '' && (isTail ? entry.includes(part) : entry.startsWith(part))
  return isPart ? stampIn(words.slice(at + CUT_MARK.length)) : undefined
}

/** Brackets that a stamp and an id may have, those of a source among them. */
const BRACKETS_MOST = 8

/** The stamp behind the end of an entry, whose own words may hold brackets, too. */
function stampAfterTail(words: string, entry: string): string | undefined {
  if (entry.endsWith(words)) return ''
  let at = words.length
  for (let i = 0; i < BRACKETS_MOST; i++) {
    at = words.lastIndexOf(' (', at - 1)
    if (at <= 0) return undefined
    if (entry.endsWith(words.slice(0, at))) return words.slice(at)
  }
  return undefined
}

function stampIn(rest: string): string | undefined {
  return rest === '' || rest.startsWith(' (') ? rest : undefined
}
