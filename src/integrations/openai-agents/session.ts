import { createHash, createHmac, randomUUID } from 'node:crypto'
import type {
  AgentInputItem,
  Session,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents'
import type { Memory } from '../../engine/memory.ts'
import { ElfmemError } from '../../errors.ts'
import type { CaptureMemory } from '../../frames/capture.ts'
import { type CapturingOptions, captureFrom } from '../shared/capturing.ts'
import { mustBeOpen, mustTake, taken } from '../shared/check-options.ts'
import { isConversationName } from '../shared/conversation-name.ts'
import { mustMayTrust } from '../shared/turns.ts'
import { type Change, changeHistory, type History, type NumberedItem, readHistory } from './history.ts'
import { changeOf, otherEnd, otherTransaction } from './transaction.ts'
import { canonical, encoded, saidIn, turnsIn } from './transcript.ts'

/** The options of a session. */
export interface ElfmemSessionOptions extends CapturingOptions {
  /** Tells the conversation from all others; a random one unless given. */
  readonly sessionId?: string
  /** `none`: messages are kept as a transcript alone; unless given each is also found by `recall`. */
  readonly remember?: 'turns' | 'none'
  /** True: `clearSession` also forgets what was said. */
  readonly forgetOnClear?: boolean
  /** The scope it is of, in a memory without one. */
  readonly scope?: string
}

type Items = ReturnType<Memory['items']>
type Step = Parameters<Items['batch']>[0][number]

/** The space of conversations. */
const SPACE = 'session'
/** The namespace of transactions that were applied, inside that of the session. */
const APPLIED = 'applied'
/** A transaction is known for so long. */
const KNOWN_MS = 30 * 24 * 3_600_000
/** Old transactions that are let go of when a new one comes. */
const LET_GO = 20
/** Items that one transaction clears; a memory takes 10,000 writes in one. */
const CLEARED = 5_000
/** Transactions that one list returns. */
const LISTED = 1_000

/**
 * A session of the OpenAI Agents SDK in a memory: the transcript of a conversation, which goes on after a restart and in several
 * processes at once. Each message of the user and of the model is also a block of category `turn`, which `recall` finds in
 * every conversation, and instructions and preferences that the user states for good are kept, unless `capture` is false. Frames of
 * remembered text are part of the transcript and never a block. Errors are those of the
 * memory (`ElfmemError`).
 */
export class ElfmemSession implements Session, SessionHistoryTransactionAwareSession {
  readonly #items: Items
  readonly #memory: Partial<CaptureMemory>
  readonly #capturing: CapturingOptions & Pick<ElfmemSessionOptions, 'scope'>
  readonly #id: string
  readonly #options: Required<Pick<ElfmemSessionOptions, 'remember' | 'trustUser' | 'forgetOnClear'>>
  /** The last change of this object: the next one begins after it. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(memory: Pick<Memory, 'items'> & Partial<CaptureMemory>, options: ElfmemSessionOptions = {}) {
    mustBeOpen(memory, 'items')
    mustTake('ElfmemSession', options, {
      shape: {
        ...{ sessionId: taken.anything, scope: taken.anything, remember: taken.oneOf('turns', 'none') },
        ...{ trustUser: taken.flag, forgetOnClear: taken.flag, capture: taken.capture },
      },
      example: "new ElfmemSession(memory, { sessionId: 'support-42' })",
    })
    const {
      sessionId = randomUUID(),
      scope,
      remember = 'turns',
      trustUser = false,
      forgetOnClear = false,
    } = options
    if (typeof sessionId !== 'string' || sessionId === '')
      throw new ElfmemError('INVALID_INPUT', 'The id of a session is a text that is not empty.', {
        recovery: 'Leave it out for a random one.',
      })
    if (remember !== 'none' && !isConversationName(sessionId))
      throw new ElfmemError(
        'INVALID_INPUT',
        'Turns are remembered under a session id of 1 to 128 characters without NUL and U+001F.',
        { recovery: "Pass a shorter one, or remember: 'none', which keeps the transcript alone." },
      )
    mustMayTrust(memory, trustUser)
    // An agent that takes back what it did last means no part of the transcript.
    this.#items = memory.items(SPACE, { undoable: false, ...(scope === undefined ? {} : { scope }) })
    this.#memory = memory
    this.#capturing = options
    this.#id = sessionId
    this.#options = { remember, trustUser, forgetOnClear }
  }

  /** Returns the id of the conversation. */
  async getSessionId(): Promise<string> {
    return this.#id
  }

  /** Returns the newest items, the oldest first: all, or at most `limit`. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return []
    await this.#last
    const most = Math.ceil(limit ?? 0) || Number.POSITIVE_INFINITY
    const { items } = await readHistory(this.#items, this.#id, most)
    return items.map(({ item }) => item)
  }

  /** Appends items, all or none; those of other processes stand before or behind them. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return
    await this.#capture(items)
    await this.#change(0, async ({ length }) => ({
      ...{ steps: this.#added(length, items), length: length + items.length, result: undefined },
    }))
  }

  /** Takes the newest item out and forgets its blocks; undefined if there is none. */
  popItem(): Promise<AgentInputItem | undefined> {
    return this.#change(1, async ({ length, items: [newest] }) =>
      newest === undefined
        ? { steps: [], length, result: undefined }
        : { steps: [this.#removed(newest, false)], length: newest.number, result: newest.item },
    )
  }

  /** Takes all items out. Blocks stay, so what was said can be recalled, unless the session has `forgetOnClear`. */
  async clearSession(): Promise<void> {
    const keepTexts = !this.#options.forgetOnClear
    for (let isLeft = true; isLeft; )
      isLeft = await this.#change(CLEARED, async ({ items }) => {
        const { items: known } = await this.#items.list({ namespace: [this.#id, APPLIED], limit: LISTED })
        const isMore = items.length === CLEARED || known.length === LISTED
        const steps = [...items.map((each) => this.#removed(each, keepTexts)), ...known.map(deleted)]
        return { steps, length: isMore ? (items[0]?.number ?? 0) : 0, result: isMore }
      })
  }

  /** Puts other items in the place of all, in one transaction. All that was said stays to be recalled. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    await this.#change(Number.POSITIVE_INFINITY, async (history) => {
      const removed = history.items.map((each) => this.#removed(each, true))
      const known = history.items.map(({ item }) => canonical(encoded(item)))
      const added = this.#added(0, items, { known, keepTexts: true })
      return { steps: [...removed, ...added], length: items.length, result: undefined }
    })
  }

  /**
   * Applies a change of the history, all or nothing. A change that was applied within the last 30 days is not applied again. Refuses
   * with `CONFLICT` another change under the same id, and an end of the history that is not the expected one.
   */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    const { expected, added } = changeOf(operationId, transaction)
    await this.#capture(added)
    const namespace = [this.#id, APPLIED]
    const key = createHash('sha256').update(operationId).digest('hex')
    // Keyed, so that nobody who has the file can guess a secret that was taken out of the transcript.
    const value = createHmac('sha256', operationId).update(canonical(transaction)).digest('hex')
    await this.#change(expected.length, async ({ length, items, changedAt = '' }) => {
      const [known, old] = await Promise.all([
        this.#items.get({ namespace, key }),
        this.#items.list({ namespace, limit: LET_GO }),
      ])
      if (known?.value === value) return { steps: [], length, result: undefined }
      if (known !== undefined) throw otherTransaction()
      if (canonical(items.map(({ item }) => encoded(item))) !== canonical(expected.map(encoded)))
        throw otherEnd()
      const start = items[0]?.number ?? length
      const outdated = old.items.filter(
        ({ createdAt }) => Date.parse(changedAt) - Date.parse(createdAt) > KNOWN_MS,
      )
      const steps: Step[] = [
        ...items.map((each) => this.#removed(each, false)),
        ...this.#added(start, added),
        ...outdated.map(deleted),
        { do: 'put', namespace, key, value },
      ]
      return { steps, length: start + added.length, result: undefined }
    })
  }

  /** Keeps what the user says for good in new items, before a turn takes the place of the same words. */
  async #capture(items: readonly AgentInputItem[]): Promise<void> {
    const { scope } = this.#capturing
    for (const { role, text } of items.flatMap((item) => saidIn(item) ?? []))
      if (role === 'user')
        await captureFrom(this.#memory, { session: this.#id, text, scope }, this.#capturing)
  }

  #change<T>(limit: number, decide: (history: History) => Promise<Change<T>>): Promise<T> {
    const work = () => changeHistory(this.#items, { session: this.#id, limit }, decide)
    const change = this.#last.then(work)
    this.#last = change.catch(() => undefined)
    return change
  }

  /**
   * The steps that put items from a number on.
   *
   * @param known items that were in the transcript before, whose words are blocks already
   */
  #added(
    start: number,
    items: readonly AgentInputItem[],
    { known = [], keepTexts = false }: { readonly known?: string[]; readonly keepTexts?: boolean } = {},
  ): Step[] {
    const { remember, trustUser } = this.#options
    return items.map((item, at) => {
      const value = encoded(item)
      const same = known.indexOf(canonical(value))
      if (same >= 0) known.splice(same, 1)
      const texts = remember === 'none' || same >= 0 ? [] : turnsIn(item, { session: this.#id, trustUser })
      return { do: 'put', ...this.#place(start + at), value, texts, keepTexts }
    })
  }

  #removed({ number }: NumberedItem, keepTexts: boolean): Step {
    return { do: 'delete', ...this.#place(number), keepTexts }
  }

  #place(number: number) {
    return { namespace: [this.#id], key: String(number) }
  }
}

function deleted({ namespace, key }: { readonly namespace: readonly string[]; readonly key: string }): Step {
  return { do: 'delete', namespace, key }
}
