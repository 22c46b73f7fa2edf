import { setTimeout as sleep } from 'node:timers/promises'
import { defined, fenced } from '../block/text.ts'
import { Capture, type Captured } from '../frames/capture.ts'
import { questionOf } from '../language/pack.ts'
import { shortId } from '../operations/wording.ts'
import { HOOK_CLIENTS } from './clients/clients.ts'
import { fieldsOf, type HookEvent } from './event.ts'
import { type Asking, bearingOn, type Injected, selfFrame } from './inject.ts'
import { KeepRequests } from './keep-requests.ts'
import { HookLearning } from './learning.ts'
import type { HookMemories, HookOptions } from './memory.ts'
import { markOf, markOfText, ShownBefore } from './shown.ts'

/** The answer where there is nothing to say. */
const NOTHING_TO_SAY: object = Object.freeze({})
/** Sessions with work under way at once; what comes beyond them is not waited for. */
const SESSIONS_AT_ONCE = 64
/** Characters of the name of a session that a block keeps. */
const SESSION_MAX = 128

/** The addition of one event to a conversation: the parts that were there in time, and what is noted once they are delivered. */
class Answer {
  readonly #over = new AbortController()
  readonly #textOf: (answer: Answer) => string
  readonly parts: Injected[] = []
  /** The request to the agent to keep something; empty if there is none. */
  request = ''
  text = ''

  constructor(textOf: (answer: Answer) => string) {
    this.#textOf = textOf
  }

  /** Aborted when it is made: what still looks for something may stop. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  get isOver(): boolean {
    return this.signal.aborted
  }

  /** Adds parts, unless the answer is made: then they come too late, and were not shown. */
  add(...parts: readonly Injected[]): void {
    if (!this.isOver) this.parts.push(...parts)
  }

  /** Makes the text of the parts that are ready, once. */
  end(): void {
    if (this.isOver) return
    this.text = this.#textOf(this)
    this.#over.abort()
  }
}

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
  }

  /** Loads what the first prompt needs, so that it does not wait; nothing is written. */
  async warm(): Promise<void> {
    const look = { query: 'which of it bears on this', tokenBudget: 16, reinforce: false }
    await this.#memories.own.recall(look).catch(() => undefined)
  }

  /**
   * Answers one event; `{}` where there is nothing to say, for a client or an event that is not known, and for any failure.
   *
   * @param client the name of the client, such as `claude-code`
   * @param payload as the client gives it to its hooks: an object, or the JSON text of one
   * @param within milliseconds that are left of the budget; all of it unless given
   */
  async handle(client: string, payload: unknown, within = this.#options.budgetMs): Promise<object> {
    try {
      const known = HOOK_CLIENTS.get(client)
      const fields = fieldsOf(payload)
      const event = known?.read(fields)
      if (known === undefined || event === undefined || event.session === '') return NOTHING_TO_SAY
      const name = `${known.name} ${event.session}`
      // A text from a hook makes an agent that has stopped go on.
      const tells = event.kind === 'prompt' || event.kind === 'start'
      const answer = new Answer((made) =>
        this.#delivered(name, made, (tells && this.#untold.get(name)) || []),
      )
      const classes = known.role(fields) === 'system' ? this.#options.classes : undefined
      // What is late does not count as shown, but what was done counts.
      void this.#inTurn(name, () => this.#work(name, event, { answer, classes })).then(() => answer.end())
      await sleep(Math.max(0, within), undefined, { signal: answer.signal }).catch(() => undefined)
      answer.end()
      return answer.text === '' ? NOTHING_TO_SAY : known.answer(fields, answer.text)
    } catch {
      return NOTHING_TO_SAY
    }
  }

  /** Waits for work that outlived its answer, so that a memory may be closed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#queues.values())
    await this.#shown.written()
  }

  /** Runs work after that of the same session; its failure is nobody's. */
  #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(name)
    if (before === undefined && this.#queues.size >= SESSIONS_AT_ONCE) return Promise.resolve()
    const after = (before ?? Promise.resolve()).then(work).catch(() => undefined)
    this.#queues.set(name, after)
    void after.then(() => this.#queues.get(name) === after && this.#queues.delete(name))
    return after
  }

  async #work(name: string, event: HookEvent, adding: Adding): Promise<void> {
    const { answer } = adding
    switch (event.kind) {
      case 'start':
        if (event.isNew) this.#shown.forget(name)
        await this.#recall(name, '', adding)
        return this.#ask(name, answer)
      case 'prompt':
        answer.add({ text: this.#learning.lessonOf(name), blocks: [] })
        // The next event of the session sees what this one delivers.
        await this.#prompted(name, event, adding).finally(() => answer.end())
        if (!event.isOfAgent) await this.#requests.counted(name)
        return this.#learning.asked(
          name,
          event.text,
          answer.parts.flatMap(({ blocks }) => blocks),
        )
      case 'acted':
        answer.end()
        await this.#requests.counted(name)
        return this.#learning.acted(name, event.step)
      case 'remembered':
        answer.end()
        await this.#shown.of(name)
        return this.#shown.add(name, { ids: event.texts.map(markOfText) })
      case 'pause':
        if (event.mayGoOn) await this.#ask(name, answer, true)
        return this.#learning.paused(name, event.last).finally(() => answer.end())
      case 'compact':
        // What it was shown is gone from its conversation.
        this.#learning.compacted(name)
        return this.#shown.forget(name)
      case 'end':
        return this.#learning.ended(name)
    }
  }

  /** Finds what bears on a prompt, keeps what it says for good, and asks for what should last, if that is due. */
  async #prompted(
    name: string,
    { text, isOfAgent }: HookEvent & { readonly kind: 'prompt' },
    adding: Adding,
  ): Promise<void> {
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
    const shown = await this.#shown.of(name)
    const { perhaps, tokens } = this.#options
    const asking: Asking = {
      memories: this.#memories,
      shown: shown.ids,
      classes,
      perhaps,
      signal: answer.signal,
    }
    const self = shown.self ? undefined : await selfFrame(asking)
    if (self !== undefined) answer.add({ ...self, isSelf: true })
    if (question === '' || answer.isOver) return
    const ids = [...shown.ids, ...(self?.blocks ?? []).map(markOf)]
    answer.add(...(await bearingOn(question, tokens, { ...asking, shown: ids })))
  }

  /** The text of an answer; only what is delivered counts as shown. */
  #delivered(name: string, { parts, request }: Answer, captured: readonly Captured[]): string {
    const blocks = parts.flatMap((each) => each.blocks)
    const lines = [...parts.map(({ text }) => text), ...captured.map(({ line }) => line)]
    const text = fenced(
      lines.filter(Boolean).join('\n\n'),
      blocks.map(({ id }) => id),
    )
    if (captured.length > 0) this.#untold.delete(name)
    const ids = [...blocks.map(markOf), ...captured.flatMap((each) => each.ids.map(shortId))]
    const self = parts.some(({ isSelf, text: words }) => isSelf && words !== '')
    if (text !== '') this.#shown.add(name, { ids, ...(self && { self }) })
    if (request !== '') this.#shown.add(name, { isAsked: true })
    return [text, request].filter(Boolean).join('\n\n')
  }
}
