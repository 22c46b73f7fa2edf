import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import type { Links } from '../../ports/store/transaction.ts'

/** A block that objects to one in the answer. */
interface Objection {
  readonly id: string
  /** The block it objects to. */
  readonly to: string
}

/** Returns blocks that contradict some of those shown and are not visible themselves, in their order, at most `most`. */
export function objectionsTo(
  shown: readonly string[],
  links: Links,
  {
    isVisible,
    most,
  }: {
    /** True of a block that is an entry or stands under one. */
    readonly isVisible: (id: string) => boolean
    readonly most: number
  },
): Objection[] {
  const opposed = opposedIn(links)
  const found = shown.flatMap((to) =>
    opposed.flatMap(([one, other]) => {
      if (one !== to && other !== to) return []
      const id = one === to ? other : one
      return isVisible(id) ? [] : [{ id, to }]
    }),
  )
  const first = new Map(found.toReversed().map((objection) => [objection.id, objection]))
  return found.filter((objection) => first.get(objection.id) === objection).slice(0, most)
}

/** Returns which of those shown contradict each other, each two once, in their order. */
export function disputesAmong(shown: readonly string[], links: Links): (readonly [string, string])[] {
  const opposed = new Set(opposedIn(links).flatMap(([one, other]) => [`${one} ${other}`, `${other} ${one}`]))
  return shown.flatMap((one, at) =>
    shown.slice(at + 1).flatMap((other) => (opposed.has(`${one} ${other}`) ? [[one, other] as const] : [])),
  )
}

function opposedIn({ edges, pairs }: Links): (readonly [string, string])[] {
  return [
    ...edges.filter(({ relation }) => relation === CONTRADICTS).map(({ from, to }) => [from, to] as const),
    ...pairs.filter(({ kind }) => kind === 'contradiction').map(({ a, b }) => [a, b] as const),
  ]
}
