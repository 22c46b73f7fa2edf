import type { Decision } from '../../../src/operations/methods.generated.ts'

/** The decision that a list is at: the one asked for while it is there, else the one that took its place. */
export function decisionAt(
  list: readonly Decision[],
  { id, place }: { readonly id: string | undefined; readonly place: number },
): { readonly decision: Decision | undefined; readonly place: number } {
  const found = list.findIndex((each) => each.id === id)
  const at = found >= 0 ? found : Math.max(0, Math.min(list.length - 1, place))
  return { decision: list[at], place: at }
}

/** The place a step further; the ends stay. */
export function stepped(place: number, by: 1 | -1, length: number): number {
  return Math.max(0, Math.min(length - 1, place + by))
}
