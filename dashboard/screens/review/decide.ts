import type { Decision } from '../../../src/operations/methods.generated.ts'
import type { Output } from '../../api.ts'
import { change } from '../../change.ts'
import { plural } from '../../format.ts'
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

/** Decides about several alike in one call: one entry of the journal stands for all, and the toast takes them back together. */
export async function decideAll(all: readonly Decision[], choice: string): Promise<void> {
  const [first, ...others] = all.map(({ id, mark }) => ({ id, mark }))
  if (first === undefined) return
  const also = others.length > 0 ? { also: others } : {}
  await change(
    'decide',
    { ...first, ...also, choice, reason: 'decided with others alike' },
    { said: ({ summary, also: came }) => pageWords(came === undefined ? summary : manyWords(came)) },
  )
}

/** What came of several decisions. */
function manyWords({ decided, settled, stopped }: NonNullable<Output<'decide'>['also']>): string {
  return [
    `${plural(decided, 'decision')} made.`,
    ...(settled > 0 ? [`${settled} settled with them.`] : []),
    ...(stopped === undefined
      ? []
      : [`Then it stopped: ${stopped.message} ${stopped.recovery ?? ''}`.trim()]),
  ].join(' ')
}
