import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError } from '../../../errors.ts'
import { undo } from '../../../operations/correct/undo.ts'
import { decide } from '../../../operations/decide/decide.ts'
import { type DecisionView, needsPerson } from '../../../operations/decide/decision-view.ts'
import { decisions } from '../../../operations/decide/decisions.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { spoken } from '../../spoken.ts'
import { wireOf } from '../../wire.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { LANGUAGE, openCliMemory } from '../operation.ts'
import { jsonText, printFailure } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'
import { card } from './card.ts'

type Page = Awaited<ReturnType<typeof decisions.run>>
type Choice = DecisionView['choices'][number]
type Asking = CliIo & { readonly ask: NonNullable<CliIo['ask']> }
type Reached = Pick<CallableMemory, 'call'>
/** The decisions that are wanted. */
interface Wanted {
  readonly kind?: string
  readonly scope?: string
}

/** A terminal that is gone answers nothing for ever. */
const EMPTY_MOST = 2

/** Decides about what waits, one by one at a terminal; elsewhere it lists what waits and says how to decide. */
export async function runReview({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { kind, scope } = values
  const wanted: Wanted = {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
  }
  const { ask, stdout } = io
  const { memory } = await openCliMemory(decisions, global, io)
  try {
    if (ask === undefined || global.json || stdout.isTTY !== true) await list(memory, wanted, io, global.json)
    else await new Review(memory, wanted, { ...io, ask }).run()
    return EXIT_OK
  } finally {
    await memory.close()
  }
}

async function list(memory: Reached, wanted: Wanted, io: CliIo, json: boolean): Promise<void> {
  const output = (await memory.call(decisions, wanted)) as Page
  const lines = [
    await spoken(decisions, output, LANGUAGE),
    ...(output.decisions.length > 0 ? ['Decide with: elfmem decide ID --choice NAME'] : []),
    ...(output.cursor === undefined ? [] : [`For more: elfmem decisions --cursor ${output.cursor}`]),
  ]
  const text = json
    ? jsonText(wireOf(decisions).toOutput(output))
    : setOnPage(lines.join('\n'), pageFor(io.stdout, io))
  io.stdout.write(`${text}\n`)
}

/** Shows one decision after the other and does what is typed; nothing is chosen by leaving a line empty. */
class Review {
  readonly #memory: Reached
  readonly #wanted: Wanted
  readonly #io: Asking
  /** The ids of decisions that are still to be made. */
  #ids: string[] = []
  /** The decisions that were made, each with its place and the number that `undo` takes, if it has one. */
  readonly #made: {
    readonly id: string
    readonly place: number
    readonly operationId: number | undefined
  }[] = []
  #place = 0

  constructor(memory: Reached, wanted: Wanted, io: Asking) {
    this.#memory = memory
    this.#wanted = wanted
    this.#io = io
  }

  async run(): Promise<void> {
    this.#ids = await this.#waiting()
    let isShown = false
    for (let empty = 0; empty < EMPTY_MOST && this.#io.signal?.aborted !== true; ) {
      const decision = await this.#current()
      if (decision === undefined && this.#made.length === 0 && this.#place === 0) break
      if (!isShown) this.#show(decision)
      const said = (await this.#io.ask('>')).trim().toLowerCase()
      if (said === 'q') break
      empty = said === '' ? empty + 1 : 0
      isShown = (await this.#obey(said, decision)) === 'stay'
    }
    const [made, left] = [this.#made.length, this.#ids.length]
    const decided = made === 0 ? 'Nothing was decided' : `${count(made, 'decision')} made`
    const rest = left > 0 ? `${count(left, 'decision')} left` : 'none left'
    this.#say(made + left === 0 ? 'No decision waits for you.' : `${decided}; ${rest}.`)
  }

  /** Returns the ids of all that is wanted; if no kind was asked for, of all that only a person settles. */
  async #waiting(): Promise<string[]> {
    const ids: string[] = []
    for (let more = {}; ; ) {
      const page = await this.#read({ ...this.#wanted, ...more })
      const isWanted = ({ kind }: DecisionView) => this.#wanted.kind !== undefined || needsPerson(kind)
      const wanted = page.decisions.filter(isWanted)
      ids.push(...wanted.map(({ id }) => id))
      // The list begins with those that need a person.
      if (page.cursor === undefined || wanted.length < page.decisions.length) return ids
      more = { cursor: page.cursor }
    }
  }

  /** Reads the decision at the place as it stands now; one that is settled meanwhile is left out. */
  async #current(): Promise<DecisionView | undefined> {
    for (;;) {
      const id = this.#ids[this.#place]
      if (id === undefined) return undefined
      const found = await this.#read({ id }).catch((error: unknown) => {
        if (ElfmemError.is(error) && error.code === 'NOT_FOUND') return undefined
        throw error
      })
      const decision = found?.decisions[0]
      if (decision !== undefined && decision.choices.length > 0) return decision
      this.#ids.splice(this.#place, 1)
    }
  }

  #read(input: object): Promise<Page> {
    return this.#call(decisions, input) as Promise<Page>
  }

  #call(operation: Parameters<Reached['call']>[0], input: object): Promise<unknown> {
    const { scope } = this.#wanted
    return this.#memory.call(operation, { ...(scope === undefined ? {} : { scope }), ...input })
  }

  #show(decision: DecisionView | undefined): void {
    const { stdout } = this.#io
    const place = `${this.#made.length + this.#place + 1} of ${this.#made.length + this.#ids.length}`
    if (decision === undefined)
      this.#say('That was the last. k goes back, u takes back the last decision, q ends.')
    else stdout.write(`\n${card(decision, place, pageFor(stdout, this.#io))}\n`)
  }

  /** Does what was typed; returns `stay` if the same card goes on. */
  async #obey(said: string, decision: DecisionView | undefined): Promise<'stay' | undefined> {
    try {
      if (said === 'j') this.#place = Math.min(this.#place + 1, this.#ids.length)
      else if (said === 'u') return await this.#undo()
      else if (said === 'k') {
        if (this.#place === 0) return this.#stay('There is none before this one.')
        this.#place -= 1
      } else if (decision !== undefined && said !== '') return await this.#choose(said, decision)
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      await printFailure(error, this.#io, { json: false })
    }
    return undefined
  }

  async #choose(said: string, decision: DecisionView): Promise<'stay' | undefined> {
    const { id, mark, choices } = decision
    const choice = choices.find(({ key, choice: name }) => key === said || name === said)
    const keys = choices.map(({ key }) => key).join(', ')
    if (choice === undefined) return this.#stay(`${harmlessLine(said)} is none of ${keys}, j, k, u and q.`)
    const taken = await this.#taken(choice)
    if (taken === undefined || !(await this.#isMeant(decision, choice)))
      return this.#stay('Nothing was decided.')
    const output = await this.#call(decide, { id, choice: choice.choice, mark, ...taken })
    const { operationId } = output as { readonly operationId?: number }
    this.#made.push({ id, place: this.#place, operationId })
    this.#ids.splice(this.#place, 1)
    this.#say(`✓ ${await spoken(decide, output, LANGUAGE)}`)
    return undefined
  }

  /** Returns the words or the reason that a choice takes; undefined if it needs words and got none. */
  async #taken({ takes }: Choice): Promise<object | undefined> {
    if (takes === undefined) return {}
    const asked = takes === 'words' ? 'The words instead (empty: not now):' : 'Why? (empty: no reason)'
    const said = (await this.#io.ask(asked)).trim()
    if (said === '') return takes === 'words' ? undefined : {}
    return { [takes]: said }
  }

  /** Returns true if somebody says yes to a change of the agent or of trust; its words are shown in full first. */
  async #isMeant({ kind, by, change, first }: DecisionView, { choice, label }: Choice): Promise<boolean> {
    if (kind !== 'proposal' || choice === 'refuse') return true
    const words = change?.field === 'content' ? change.after : first?.content
    if (choice !== 'change')
      this.#say(`${harmlessLine(by ?? 'somebody')} proposed:\n${harmless(words ?? '')}`)
    return (await this.#io.ask(`${label}? Type yes:`)).trim().toLowerCase() === 'yes'
  }

  async #undo(): Promise<'stay' | undefined> {
    const last = this.#made.at(-1)
    if (last === undefined) return this.#stay('Nothing was decided here yet.')
    const { id, place, operationId } = last
    const output = await this.#call(undo, operationId === undefined ? {} : { operationId })
    this.#made.pop()
    this.#ids.splice(place, 0, id)
    this.#place = place
    this.#say(`✓ ${await spoken(undo, output, LANGUAGE)}`)
    return undefined
  }

  #stay(text: string): 'stay' {
    this.#say(text)
    return 'stay'
  }

  #say(text: string): void {
    this.#io.stdout.write(`${setOnPage(text, pageFor(this.#io.stdout, this.#io))}\n`)
  }
}
