import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError } from '../../../errors.ts'
import { undo } from '../../../operations/correct/undo.ts'
import { decide } from '../../../operations/decide/decide.ts'
import type { DecisionView } from '../../../operations/decide/decision-view.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { answerText } from '../../prose.ts'
import type { CliIo } from '../io.ts'
import { commandProse } from '../operation.ts'
import { printFailure } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'
import { card } from './card.ts'
import { Walk, type Wanted } from './walk.ts'

type Asking = CliIo & { readonly ask: NonNullable<CliIo['ask']> }
type Choice = DecisionView['choices'][number]

/** A terminal that is gone answers nothing for ever. */
const EMPTY_MOST = 2

/** Shows one decision after the other and does what is typed; nothing is chosen by leaving a line empty. */
export async function decideOneByOne(
  memory: Pick<CallableMemory, 'call'>,
  wanted: Wanted,
  io: Asking,
): Promise<void> {
  await new Review(memory, wanted, io).run()
}

class Review {
  readonly #memory: Pick<CallableMemory, 'call'>
  readonly #wanted: Wanted
  readonly #io: Asking
  readonly #walk: Walk
  /** The places of decisions that were made, in order, each with the number by which `undo` takes it back, if it has one. */
  readonly #decided: { readonly place: number; readonly operationId: number | undefined }[] = []
  readonly #gone = new Set<number>()
  #place = 0
  /** False: the card stands there still. */
  #isNew = true
  #failure: ElfmemError | undefined

  constructor(memory: Pick<CallableMemory, 'call'>, wanted: Wanted, io: Asking) {
    this.#memory = memory
    this.#wanted = wanted
    this.#io = io
    this.#walk = new Walk(memory, wanted)
  }

  async run(): Promise<void> {
    for (let empty = 0; empty < EMPTY_MOST && !this.#isInterrupted(); ) {
      const decision = await this.#current()
      if (decision === undefined && this.#decided.length === 0 && this.#place === this.#gone.size) break
      if (this.#isNew) this.#show(decision)
      await this.#tellFailure()
      const said = (await this.#io.ask('>')).trim().toLowerCase()
      if (said === 'q') break
      empty = said === '' ? empty + 1 : 0
      this.#isNew = true
      await this.#obey(said, decision)
    }
    this.#end()
  }

  /** The decision at the place, or the next that is still to be made. */
  async #current(): Promise<DecisionView | undefined> {
    for (;;) {
      const id = await this.#walk.at(this.#place)
      if (id === undefined) return undefined
      const decision = this.#isDone(this.#place) ? undefined : await this.#walk.look(id)
      if (decision !== undefined && decision.choices.length > 0) return decision
      if (!this.#isDone(this.#place)) this.#gone.add(this.#place)
      this.#place++
    }
  }

  #isDone(place: number): boolean {
    return this.#gone.has(place) || this.#decided.some((each) => each.place === place)
  }

  #show(decision: DecisionView | undefined): void {
    if (decision === undefined) {
      this.#say('That was the last. k goes back, u takes back the last decision, q ends.')
      return
    }
    const place = `${this.#place + 1} of ${Math.max(this.#walk.total, this.#place + 1)}`
    this.#io.stdout.write(`\n${card(decision, place, pageFor(this.#io.stdout, this.#io))}\n`)
  }

  async #obey(said: string, decision: DecisionView | undefined): Promise<void> {
    try {
      if (said === 'j') this.#place++
      else if (said === 'k') this.#back()
      else if (said === 'u') await this.#undo()
      else if (decision !== undefined && said !== '') await this.#choose(said, decision)
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      this.#failure = error
    }
  }

  /** Says what went wrong below the same decision, which may be another by now. */
  async #tellFailure(): Promise<void> {
    if (this.#failure !== undefined) await printFailure(this.#failure, this.#io, { json: false })
    this.#failure = undefined
  }

  /** Back to the last one before that is still to be made; there is none before the first. */
  #back(): void {
    for (let place = this.#place - 1; place >= 0; place--)
      if (!this.#isDone(place)) {
        this.#place = place
        return
      }
    this.#stay('There is none before this one.')
  }

  async #choose(said: string, decision: DecisionView): Promise<void> {
    const choice = decision.choices.find(({ key, choice: name }) => key === said || name === said)
    if (choice === undefined) {
      this.#stay(
        `${harmlessLine(said)} is none of ${decision.choices.map(({ key }) => key).join(', ')}, j, k, u and q.`,
      )
      return
    }
    const taken = await this.#taken(choice)
    if (taken === undefined || !(await this.#isMeant(decision, choice))) {
      this.#stay('Nothing was decided.')
      return
    }
    const { id, mark } = decision
    const scope = this.#wanted.scope === undefined ? {} : { scope: this.#wanted.scope }
    const output = await this.#memory.call(decide, { id, choice: choice.choice, mark, ...taken, ...scope })
    const { operationId } = output as { readonly operationId?: number }
    this.#decided.push({ place: this.#place, operationId })
    this.#say(`✓ ${await answerText(decide, output, commandProse)}`)
    this.#place++
  }

  /** The words or the reason that a choice takes; undefined if it needs words and got none. */
  async #taken({
    takes,
  }: Choice): Promise<{ readonly words?: string; readonly reason?: string } | undefined> {
    if (takes === undefined) return {}
    const asked = takes === 'words' ? 'The words instead (empty: not now):' : 'Why? (empty: no reason)'
    const said = (await this.#io.ask(asked)).trim()
    if (takes === 'words') return said === '' ? undefined : { words: said }
    return said === '' ? {} : { reason: said }
  }

  /** True when somebody says yes to what changes who the agent is, or raises trust; its words are shown in full first. */
  async #isMeant({ kind, by, change, first }: DecisionView, { choice, label }: Choice): Promise<boolean> {
    if (kind !== 'proposal' || choice === 'refuse') return true
    const words = change?.field === 'content' ? change.after : first?.content
    if (choice !== 'change')
      this.#say(`${harmlessLine(by ?? 'somebody')} proposed:\n${harmless(words ?? '')}`)
    return (await this.#io.ask(`${label}? Type yes:`)).trim().toLowerCase() === 'yes'
  }

  async #undo(): Promise<void> {
    const last = this.#decided.at(-1)
    if (last === undefined) {
      this.#stay('Nothing was decided here yet.')
      return
    }
    const scope = this.#wanted.scope === undefined ? {} : { scope: this.#wanted.scope }
    const number = last.operationId === undefined ? {} : { operationId: last.operationId }
    const output = await this.#memory.call(undo, { ...number, ...scope })
    this.#decided.pop()
    this.#place = last.place
    this.#say(`✓ ${await answerText(undo, output, commandProse)}`)
  }

  #isInterrupted(): boolean {
    return this.#io.signal?.aborted === true
  }

  #end(): void {
    const made = this.#decided.length
    const left = this.#walk.total - made - this.#gone.size
    const decided = made === 0 ? 'Nothing was decided' : `${count(made, 'decision')} made`
    this.#say(
      this.#walk.total === 0
        ? 'No decision waits for you.'
        : `${decided}; ${left > 0 ? `${count(left, 'decision')} left` : 'none left'}.`,
    )
  }

  /** Says something below the card, which is not shown again. */
  #stay(text: string): void {
    this.#isNew = false
    this.#say(text)
  }

  #say(text: string): void {
    this.#io.stdout.write(`${setOnPage(text, pageFor(this.#io.stdout, this.#io))}\n`)
  }
}
