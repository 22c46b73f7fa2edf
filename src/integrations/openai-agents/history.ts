import type { AgentInputItem } from '@openai/agents'
import type { Memory } from '../../engine/memory.ts'
import { ElfmemError } from '../../errors.ts'
import { decoded } from './transcript.ts'

type Items = ReturnType<Memory['items']>
type Step = Parameters<Items['batch']>[0][number]

/** The items of a conversation, each under its number, and a head that every change writes. */
export interface History {
  /** The version of the head; 0 before the first change. */
  readonly version: number
  /** The number of the last item, plus one. */
  readonly length: number
  /** The newest items, oldest first; the number of one that was erased is passed over. */
  readonly items: readonly NumberedItem[]
  /** The time of the last change, ISO-8601 UTC. */
  readonly changedAt: string | undefined
}

/** An item of a conversation at its place. */
export interface NumberedItem {
  readonly number: number
  readonly item: AgentInputItem
}

/** A change of a conversation. */
export interface Change<T> {
  readonly steps: readonly Step[]
  /** The length afterwards. */
  readonly length: number
  readonly result: T
}

/** The key of the head, which is no number. */
const HEAD = 'head'
/** Items read in one call. */
const SLICE = 500
/** Tries while others go on writing; at each of them somebody else has got on. */
const TRIES = 200

/**
 * Reads the newest items of a conversation, all as one version of it has them.
 *
 * @param limit items at most
 */
export async function readHistory(items: Items, session: string, limit: number): Promise<History> {
  const namespace = [session]
  for (let tries = 0; tries < TRIES; tries++) {
    const head = await items.get({ namespace, key: HEAD })
    const version = head?.version ?? 0
    const length = (head?.value as { length: number } | undefined)?.length ?? 0
    let found: readonly NumberedItem[] | undefined = []
    for (let end = length; end > 0 && found !== undefined && found.length < limit; ) {
      const start = Math.max(0, end - Math.min(SLICE, limit - found.length))
      const [now, ...slice] = await items.getMany([
        { namespace, key: HEAD },
        ...numbers(start, end).map((number) => ({ namespace, key: String(number) })),
      ])
      const read = slice.flatMap((each, at) =>
        each === undefined ? [] : [{ number: start + at, item: decoded(each.value) }],
      )
      found = now?.version === version ? [...read, ...found] : undefined
      end = start
    }
    if (found !== undefined) return { version, length, items: found, changedAt: head?.updatedAt }
  }
  throw tooManyWriters(session)
}

/**
 * Changes a conversation in one transaction, after what `decide` read. If another process has changed it meanwhile, it decides
 * anew.
 *
 * @param limit the newest items that it decides by
 */
export async function changeHistory<T>(
  items: Items,
  { session, limit }: { readonly session: string; readonly limit: number },
  decide: (history: History) => Promise<Change<T>>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const history = await readHistory(items, session, limit)
    const { steps, length, result } = await decide(history)
    if (steps.length === 0 && length === history.length) return result
    const head = { namespace: [session], key: HEAD, value: { length }, ifVersion: history.version }
    try {
      await items.batch([...steps, { do: 'put', ...head }])
      return result
    } catch (error) {
      if (!ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
    }
  }
  throw tooManyWriters(session)
}

/** The numbers from one on and before another. */
function numbers(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at)
}

function tooManyWriters(session: string): ElfmemError {
  return new ElfmemError(
    'CONFLICT',
    `The session ${JSON.stringify(session)} changed each time it was read.`,
    { recovery: 'Nothing was written. Call again when fewer processes write to it.' },
  )
}
