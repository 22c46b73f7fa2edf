import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError } from '../../../errors.ts'
import { decide } from '../../../operations/decide/decide.ts'
import { type DecisionView, decisions, needsPerson } from '../../../operations/decide/decisions.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { answerText } from '../../prose.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { commandProse, openCliMemory } from '../operation.ts'
import { printFailure } from '../screen/output.ts'
import { type Page, pageFor, setOnPage } from '../screen/style.ts'

type Wanted = Readonly<Record<'kind' | 'scope', string | undefined>>
type Asking = CliIo & { readonly ask: NonNullable<CliIo['ask']> }
type Choice = DecisionView['choices'][number]

/** Number of empty answers in a row that end a review, because a terminal that is gone never says more. */
const EMPTY_MOST = 2
/** The most decisions of one review; further ones wait for the next. */
const MOST = 100
const LAST = 'That was the last. k goes back, q ends.'

/** Shows waiting decisions one by one at a terminal and makes them. */
export async function runReview({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { kind, scope } = values as Wanted
  const { ask, stdout } = io
  if (ask === undefined || global.json || stdout.isTTY !== true)
    throw new ElfmemError('INVALID_INPUT', 'A review asks at a terminal, and here is none.', {
      recovery: 'elfmem decisions lists what waits; decide with elfmem decide ID --choice NAME.',
    })
  const { memory } = await openCliMemory(decisions, global, io)
  try {
    await new Review(memory, { kind, scope }, { ...io, ask }).run()
    return EXIT_OK
  } finally {
    await memory.close()
  }
}

/** Shows one decision after the other and does what is typed; nothing is chosen by leaving a line empty. */
class Review {
  readonly #memory: Pick<CallableMemory, 'call'>
  readonly #wanted: Wanted
  readonly #io: Asking
  #ids: readonly string[] = []
  /** The place of the decision that is shown. */
  #at = 0
  /** The number of decisions that were made. */
  #made = 0

  constructor(memory: Pick<CallableMemory, 'call'>, wanted: Wanted, io: Asking) {
    this.#memory = memory
    this.#wanted = wanted
    this.#io = io
  }

  async run(): Promise<void> {
    const { kind } = this.#wanted
    const found = await this.#decisions({ kind, limit: MOST })
    const own = found.filter((each) => kind !== undefined || needsPerson(each.kind))
    this.#ids = own.map(({ id }) => id)
    let [shown, empty] = ['', this.#ids.length === 0 ? EMPTY_MOST : 0]
    while (empty < EMPTY_MOST && this.#io.signal?.aborted !== true) {
      const decision = await this.#current()
      const place = `${this.#at + 1} of ${this.#ids.length}`
      const card = decision === undefined ? LAST : cardOf(decision, place, this.#page())
      if (card !== shown) this.#io.stdout.write(`\n${card}\n`)
      shown = card
      const said = (await this.#io.ask('>')).trim().toLowerCase()
      if (said === 'q') break
      empty = said === '' ? empty + 1 : 0
      await this.#obey(said, decision).catch(async (error: unknown) => {
        if (!ElfmemError.is(error)) throw error
        await printFailure(error, this.#io, { json: false })
      })
    }
    const [made, left] = [this.#made, this.#ids.length - this.#made]
    const words = `${made === 0 ? 'Nothing was decided' : `${count(made, 'decision')} made`}; ${left} left.`
    this.#say(this.#ids.length === 0 ? 'No decision waits for you.' : words)
  }

  async #decisions(asked: object): Promise<readonly DecisionView[]> {
    const found = await this.#memory.call(decisions, { ...asked, scope: this.#wanted.scope })
    return (found as Awaited<ReturnType<typeof decisions.run>>).decisions
  }

  /** Returns the decision at this place as it stands now, or the next one that still waits. */
  async #current(): Promise<DecisionView | undefined> {
    const id = this.#ids[this.#at]
    if (id === undefined) return undefined
    const [found] = await this.#decisions({ id }).catch((error: unknown) => {
      if (ElfmemError.is(error)) return []
      throw error
    })
    if (found !== undefined && found.choices.length > 0) return found
    this.#at += 1
    return this.#current()
  }

  async #obey(said: string, decision: DecisionView | undefined): Promise<void> {
    if (said === 'k') this.#at = Math.max(0, this.#at - 1)
    else if (decision !== undefined && said === 'j') this.#at += 1
    else if (decision !== undefined && said !== '') await this.#choose(said, decision)
  }

  async #choose(said: string, decision: DecisionView): Promise<void> {
    const { id, mark, choices } = decision
    const choice = choices.find(({ key, choice: name }) => key === said || name === said)
    if (choice === undefined) {
      const keys = choices.map(({ key }) => key).join(', ')
      return this.#say(`${harmlessLine(said)} is none of ${keys}, j, k and q.`)
    }
    const taken = await this.#taken(choice)
    if (taken === undefined || !(await this.#isMeant(decision, choice)))
      return this.#say('Nothing was decided.')
    const asked = { id, choice: choice.choice, mark, ...taken, scope: this.#wanted.scope }
    const output = await this.#memory.call(decide, asked)
    this.#made += 1
    this.#say(`✓ ${await answerText(decide, output, commandProse)}`)
  }

  /** Asks for the words or the reason that a choice takes; undefined if it needs words and got none. */
  async #taken({ takes }: Choice): Promise<Readonly<Record<string, string>> | undefined> {
    if (takes === undefined) return {}
    const asked = takes === 'words' ? 'The words instead (empty: not now):' : 'Why? (empty: no reason)'
    const said = (await this.#io.ask(asked)).trim()
    if (said === '') return takes === 'words' ? undefined : {}
    return { [takes]: said }
  }

  /** Returns true if somebody says yes to what changes who the agent is, or raises trust, after its words were shown in full. */
  async #isMeant({ kind, by, change, first }: DecisionView, { choice, label }: Choice): Promise<boolean> {
    if (kind !== 'proposal' || choice === 'refuse') return true
    const words = change?.field === 'content' ? change.after : first?.content
    if (choice !== 'change')
      this.#say(`${harmlessLine(by ?? 'somebody')} proposed:\n${harmless(words ?? '')}`)
    return (await this.#io.ask(`${label}? Type yes:`)).trim().toLowerCase() === 'yes'
  }

  #page(): Page {
    return pageFor(this.#io.stdout, this.#io)
  }

  #say(text: string): void {
    this.#io.stdout.write(`${setOnPage(text, this.#page())}\n`)
  }
}

/** Returns one decision as lines: what it is about, the whole of both texts with the words that differ in brackets, and the choices. */
function cardOf(decision: DecisionView, place: string, page: Page): string {
  const { kind, at = '', by = '', sentence, first, second, change, reason, choices } = decision
  const found = harmlessLine([at.slice(0, 10), by && `by ${by}`].filter(Boolean).join(' '))
  const after = second?.content ?? (change?.field === 'content' ? change.after : undefined)
  const lines = [
    `${place}  ${kind.replace('_', ' ')}${found === '' ? '' : `, found ${found}`}`,
    harmlessLine(sentence),
    ...(first ? ['', ...textLines('1', first.content, after), factsOf(first, second !== undefined)] : []),
    ...(after === undefined ? [] : ['', ...textLines(second ? '2' : '→', after, first?.content)]),
    ...(second ? [factsOf(second, true)] : []),
    ...(reason === undefined ? [] : [`   because: ${harmlessLine(reason)}`]),
    '',
    ...choices.map(({ key, label, does }) => `  ${key}  ${label}. ${does}`),
    '  j next, k back, q end',
  ]
  return lines.map((line) => setOnPage(line, page)).join('\n')
}

/** Returns a text with the words in brackets that the other text does not have. */
function textLines(name: string, text: string, other: string | undefined): string[] {
  const known = new Set(other?.split(/\s+/))
  const marked = harmless(text).replace(/\S+/g, (word) =>
    other === undefined || known.has(word) ? word : `[${word}]`,
  )
  return marked.split('\n').map((line, at) => `${at === 0 ? name : ' '}  ${line}`)
}

function factsOf(side: NonNullable<DecisionView['first']>, isOfTwo: boolean): string {
  const { speaker, saidAt, belief, edges, isShown, isPrinciple } = side
  const told = [
    harmlessLine(speaker),
    saidAt.slice(0, 10),
    `belief ${belief.toFixed(2)}`,
    count(edges, 'edge'),
  ]
  if (isPrinciple) told.push('a principle')
  if (isOfTwo) told.push(isShown ? 'recall shows it meanwhile' : 'under the other meanwhile')
  return `   ${told.join(' · ')}`
}
