import { defined, fenced } from '../block/text.ts'
import { Capture } from '../frames/capture.ts'
import { questionOf } from '../language/pack.ts'
import { shortId } from '../operations/wording.ts'
import { HOOK_CLIENTS } from './clients/clients.ts'
import { fieldsOf, type HookEvent } from './event.ts'
import { type Asking, bearingOn, type Injected, selfFrame } from './inject.ts'
import { KeepRequests } from './keep-requests.ts'
import { HookLearning } from './learning.ts'
import type { HookMemories, HookOptions } from './memory.ts'
import type { Session, ShownBlock } from './session.ts'
import { markOf, markOfText, NOTHING_SHOWN, readShown, type Shown, withMore, writeShown } from './shown.ts'

/** The answer where there is nothing to say. */
const NOTHING_TO_SAY: object = Object.freeze({})
/** The most sessions that this process knows, and the most events at once; a further event is dropped. */
const MOST = { sessions: 256, events: 256 }
/** Characters of the name of a session that a block keeps. */
const SESSION_MAX = 128
/** Events for which the client does not wait. */
const SILENT: ReadonlySet<HookEvent['kind']> = new Set(['acted', 'remembered', 'compact', 'end'])

/** The answer to one event: source classes that it may show, and the signal that ends it. */
interface Answering {
  readonly classes: Asking['classes']
  /** Aborted when it is too late. */
  readonly signal: AbortSignal
  /** Answers with a text; without effect if there is an answer. */
  readonly reply: (text: string) => void
}

/** The addition to a conversation: parts of the memory, and the request to keep something. */
interface Addition {
  readonly parts?: readonly Injected[]
  readonly request?: string
}

/**
 * Answers the hooks of coding agents: what they tell of a session becomes memory in its conversation. Whatever happens, there is
 * an answer within the budget, and none is an error: a client waits for it.
 */
export class Hooks {
  readonly #memories: HookMemories
  readonly #options: HookOptions
  readonly #learning: HookLearning
  readonly #capture: Capture
  readonly #requests: KeepRequests
  /** Sessions by name; the session with the newest event stands at the end. */
  readonly #sessions = new Map<string, Session>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(memories: HookMemories, options: HookOptions) {
    this.#memories = memories
    this.#options = options
    this.#learning = new HookLearning(memories)
    const { instructions, undo } = options
    const isOn = memories.mayWrite ? instructions : false
    // A program may hand over prompts of anybody, also in a memory of the owner.
    this.#capture = new Capture(memories.own, { sourceClass: 'agent', ...defined({ isOn, undo }) })
    this.#requests = new KeepRequests(memories, options.ask)
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
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), Math.max(0, within))
    try {
      const known = HOOK_CLIENTS.get(client)
      const fields = fieldsOf(payload)
      const event = known?.read(fields)
      if (known === undefined || event === undefined || event.session === '') return NOTHING_TO_SAY
      const text = await new Promise<string>((reply) => {
        const classes = known.role(fields) === 'system' ? this.#options.classes : undefined
        const answering = { classes, signal: late.signal, reply }
        late.signal.addEventListener('abort', () => reply(''))
        if (SILENT.has(event.kind)) reply('')
        void this.#inTurn(`${known.name} ${event.session}`, event, answering).then(() => reply(''))
      })
      return text === '' ? NOTHING_TO_SAY : known.answer(fields, text)
    } catch {
      return NOTHING_TO_SAY
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits for work that outlived its answer, so that a memory may be closed. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  /** Works on an event after earlier ones of its session. Failures are dropped, since hooks must not fail a client. */
  async #inTurn(name: string, event: HookEvent, answering: Answering): Promise<void> {
    if (this.#underWay.size >= MOST.events) return
    const session = this.#sessionOf(name)
    const work = session.work.then(() => this.#work(session, event, answering)).catch(() => undefined)
    session.work = work
    this.#underWay.add(work)
    await work
    this.#underWay.delete(work)
  }

  #sessionOf(name: string): Session {
    const known: Session = this.#sessions.get(name) ?? {
      ...{ name, work: Promise.resolve(), count: { steps: 0 }, untold: [] },
    }
    this.#sessions.delete(name)
    this.#sessions.set(name, known)
    const [oldest = ''] = this.#sessions.keys()
    if (this.#sessions.size > MOST.sessions) this.#sessions.delete(oldest)
    return known
  }

  async #work(session: Session, event: HookEvent, answering: Answering): Promise<void> {
    const before = await this.#shownTo(session)
    try {
      await this.#changed(session, event, answering)
    } finally {
      const { shown = before } = session
      if (shown !== before && this.#memories.mayWrite) await writeShown(this.#memories, session.name, shown)
    }
  }

  async #changed(session: Session, event: HookEvent, answering: Answering): Promise<void> {
    switch (event.kind) {
      case 'start': {
        if (event.isNew) session.shown = NOTHING_SHOWN
        const parts = await this.#recalled(session, '', answering)
        const request = await this.#requests.due(session, false)
        this.#deliver(session, { parts, request }, answering)
        return
      }
      case 'prompt':
        return this.#prompted(session, event, answering)
      case 'acted':
        await this.#requests.counted(session)
        return this.#learning.acted(session, event.step)
      case 'remembered':
        return this.#note(session, { ids: event.texts.map(markOfText) })
      case 'pause': {
        const request = event.mayGoOn ? await this.#requests.due(session, true) : ''
        await this.#learning.paused(session, event.last).catch(() => undefined)
        // A text from a hook makes a stopped agent go on, so it gets the request alone.
        if (request !== '') this.#deliver(session, { request }, answering)
        return
      }
      case 'compact':
        // The conversation no longer holds the blocks that it was shown.
        if (session.running !== undefined) session.running = { ...session.running, blocks: [] }
        session.shown = NOTHING_SHOWN
        return
      case 'end':
        session.running = undefined
    }
  }

  /** Finds what bears on a prompt, keeps what it says for good, and asks for what should last, if that is due. */
  async #prompted(
    session: Session,
    { text, isOfAgent }: HookEvent & { readonly kind: 'prompt' },
    answering: Answering,
  ): Promise<void> {
    const lesson = { text: session.running?.lesson ?? '', blocks: [] }
    // A recall that took too long, or failed, costs no words of the user.
    const parts = await this.#recalled(session, questionOf(text), answering).catch(() => [])
    if (!isOfAgent) await this.#keep(session, text)
    const request = isOfAgent ? '' : await this.#requests.due(session, false)
    // The next event of the session sees what this one delivers.
    const shown = this.#deliver(session, { parts: [lesson, ...parts], request }, answering)
    if (!isOfAgent) await this.#requests.counted(session)
    return this.#learning.asked(session, text, shown)
  }

  /** Keeps what a user says for good; the next answer that is made tells of it. */
  async #keep(session: Session, text: string): Promise<void> {
    const captured = await this.#capture.taken(session.name.slice(0, SESSION_MAX), text)
    if (captured.ids.length > 0) session.untold = [...session.untold, captured]
  }

  /** Finds who the agent is, unless the session knows, and what bears on a question, without what it was shown. */
  async #recalled(session: Session, question: string, answering: Answering): Promise<Injected[]> {
    const { classes, signal } = answering
    if (signal.aborted) return []
    const shown = await this.#shownTo(session)
    const { perhaps, tokens } = this.#options
    const asking: Asking = { memories: this.#memories, shown: shown.ids, classes, perhaps, signal }
    const self = shown.self ? [] : [{ ...(await selfFrame(asking)), isSelf: true }]
    if (question === '') return self
    const ids = [...shown.ids, ...self.flatMap(({ blocks }) => blocks.map(markOf))]
    return [...self, ...(await bearingOn(question, tokens, { ...asking, shown: ids }))]
  }

  /** Answers with what is said, unless it is too late; returns the blocks that were shown. */
  #deliver(session: Session, { parts = [], request = '' }: Addition, answering: Answering): ShownBlock[] {
    if (answering.signal.aborted) return []
    const captured = request !== '' && parts.length === 0 ? [] : session.untold
    const blocks = parts.flatMap((each) => each.blocks)
    const lines = [...parts.map(({ text }) => text), ...captured.map(({ line }) => line)]
    const text = fenced(
      lines.filter(Boolean).join('\n\n'),
      blocks.map(({ id }) => id),
    )
    const ids = [...blocks.map(markOf), ...captured.flatMap((each) => each.ids.map(shortId))]
    const self = parts.some(({ isSelf, text: words }) => isSelf && words !== '')
    if (captured.length > 0) session.untold = []
    if (text !== '') this.#note(session, { ids, ...(self && { self }) })
    if (request !== '') this.#note(session, { isAsked: true })
    answering.reply([text, request].filter(Boolean).join('\n\n'))
    return blocks
  }

  /** Notes what else a session was shown. */
  #note(session: Session, more: Partial<Shown>): void {
    session.shown = withMore(session.shown ?? NOTHING_SHOWN, more)
  }

  async #shownTo(session: Session): Promise<Shown> {
    session.shown ??= await readShown(this.#memories, session.name).catch(() => NOTHING_SHOWN)
    return session.shown
  }
}
