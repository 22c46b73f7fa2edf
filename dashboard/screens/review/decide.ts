import type { Decision } from '../../../src/operations/methods.generated.ts'
import { call, type Failure } from '../../api.ts'
import { change, toast } from '../../change.ts'
import { plural } from '../../format.ts'
import { changed } from '../../live.ts'
import { pageWords } from '../../page-words.ts'
import { archivedBy } from './alike.ts'

/** What somebody decided, with the words or the reason for it. */
export interface Chosen {
  readonly choice: string
  readonly words?: string | undefined
  readonly reason?: string | undefined
}

/** Decides about one, by the words that were seen; a toast says what happened and takes it back. */
export async function decide({ id, mark, choices }: Decision, chosen: Chosen): Promise<boolean> {
  const choice = choices.find((each) => each.choice === chosen.choice)
  const said = Object.entries(chosen).filter(([, value]) => value !== undefined && value !== '')
  const input = { ...(Object.fromEntries(said) as unknown as Chosen), id, mark }
  const answer = await change('decide', input, {
    // A dream says itself what came of it.
    said: ({ summary }) =>
      choice && choice.choice !== 'dream' ? `${choice.label}. ${choice.does}` : pageWords(summary),
  })
  return answer.ok
}

/** What came of several decisions. */
interface Done {
  readonly operations: readonly number[]
  /** Settled by one before: the block was archived with it. */
  readonly settled: number
  readonly failure: Failure | undefined
}

/** Decides about several alike, one after the other; the toast takes all of them back, the last first. */
export async function decideAll(
  all: readonly Decision[],
  choice: string,
  onStep: (done: number) => void,
): Promise<void> {
  const { operations, settled, failure } = await each(all, choice, onStep)
  changed()
  const parts = [
    `${plural(operations.length, 'decision')} made.`,
    ...(settled > 0 ? [`${settled} settled with them.`] : []),
    ...(failure === undefined
      ? []
      : [`Then it stopped: ${failure.message} ${failure.recovery ?? ''}`.trim()]),
  ]
  const undo = { undo: () => void takeAllBack(operations) }
  toast.value = {
    text: parts.join(' '),
    ...(operations.length > 0 ? undo : {}),
    ...(failure === undefined ? {} : { tone: 'bad' as const }),
  }
}

async function each(all: readonly Decision[], choice: string, onStep: (done: number) => void): Promise<Done> {
  const operations: number[] = []
  let settled = 0
  const archived = new Set<string | undefined>()
  for (const [at, decision] of all.entries()) {
    onStep(at + 1)
    const { id, mark, first, second } = decision
    if ([first, second].some((side) => side && archived.has(side.id))) {
      settled++
      continue
    }
    const answer = await call('decide', { id, mark, choice, reason: 'decided with others alike' })
    if (answer.ok) {
      archived.add(archivedBy(decision, choice))
      const { operationId } = answer.value as { readonly operationId?: number }
      if (operationId !== undefined) operations.push(operationId)
    } else if (isSettled(answer.failure)) settled++
    else return { operations, settled, failure: answer.failure }
  }
  return { operations, settled, failure: undefined }
}

/** A block that gave way is in no open pair any more. */
function isSettled({ code }: Failure): boolean {
  return code === 'NOT_FOUND' || code === 'WRONG_STATUS'
}

async function takeAllBack(operations: readonly number[]): Promise<void> {
  for (const operationId of operations.toReversed()) {
    const answer = await call('undo', { operationId, reason: 'taken back in the dashboard' })
    if (answer.ok) continue
    changed()
    toast.value = { text: `${answer.failure.message} ${answer.failure.recovery ?? ''}`, tone: 'bad' }
    return
  }
  changed()
  toast.value = { text: `${plural(operations.length, 'decision')} taken back.` }
}
