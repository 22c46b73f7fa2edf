import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError } from '../../../errors.ts'
import { undo } from '../../../operations/correct/undo.ts'
import { decide } from '../../../operations/decide/decide.ts'
import { type DecisionView, decisions, needsPerson } from '../../../operations/decide/decisions.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { spoken } from '../../spoken.ts'
import { wireOf } from '../../wire.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { LANGUAGE, openCliMemory } from '../operation.ts'
import { jsonText, printFailure } from '../screen/output.ts'
import { type Page, pageFor, setOnPage } from '../screen/style.ts'

type Wanted = Readonly<Record<'kind' | 'scope', string | undefined>>
type Asking = CliIo & { readonly ask: NonNullable<CliIo['ask']> }
type Found = Awaited<ReturnType<typeof decisions.run>>
type Choice = DecisionView['choices'][number]

/** Empty answers in a row that end a review: a terminal that is gone answers nothing for ever. */
const EMPTY_MOST = 2

/** Decides about what waits, one by one at a terminal; elsewhere it lists what waits and says how to decide. */
export async function runReview({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { kind, scope } = values as Wanted
  const wanted: Wanted = { kind, scope }
  const { ask, stdout } = io
  const { memory } = await openCliMemory(decisions, global, io)
  try {
    if (ask !== undefined && !global.json && stdout.isTTY === true)
      await new Review(memory, wanted, { ...io, ask }).run()
    else {
      const found = (await memory.call(decisions, wanted)) as Found
      const how = found.decisions.length > 0 ? '\nDecide with: elfmem decide ID --choice NAME' : ''
      const text = global.json
        ? jsonText(wireOf(decisions).toOutput(found))
        : setOnPage(`${await spoken(decisions, found, LANGUAGE)}${how}`, pageFor(stdout, io))
      stdout.write(`${text}\n`)
    }
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
  /** The cursors behind the decisions that were left for later. */
  #left: string[] = []
  /** The decisions that were made, each with the cursors then, and the number by which `undo` takes it back. */
  readonly #made: { readonly left: string[]; readonly operationId?: number | undefined }[] = []
  #total: number | undefined

  constructor(memory: Pick<CallableMemory, 'call'>, wanted: Wanted, io: Asking) {
    this.#memory = memory
    this.#wanted = wanted
    this.#io = io
  }

  async run(): Promise<void> {
    let [shown, empty] = ['', 0]
    while (empty < EMPTY_MOST && this.#io.signal?.aborted !== true) {
      const { decision, next } = await this.#look()
      if (decision === undefined && this.#made.length + this.#left.length === 0) break
      const place = this.#made.length + this.#left.length + 1
      const of = Math.max(this.#total ?? 0, place)
      const card = decision === undefined ? LAST : cardOf(decision, `${place} of ${of}`, this.#page())
      if (card !== shown) this.#io.stdout.write(`\n${card}\n`)
      shown = card
      const said = (await this.#io.ask('>')).trim().toLowerCase()
      if (said === 'q') break
      empty = said === '' ? empty + 1 : 0
      await this.#obey(said, decision, next).catch((error: unknown) => this.#tell(error))
    }
    this.#end()
  }

  #end(): void {
    const [made, total] = [this.#made.length, this.#total ?? 0]
    const left = total > made ? `${count(total - made, 'decision')} left` : 'none left'
    const decided = made === 0 ? 'Nothing was decided' : `${count(made, 'decision')} made`
    this.#say(total === 0 ? 'No decision waits for you.' : `${decided}; ${left}.`)
  }

  async #tell(error: unknown): Promise<void> {
    if (!ElfmemError.is(error)) throw error
    await printFailure(error, this.#io, { json: false })
  }

  /** Returns the next decision as it stands now, and the cursor behind it. */
  async #look(): Promise<{ readonly decision?: DecisionView | undefined; readonly next: string }> {
    const cursor = this.#left.at(-1)
    if (cursor === END) return { next: END }
    try {
      const found = (await this.#memory.call(decisions, { ...this.#wanted, limit: 1, cursor })) as Found
      const { kind } = this.#wanted
      this.#total ??= kind === undefined ? found.total : found.counts?.[kind]
      const decision = found.decisions.find((each) => kind !== undefined || needsPerson(each.kind))
      return { decision, next: found.cursor ?? END }
    } catch (error) {
      // The decision before went with its blocks.
      if (!ElfmemError.is(error) || this.#left.pop() === undefined) throw error
      return this.#look()
    }
  }

  async #obey(said: string, decision: DecisionView | undefined, next: string): Promise<void> {
    if (said === 'k') {
      if (this.#left.length === 0) this.#say('There is none before this one.')
      this.#left = this.#left.slice(0, -1)
    } else if (said === 'u') await this.#undo()
    else if (decision !== undefined && said === 'j') this.#left = [...this.#left, next]
    else if (decision !== undefined && said !== '') await this.#choose(said, decision)
  }

  async #choose(said: string, decision: DecisionView): Promise<void> {
    const { id, mark, choices } = decision
    const choice = choices.find(({ key, choice: name }) => key === said || name === said)
    if (choice === undefined) {
      const keys = choices.map(({ key }) => key).join(', ')
      this.#say(`${harmlessLine(said)} is none of ${keys}, j, k, u and q.`)
      return
    }
    const taken = await this.#taken(choice)
    if (taken === undefined || !(await this.#isMeant(decision, choice))) {
      this.#say('Nothing was decided.')
      return
    }
    const asked = { id, choice: choice.choice, mark, ...taken, scope: this.#wanted.scope }
    const output = await this.#memory.call(decide, asked)
    const { operationId } = output as { readonly operationId?: number }
    this.#made.push({ left: this.#left, operationId })
    this.#say(`✓ ${await spoken(decide, output, LANGUAGE)}`)
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

  async #undo(): Promise<void> {
    const last = this.#made.at(-1)
    if (last === undefined) {
      this.#say('Nothing was decided here yet.')
      return
    }
    const { operationId, left } = last
    const output = await this.#memory.call(undo, { operationId, scope: this.#wanted.scope })
    this.#made.pop()
    this.#left = left
    this.#say(`✓ ${await spoken(undo, output, LANGUAGE)}`)
  }

  #page(): Page {
    return pageFor(this.#io.stdout, this.#io)
  }

  #say(text: string): void {
    this.#io.stdout.write(`${setOnPage(text, this.#page())}\n`)
  }
}

/** The cursor behind the last decision. */
const END = ''
const LAST = 'That was the last. k goes back, u takes back the last decision, q ends.'

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
    '  j next, k back, u undo, q end',
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
