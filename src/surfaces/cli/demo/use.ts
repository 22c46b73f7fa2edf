import type { Memory } from '../../../engine/memory.ts'
import { type DemoQuestion, demoQuestions } from './journal.ts'
import type { Screen } from './screen.ts'

/** Asks, explains, learns and connects; returns the facts of each. */
export async function playUse(memory: Memory, screen: Screen) {
  const { act } = screen
  await act('Ask', 'exact, in other words, out of date, across topics, and one thing nobody ever said')
  const asked = []
  for (const each of demoQuestions) asked.push(await ask(memory, screen, each))
  const question = (asked.findLast(({ rank }) => rank === 1) ?? asked[0])?.question ?? ''
  await act('Why that answer', `${question} Every score says what it is made of`)
  const explained = await explain(memory, screen, question)
  await act('Learn', 'tell it twice which answer helped and which misled; the next recall is another')
  const learned = await learn(memory, screen)
  const connected = await connect(memory, screen)
  return { asked, explained, learned, connected }
}

/** Asks one thing, and shows the first block that answers it, else the first found. Looks only: nothing is changed. */
async function ask(memory: Memory, screen: Screen, { question, kind, expected }: DemoQuestion) {
  const { line, style, shorten } = screen
  const begun = performance.now()
  const { blocks, match } = await memory.recall({ query: question, reinforce: false })
  const milliseconds = performance.now() - begun
  const rank = blocks.findIndex(({ content }) => holdsAny(content, expected)) + 1
  const first = (blocks[rank - 1] ?? blocks[0])?.content
  const right = expected.length === 0 ? match === 'nothing' || match === 'perhaps' : rank > 0
  const mark = right ? style.good('✓') : style.bad('✗')
  line(`  ${mark} ${style.bold(question)}  ${style.dim(`${kind}, ${milliseconds.toFixed(0)}\u00a0ms`)}`)
  const nothing = 'nothing bears on this, and it says so'
  line(`    ${match === 'nothing' ? style.dim(nothing) : shorten(`${match}: ${first ?? ''}`, 6)}`)
  return { question, kind, rank, first, match, right, milliseconds }
}

/** Shows the score of each block of a recall, term by term, as bars. */
async function explain(memory: Memory, { line, style, shorten, gauge }: Screen, query: string) {
  const { blocks } = await memory.recall({ query, limit: 3, reinforce: false, explain: true })
  return blocks.map(({ content, score, explanation }, at) => {
    const { terms = [], match } = explanation ?? {}
    line(`  ${style.dim(`${at + 1}.`)} ${shorten(content, 18)}  ${style.bold(score.toFixed(3))}`)
    for (const name of ['cosine', 'lexical'] as const) {
      const value = match?.[name]
      if (value !== undefined) line(`     ${gauge(name, value)}`)
    }
    for (const { name, amount } of terms.filter((term) => Math.abs(term.amount) >= 0.005))
      line(`     ${gauge(name, Math.abs(amount))}${amount < 0 ? style.bad(' −') : ''}`)
    return { content, score, terms, ...(match && { match }) }
  })
}

/** Tells the memory which of two answers was out of date, asks again, and shows what moved. */
async function learn(memory: Memory, { line, style, shorten, gauge }: Screen) {
  const contests = []
  for (const each of demoQuestions) contests.push(await contestOf(memory, each))
  // The question whose outdated answer stands highest: where there is most to learn.
  const [chosen] = contests
    .filter(({ helped, misled }) => helped.length > 0 && misled.length > 0)
    .sort((a, b) => a.lead - b.lead)
  if (chosen === undefined) return undefined
  const { question, before, helped, misled } = chosen
  for (let report = 0; report < 2; report++)
    await memory.outcome({ helped, misled, source: 'the demo checked' })
  const after = await memory.recall({ query: question, reinforce: false })
  line(`  ${style.bold(question)}`)
  const moved = [...helped, ...misled].map((id) => {
    const verdict = helped.includes(id) ? 'helped' : 'misled'
    const content = before.blocks.find((block) => block.id === id)?.content ?? ''
    const confidence = after.blocks.find((block) => block.id === id)?.confidence ?? 0
    // 0 when the answer no longer holds it.
    const [was, is] = [before.blockIds.indexOf(id) + 1, after.blockIds.indexOf(id) + 1]
    const place = style.bold(is === 0 ? 'gone' : `place ${is}`)
    line(`  ${verdict === 'helped' ? style.good(verdict) : style.bad(verdict)}  ${shorten(content, 12)}`)
    line(`          place ${was} → ${place}   ${gauge('confidence', confidence, 12)}`)
    return { content, verdict, before: was, after: is, confidence }
  })
  return { question, moved }
}

async function contestOf(memory: Memory, { question, expected, outdated = [] }: DemoQuestion) {
  const before = await memory.recall({ query: question, reinforce: false })
  const idsOf = (words: readonly string[]) =>
    before.blocks.filter(({ content }) => holdsAny(content, words)).map(({ id }) => id)
  const [helped, misled] = [idsOf(expected), idsOf(outdated)]
  const lead = before.blockIds.indexOf(misled[0] ?? '') - before.blockIds.indexOf(helped[0] ?? '')
  return { question, before, helped, misled, lead }
}

/** Knowledge of an agent that no similarity shows: why something happened. */
const CAUSE = {
  question: 'Why were three bakers quoted absurd freight?',
  symptom: 'absurd freight for a single sack',
  cause: 'article weights in grams',
  relation: 'elaborates',
} as const

/** Joins a cause to its effect, and asks again. */
async function connect(memory: Memory, { act, line, style, shorten }: Screen) {
  await act('Connect', 'say what no similarity shows: why it happened; the answer brings the cause along')
  const { question, relation } = CAUSE
  const idOf = async (words: string) => {
    const { blocks } = await memory.recall({ query: words, reinforce: false })
    return blocks.find(({ content }) => content.includes(words))?.id
  }
  const [source, target] = [await idOf(CAUSE.cause), await idOf(CAUSE.symptom)]
  if (source === undefined || target === undefined) return undefined
  const first = await memory.recall({ query: question, reinforce: false })
  await memory.connect({ source, target, relation, note: 'kilograms were expected' })
  const second = await memory.recall({ query: question, reinforce: false })
  const brought = second.blocks.find(({ id }) => id === source)
  const cause = brought?.content ?? ''
  const [before, after] = [first.blockIds.indexOf(source) + 1, second.blockIds.indexOf(source) + 1]
  const { text } = await memory.graph({ blockId: target, depth: 1 })
  const tree = text.split('\n')
  line(`  ${style.bold(question)}`)
  const places = [before, after].map((place) => (place === 0 ? 'not in the answer' : `place ${place}`))
  line(`  ${style.good('brought')}  ${shorten(cause, 12)}`)
  line(`           ${places.join(' → ')}`)
  for (const each of tree) line(`  ${style.dim('│')} ${style.dim(shorten(each, 4))}`)
  return { question, cause, before, after, wasExpanded: brought?.wasExpanded === true, tree }
}

const holdsAny = (content: string, words: readonly string[]) => words.some((each) => content.includes(each))
