import { openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { createRandom } from '../lib/random.ts'
import { mean } from '../lib/statistics.ts'
import { percent, table } from '../lib/table.ts'
import type { Conversation } from './loader.ts'
import type { KeptConversations, Remembered } from './ours.ts'

/** Questions asked of each memory that it cannot answer. */
const QUESTIONS = 80
const LINES = [0.18, 0.25, 0.3, 0.35, 0.4]
const SEED = 20_262

/** How well a memory tells what it does not know. */
export interface Foreign {
  readonly answerable: number
  readonly foreign: number
  readonly misattributed: number
  /** Chance that an answerable question has a stronger best match than a foreign one, ties half. */
  readonly strengthAuc: number
  /** Shares whose best match lies below a line. */
  readonly refused: readonly {
    readonly line: number
    readonly answerable: number
    readonly foreign: number
  }[]
}

interface Strength {
  readonly strength: number
}

/** Asks each memory its own questions, others' with the people renamed to its own, and those that ask the wrong person. */
export async function measureForeign({ conversations, kept, embedder }: KeptConversations): Promise<Foreign> {
  const answerable: Strength[] = []
  const foreign: Strength[] = []
  const misattributed: Strength[] = []
  for (const [i, conversation] of conversations.entries()) {
    await using memory = await openMemory((kept[i] as Remembered).path, {
      embedder,
      clock: fixedClock,
      config: {},
    })
    const ask = async (texts: readonly string[]): Promise<Strength[]> => {
      const found: Strength[] = []
      for (const query of texts) {
        const { strength = 0 } = await memory.recall({ query, reinforce: false, minStrength: 0 })
        found.push({ strength })
      }
      return found
    }
    answerable.push(...(await ask(conversation.questions.map(({ text }) => text))))
    foreign.push(...(await ask(foreignTo(conversation, conversations, i))))
    misattributed.push(...(await ask(conversation.misattributed)))
  }
  return {
    answerable: answerable.length,
    foreign: foreign.length,
    misattributed: misattributed.length,
    strengthAuc: areaUnderCurve(answerable.map(strengthOf), foreign.map(strengthOf)),
    refused: LINES.map((line) => ({
      line,
      answerable: shareOf(answerable, ({ strength }) => strength < line),
      foreign: shareOf(foreign, ({ strength }) => strength < line),
    })),
  }
}

/** Questions of the other conversations that name somebody, renamed to the people of this one. */
export function foreignTo(own: Conversation, all: readonly Conversation[], seed: number): string[] {
  const renamed = all
    .filter((other) => other !== own)
    .flatMap(({ speakers, questions }) =>
      questions.flatMap(({ text }) => {
        const question = rename(text, speakers, own.speakers)
        return question === text ? [] : [question]
      }),
    )
  return createRandom(SEED, seed).shuffled(renamed).slice(0, QUESTIONS)
}

// All at once, so that a name which both conversations know is not renamed twice.
function rename(text: string, from: readonly string[], to: readonly string[]): string {
  if (from.length === 0 || to.length === 0) return text
  const pattern = new RegExp(`\\b(?:${from.join('|')})\\b`, 'g')
  return text.replace(pattern, (name) => to[from.indexOf(name) % to.length] as string)
}

/** Chance that a random `positive` lies above a random `negative`, ties half: ROC AUC. */
export function areaUnderCurve(positive: readonly number[], negative: readonly number[]): number {
  return mean(positive.map((high) => mean(negative.map((low) => (high > low ? 1 : high === low ? 0.5 : 0)))))
}

function strengthOf({ strength }: Strength): number {
  return strength
}

function shareOf(found: readonly Strength[], is: (each: Strength) => boolean): number {
  return mean(found.map((each) => (is(each) ? 1 : 0)))
}

/** What a bench prints of it. */
export function foreignTable({ answerable, foreign, misattributed, strengthAuc, refused }: Foreign): string {
  return [
    `${answerable} answerable questions, ${foreign} of other conversations with people renamed, ${misattributed} that ask the wrong person; best strength tells the first two apart with AUC ${strengthAuc.toFixed(3)}`,
    table(
      ['', 'answerable', 'foreign'],
      refused.map((row) => [`strength < ${row.line}`, percent(row.answerable), percent(row.foreign)]),
    ),
  ].join('\n')
}
