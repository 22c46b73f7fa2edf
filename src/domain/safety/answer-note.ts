import { count } from '../text/count.ts'
import { literally } from '../text/text.ts'

const QUALITIES = {
  match: ['Match', ''],
  weak: ['Weak match', '; it may not be what you asked for'],
  unsure: ['Unsure', '; only the nearest are shown'],
} as const

/** One sentence on how sure an answer is. */
export function qualityNote(quality: keyof typeof QUALITIES, probability: number): string {
  const [name, advice] = QUALITIES[quality]
  return `${name} (probability ${probability.toFixed(2)})${advice}.`
}

/** What is said of one, and of many. */
const COUNTED = {
  older: ['older version', 'older versions'],
  alike: ['that reads alike', 'that read alike'],
  contradicted: ['contradicted', 'contradicted'],
  further: ['further version', 'further versions'],
  token_budget: ['beyond the budget', 'beyond the budget'],
  top_k: ['beyond the limit', 'beyond the limit'],
  weak_match: ['too weak', 'too weak'],
} as const
const TITLES = { told: 'Set apart', untold: 'Left out' } as const

/** How many blocks are no entry of an answer, by the reason. */
export type NotShown = Partial<Readonly<Record<keyof typeof COUNTED, number>>>

/** One sentence on blocks that are no entry of an answer, told of in it or not; empty for none. */
export function notShownNote(title: keyof typeof TITLES, numbers: NotShown): string {
  const parts = Object.entries(COUNTED).flatMap(([reason, [one, many]]) => {
    const number = numbers[reason as keyof typeof COUNTED] ?? 0
    return number > 0 ? [`${number} ${number === 1 ? one : many}`] : []
  })
  return parts.length === 0 ? '' : `${TITLES[title]}: ${parts.join(', ')}.`
}

/** One sentence on two entries of an answer, by their ids. */
export function disputeNote(one: string, other: string): string {
  return `${one} and ${other} contradict each other.`
}

/** One sentence on blocks that wait and have no vector yet. */
export function waitingNote(number: number): string {
  return `${count(number, 'waiting block')} found by words alone as yet.`
}

export const CUT_NOTE = 'The first block was cut to fit the budget; show gives the whole.'

const either = (all: readonly string[]) => `(?:${all.join('|')})`
const COUNT = `\\d+ ${either([...new Set(Object.values(COUNTED).flat())])}`
const SENTENCE = either([
  ...Object.values(QUALITIES).map(([name, advice]) => `${name} \\(probability [01]\\.\\d\\d\\)${advice}\\.`),
  `${either(Object.values(TITLES))}: ${COUNT}(?:, ${COUNT})*\\.`,
  '[0-9a-f]{4,16} and [0-9a-f]{4,16} contradict each other\\.',
  '\\d+ waiting blocks? found by words alone as yet\\.',
  literally(CUT_NOTE),
])
const NOTE = new RegExp(`^${SENTENCE}(?: ${SENTENCE})*$`)

/** True if a line has nothing but these sentences, which hold no words but elfmem's own. */
export function isAnswerNote(line: string): boolean {
  return NOTE.test(line)
}
