import { randomUUID } from 'node:crypto'
import { defined } from '../block/text.ts'
import { HOOK_COUNTS, HOOK_COUNTS_MOST, type HookCounts } from '../engine/counts.ts'
import { Capture, type Captured } from '../frames/capture.ts'
import { questionOf } from '../language/pack.ts'
import { shortId } from '../operations/wording.ts'
import { HOOK_CLIENTS } from './clients/clients.ts'
import { fieldsOf, type HookEvent } from './event.ts'
import { type Asking, asContext, bearingOn, type Injected, selfFrame } from './inject.ts'
import { ASKED, KeepRequests } from './keep-requests.ts'
import { HookLearning } from './learning.ts'
import { type HookMemories, type HookOptions, putAmongNewest } from './memory.ts'
import { markOf, markOfText, NOTHING_SHOWN, type Shown, ShownBefore } from './shown.ts'

/** The answer where there is nothing to say. */
const NOTHING_TO_SAY: object = Object.freeze({})
/** Sessions with work under way at once; what comes beyond them is not waited for. */
const SESSIONS_AT_ONCE = 64
/** Characters of the name of a session that a block keeps. */
const SESSION_MAX = 128

/** The addition of one event to a conversation: the parts that were there in time, and what is noted once they are delivered. */
class Answer {
  readonly #controller = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly #parts: Injected[] = []
  readonly #textOf: (answer: Answer) => string
  #isOver = false
  shown: Pick<Shown, 'self' | 'ids' | 'counted'> = NOTHING_SHOWN
  /** The request to the agent to keep something; empty if there is none. */
  request = ''
  text = ''

  constructor(textOf: (answer: Answer) => string) {
    this.#textOf = textOf
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when it is made. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Aborted when it is made: what still looks for something may stop. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get parts(): readonly Injected[] {
    return this.#parts
  }

  /** Adds parts, unless the answer is made: then they come too late, and were not shown. */
  add(...parts: readonly Injected[]): void {
    if (!this.#isOver) this.#parts.push(...parts)
  }

  /** Makes the text of the parts that are ready, once. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.text = this.#textOf(this)
    this.#controller.abort()
    this.#ended.resolve()
  }
}

type Prompt = HookEvent & { readonly kind: 'prompt' }

/** The answer that an event gets, and whose words may stand in it. */
interface Adding {
  readonly answer: Answer
  readonly classes: Asking['classes']
}

/**
 * Answers the hooks of coding agents: what they tell of a session becomes memory in its conversation. Whatever happens, there is
 * an answer within the budget, and none is an error: a client waits for it.
 */
export class Hooks {
  readonly #memories: HookMemories
  readonly #options: HookOptions
  readonly #shown: ShownBefore
  readonly #learning: HookLearning
  readonly #capture: Capture
  readonly #requests: KeepRequests
  /** Captured messages by session, as long as no answer told of them. */
  readonly #untold = new Map<string, Captured[]>()
  /** The work of each session, one event after the other. */
  readonly #queues = new Map<string, Promise<void>>()
  readonly #tally: HookTally

  constructor(memories: HookMemories, options: HookOptions) {
    this.#memories = memories
    this.#options = options
    this.#shown = new ShownBefore(memories)
    this.#learning = new HookLearning(memories)
    const { instructions, undo } = options
    const isOn = memories.mayWrite ? instructions : false
    // A program may hand over prompts of anybody, also in a memory of the owner.
    this.#capture = new Capture(memories.own, { sourceClass: 'agent', ...defined({ isOn, undo }) })
    this.#requests = new KeepRequests(memories, this.#shown, options.ask)
    this.#tally = new HookTally(memories)
  }

  /** Loads what the first prompt needs, so that it does not wait; nothing is written. */
  async warm(): Promise<void> {
    const look = { query: 'which of it bears on this', tokenBudget: 16, reinforce: false }
    await this.#memories.own.recall(look).catch(() => undefined)
  }

  /** The counts of events that were answered, late or failed so far. */
  get counts(): HookCounts {
    return this.#tally.counts
  }

  /**
   * Answers one event; `{}` where there is nothing to say, for a client or an event that is not known, and for any failure.
   *
   * @param client the name of the client, such as `claude-code`
   * @param payload as the client gives it to its hooks: an object, or the JSON text of one
   * @param within milliseconds that are left of the budget; all of it unless given
   */
  async handle(client: string, payload: unknown, within = this.#options.budgetMs): Promise<object> {
    const known = HOOK_CLIENTS.get(client)
    if (known === undefined) return NOTHING_TO_SAY
    try {
      const fields = fieldsOf(payload)
      const event = known.read(fields)
      if (event === undefined || event.session === '') return NOTHING_TO_SAY
      this.#tally.count('handled')
      const allowed = known.role(fields) === 'system' ? this.#options.classes : undefined
      const context = await this.#contextFor(`${known.name} ${event.session}`, event, {
        classes: allowed,
        within,
      })
      return context === '' ? NOTHING_TO_SAY : known.answer(fields, context)
    } catch {
      this.#tally.count('failed')
      return NOTHING_TO_SAY
    }
  }

  /** Waits for work that outlived its answer, so that a memory may be closed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#queues.values())
    await this.#shown.written()
    await this.#tally.keep()
  }

  /** Returns the parts that are ready when the answer is made, or when the budget is over. */
  async #contextFor(
    name: string,
    event: HookEvent,
    { classes, within }: Pick<Asking, 'classes'> & { readonly within: number },
  ): Promise<string> {
    // A text from a hook makes an agent that has stopped go on.
    const tells = event.kind === 'prompt' || event.kind === 'start'
    const answer = new Answer((made) => this.#delivered(name, made, (tells && this.#untold.get(name)) || []))
    // What was late to begin does not count as shown, but what was done counts.
    const work = this.#inTurn(name, () => this.#work(name, event, { answer, classes }))
    void work.then(() => answer.end())
    if (await isOverBudget(answer.ended, within)) this.#tally.count('late')
    answer.end()
    return answer.text
  }

  /** Runs work after that of the same session; failures are counted, and are nobody's. */
  #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(name)
    if (before === undefined && this.#queues.size >= SESSIONS_AT_ONCE) return Promise.resolve()
    const after = (before ?? Promise.resolve()).then(work).catch(() => {
      this.#tally.count('failed')
    })
    this.#queues.set(name, after)
    void after.then(() => this.#queues.get(name) === after && this.#queues.delete(name))
    return after
  }

  async #work(name: string, event: HookEvent, adding: Adding): Promise<void> {
    const { answer } = adding
    switch (event.kind) {
      case 'start':
        await this.#shown.of(name)
        if (event.isNew) this.#shown.change(name, NOTHING_SHOWN)
        await this.#recall(name, '', adding)
        return this.#ask(name, answer)
      case 'prompt':
        answer.add({ text: this.#learning.lessonOf(name), blocks: [], held: [] })
        // The next event of the session sees what this one delivers.
        await this.#prompted(name, event, adding).finally(() => answer.end())
        if (!event.isOfAgent) await this.#requests.counted(name, 1, true)
        return this.#learning.asked(
          name,
          event.text,
          answer.parts.flatMap(({ blocks }) => blocks),
        )
      case 'acted':
        answer.end()
        await this.#requests.counted(name, 1, false)
        return this.#learning.acted(name, event.step)
      case 'remembered': {
        answer.end()
        const before = await this.#shown.of(name)
        return this.#shown.change(name, { ids: [...before.ids, ...event.texts.map(markOfText)] })
      }
      case 'pause':
        for (const step of event.steps ?? []) this.#learning.acted(name, step)
        await this.#requests.counted(name, event.steps?.length ?? 0, true)
        if (event.mayGoOn) await this.#ask(name, answer, true)
        await this.#learning.paused(name, event.last).finally(() => answer.end())
        return this.#tally.hasTrouble ? this.#tally.keep() : undefined
      case 'compact':
        // What it was shown is gone from its conversation.
        this.#learning.compacted(name)
        await this.#shown.of(name)
        return this.#shown.change(name, NOTHING_SHOWN)
      case 'end':
        this.#learning.ended(name)
        answer.end()
        return this.#tally.keep()
    }
  }

  /** Finds what bears on a prompt, keeps what it says for good, and asks for what should last, if that is due. */
  async #prompted(name: string, { text, isOfAgent }: Prompt, adding: Adding): Promise<void> {
    const recalling = this.#recall(name, questionOf(text), adding)
    if (isOfAgent) return recalling
    // A recall that took too long, or failed, costs no words of the user.
    await recalling.finally(() => this.#keep(name, text))
    return this.#ask(name, adding.answer)
  }

  /** Keeps what a user says for good; the next answer that is made tells of it. */
  async #keep(name: string, text: string): Promise<void> {
    const captured = await this.#capture.taken(name.slice(0, SESSION_MAX), text)
    if (captured.ids.length === 0) return
    this.#untold.set(name, [...(this.#untold.get(name) ?? []), captured])
    const [oldest = ''] = this.#untold.keys()
    if (this.#untold.size > SESSIONS_AT_ONCE) this.#untold.delete(oldest)
  }

  /** Asks for what should last, if that is due and there is still an answer to ask in. */
  async #ask(name: string, answer: Answer, isPause = false): Promise<void> {
    const request = answer.isOver ? '' : await this.#requests.due(name, isPause)
    if (!answer.isOver) answer.request = request
  }

  /** Finds who the agent is, unless the session knows, and what bears on a question, without what it was shown. */
  async #recall(name: string, question: string, { answer, classes }: Adding): Promise<void> {
    if (answer.isOver) return
    const before = await this.#shown.of(name)
    answer.shown = before
    const asking: Asking = {
      memories: this.#memories,
      shown: before,
      classes,
      perhaps: this.#options.perhaps,
      signal: answer.signal,
    }
    const self = before.self ? undefined : await selfFrame(asking)
    if (self !== undefined && self.text !== '') {
      answer.add(self)
      answer.shown = { ...before, self: true }
    }
    if (question === '' || answer.isOver) return
    const ids = [...before.ids, ...(self?.blocks ?? []).map(markOf)]
    answer.add(...(await bearingOn(question, this.#options.tokens, { ...asking, shown: { ...before, ids } })))
  }

  /** The text of an answer; only what is delivered counts as shown. */
  #delivered(name: string, { parts, shown, request }: Answer, captured: readonly Captured[]): string {
    const text = asContext(
      parts,
      shown.counted,
      captured.map(({ line }) => line),
    )
    if (captured.length > 0) this.#untold.delete(name)
    if (text !== '')
      this.#shown.change(name, {
        self: shown.self,
        ids: [
          ...shown.ids,
          ...parts.flatMap(({ blocks }) => blocks.map(markOf)),
          ...captured.flatMap(({ ids }) => ids.map(shortId)),
        ],
        counted: [...shown.counted, ...parts.flatMap(({ held }) => held.map(shortId))],
      })
    if (request !== '') this.#shown.change(name, ASKED)
    return [text, request].filter(Boolean).join('\n\n')
  }
}

/** True if the budget was over before the work. */
async function isOverBudget(work: Promise<void>, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), Math.max(0, milliseconds))
  void work.then(() => resolve(false))
  const isLate = await promise
  clearTimeout(timer)
  return isLate
}

const { space, namespace } = HOOK_COUNTS

/** Counts how the hooks of this process go, and keeps it as a named item, so that `status` and `doctor` tell of it anywhere. */
class HookTally {
  readonly #memories: HookMemories
  readonly #key = randomUUID()
  readonly #counts = { handled: 0, late: 0, failed: 0 }
  /** The counts as they were saved last. */
  #kept: HookCounts = { ...this.#counts }

  constructor(memories: HookMemories) {
    this.#memories = memories
  }

  /** The counts of this process. */
  get counts(): HookCounts {
    return { ...this.#counts }
  }

  /** Adds one. */
  count(what: keyof HookCounts): void {
    this.#counts[what] += 1
  }

  /** True if something went wrong that is not kept yet. */
  get hasTrouble(): boolean {
    return this.#counts.late > this.#kept.late || this.#counts.failed > this.#kept.failed
  }

  /** Keeps the counts, if there are any new ones and it may; a failure costs that they are not known elsewhere. */
  async keep(): Promise<void> {
    const { counts } = this
    const { own, mayWrite } = this.#memories
    if (!mayWrite || counts.handled === this.#kept.handled) return
    const before = this.#kept
    this.#kept = counts
    const items = own.items(space, { undoable: false })
    const put = { namespace, key: this.#key, value: counts }
    await putAmongNewest(items, put, HOOK_COUNTS_MOST).catch(() => {
      this.#kept = before
    })
  }
}
