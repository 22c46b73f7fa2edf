import { createRandom } from '../lib/random.ts'
import type { Conversation } from './loader.ts'

/** Questions asked of each memory that it cannot answer. */
const QUESTIONS = 80
const SEED = 20_262

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
