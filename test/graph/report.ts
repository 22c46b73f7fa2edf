import type { Memory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { nextTurn } from '../helpers/timer.ts'
import type { Call } from './calls.ts'

type Result<Name extends keyof Memory> = Memory[Name] extends (...args: never[]) => Promise<infer R>
  ? R
  : never

/** What an operation that joins pairs said about one of them. */
type Claimed = Pick<
  Result<'connect'>,
  'sourceId' | 'targetId' | 'relation' | 'weight' | 'action' | 'evictedEdges'
>

export type DisplacedEdge = Result<'connect'>['evictedEdges'][number]

/** What the results of one act said, whatever operation it was. */
export interface Report {
  /** Code and message of a refusal; nothing may have changed then. */
  readonly refused?: string
  readonly displaced: readonly DisplacedEdge[]
  /** Blocks that were archived. */
  readonly archived: readonly string[]
  readonly claims: readonly Claimed[]
  readonly pendingDropped: readonly { readonly source: string; readonly target: string }[]
  readonly disconnected?: Result<'disconnect'>
  /** Two that both hold, whose contradiction was ended. */
  readonly agreed?: readonly string[]
  readonly curated?: Result<'curate'>
  readonly reported?: Result<'outcome'>
}

/** What came of each call: the result, or with what it was refused. */
export type Answer = { readonly result: unknown } | { readonly refused: string }

/** Calls in turn; the first refusal is the last answer. */
export async function answersOf(memory: Memory, calls: readonly Call[]): Promise<Answer[]> {
  const methods = memory as unknown as Record<string, (input: unknown) => Promise<unknown>>
  const answers: Answer[] = []
  for (const { name, input } of calls)
    try {
      answers.push({ result: await methods[name]?.(input) })
      // A recall writes its use after its answer; this waits for that.
      await nextTurn()
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      answers.push({ refused: `${error.code}: ${error.message}` })
      break
    }
  return answers
}

const NOTHING: Report = { displaced: [], archived: [], claims: [], pendingDropped: [] }

/** The last answer in one form; what came before it joins nothing. */
export function reportOf(calls: readonly Call[], answers: readonly Answer[]): Report {
  const [answer, call] = [answers.at(-1), calls[answers.length - 1]]
  if (answer === undefined || call === undefined) return NOTHING
  if ('refused' in answer) return { ...NOTHING, refused: answer.refused }
  const read = READERS[call.name]
  return read === undefined ? NOTHING : { ...NOTHING, ...read(answer.result as never, call) }
}

const READERS: Readonly<Record<string, (result: never, call: Call) => Partial<Report>>> = {
  connect: (result: Result<'connect'>) => ({ displaced: result.evictedEdges, claims: [result] }),
  connects: ({ results }: Result<'connects'>) => ({
    displaced: results.flatMap(({ evictedEdges }) => evictedEdges),
    claims: results,
  }),
  disconnect: (disconnected: Result<'disconnect'>) => ({ disconnected }),
  outcome: (reported: Result<'outcome'>) => ({
    reported,
    displaced: reported.evictedEdges,
  }),
  recall: (recalled: Result<'recall'>) => ({
    displaced: recalled.evictedEdges,
  }),
  dream: (dreamt: Result<'dream'>) => ({
    displaced: dreamt.evictedEdges,
    archived: dreamt.archivedByCurate,
    // A dream that curates also gives waiting connections up.
    pendingDropped: (dreamt as Partial<Pick<Report, 'pendingDropped'>>).pendingDropped ?? [],
  }),
  curate: (curated: Result<'curate'>) => ({
    curated,
    displaced: curated.evictedEdges,
    archived: curated.archived,
    pendingDropped: curated.pendingDropped,
  }),
  forget: ({ blockId, status }: Result<'forget'>) => ({
    archived: status === 'forgotten' ? [blockId] : [],
  }),
  restore: (restored: Result<'restore'>) => ({
    displaced: restored.evictedEdges,
  }),
  resolve: ({ archived, kept, endedContradiction }: Result<'resolve'>) => ({
    archived: archived === undefined ? [] : [archived],
    ...(endedContradiction && Array.isArray(kept) ? { agreed: kept } : {}),
  }),
}
