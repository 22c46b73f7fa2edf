/** The place of a block before, undefined if it was not shown then. */
export type Places = ReadonlyMap<string, number>

/** The places of the blocks of an answer, from 1. */
export function placesOf(ids: readonly string[]): Places {
  return new Map(ids.map((id, at) => [id, at + 1]))
}

/** How the place of a block changed, in words and as a direction; undefined where it did not or nothing was before. */
export function moveOf(
  id: string,
  { before, now }: { readonly before: Places | undefined; readonly now: Places },
): { readonly words: string; readonly isUp: boolean } | undefined {
  if (before === undefined) return undefined
  const [was, is] = [before.get(id), now.get(id)]
  if (was === is) return undefined
  if (is === undefined) return { words: `was ${was}`, isUp: false }
  if (was === undefined) return { words: 'new', isUp: true }
  return { words: `was ${was}`, isUp: is < was }
}

/** A mark on a shown block: it helped, or it misled. */
export type Mark = 'helped' | 'misled'

/** The marks after a click: the same mark twice takes it away. */
export function marked(marks: ReadonlyMap<string, Mark>, id: string, mark: Mark): ReadonlyMap<string, Mark> {
  const next = new Map(marks)
  if (next.get(id) === mark) next.delete(id)
  else next.set(id, mark)
  return next
}

/** The ids with a mark, for a report. */
export function idsMarked(marks: ReadonlyMap<string, Mark>, mark: Mark): readonly string[] {
  return [...marks].flatMap(([id, each]) => (each === mark ? [id] : []))
}
