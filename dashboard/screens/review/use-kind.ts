import type { Decision } from '../../../src/operations/methods.generated.ts'
import { type Answer, call } from '../../api.ts'
import { changes } from '../../live.ts'
import { useLoad } from '../../load.ts'

/** Decisions of one request, and those that are looked through for alike ones: a person reads the list of them. */
const ALIKE = { page: 100, most: 500 }

/** Decisions of one kind. */
export interface OfKind {
  readonly list: readonly Decision[]
  /** How many more there are, which were not looked through. */
  readonly left: number
}

/**
 * All decisions of the kind of one, whether their page was loaded or not: those alike are found among them. While they come, and if
 * they do not, it has those that are loaded.
 */
export function useKind(
  decision: Decision | undefined,
  loaded: readonly Decision[],
  counts: Readonly<Record<string, number>> | undefined,
): OfKind {
  const kind = decision?.kind
  const own = loaded.filter((each) => each.kind === kind)
  const total = (kind && counts?.[kind]) ?? own.length
  const isWhole = own.length >= total
  const asked = useLoad(
    (signal) => (isWhole || kind === undefined ? nothing : readKind(kind, signal)),
    [kind, isWhole, changes.value],
  ).data
  const list = !isWhole && asked !== undefined && asked.kind === kind ? asked.list : own
  return { list, left: Math.max(0, total - list.length) }
}

interface Read {
  readonly kind: Decision['kind'] | undefined
  readonly list: readonly Decision[]
}

const nothing: Promise<Answer<Read>> = Promise.resolve({ ok: true, value: { kind: undefined, list: [] } })

async function readKind(kind: Decision['kind'], signal: AbortSignal): Promise<Answer<Read>> {
  const list: Decision[] = []
  let cursor: string | undefined
  do {
    const input = { kind, limit: ALIKE.page, ...(cursor !== undefined && { cursor }) }
    const answer = await call('decisions', input, { signal })
    if (!answer.ok) return answer
    list.push(...answer.value.decisions)
    cursor = answer.value.cursor
  } while (cursor !== undefined && list.length < ALIKE.most)
  return { ok: true, value: { kind, list } }
}
