import type { Decision } from '../../../src/operations/methods.generated.ts'
import { call } from '../../api.ts'
import { change, sayFailure, takeBack, toast } from '../../change.ts'
import { plural } from '../../format.ts'
import { changed } from '../../live.ts'
import { pageWords } from '../../page-words.ts'

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
      choice && choice.choice !== 'dream' ? `${choice.label}. ${pageWords(choice.does)}` : pageWords(summary),
  })
  return answer.ok
}

/** Makes several decisions in turn, until one cannot be made; the toast takes all of them back. */
export async function decideAll(all: readonly Decision[], choice: string): Promise<void> {
  const made: number[] = []
  for (const { id, mark } of all) {
    const answer = await call('decide', { id, mark, choice, reason: 'decided with others alike' })
    if (answer.ok) made.push((answer.value as { readonly operationId?: number }).operationId ?? 0)
    // The pairs of a block that gave way are no longer open, so these refusals end nothing.
    else if (answer.failure.code !== 'NOT_FOUND' && answer.failure.code !== 'WRONG_STATUS') {
      changed()
      return sayFailure(answer.failure)
    }
  }
  changed()
  const undo = async () => {
    for (const operationId of made.toReversed()) if (!(await takeBack(operationId)).ok) return
  }
  toast.value = { text: `${plural(made.length, 'decision')} made.`, undo: () => void undo() }
}
