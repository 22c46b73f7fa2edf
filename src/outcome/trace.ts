import { defined, normalised, withoutFences } from '../block/text.ts'

/** A shown block has the content that a frame showed. */
export interface ShownBlock {
  /** The whole id. */
  readonly id: string
  readonly content: string
}

/** A trace event follows a recall: a tool call that ended, words of the agent, or the user's next message, which ends the trace. */
export type TraceEvent =
  | Step
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string }

/** A tool call is one call of an agent. It has no place for the tool's answer, which is nobody's word about a block. */
export interface ToolCall {
  readonly tool: string
  /** A command, the new text of an edit, or arguments as JSON. */
  readonly input: string
  /** True if `input` is a line of a shell. */
  readonly isCommand?: boolean | undefined
  /** Path of the file that the call changed. */
  readonly edited?: string | undefined
  /** False if the call failed: an error, or an exit code other than 0. */
  readonly ok: boolean
}

/** A step of a trace is a tool call that ended. */
export type Step = { readonly kind: 'tool' } & ToolCall

/** A trace has the blocks recalled for one message of a user, and the events until the next message. It is plain data. */
export interface Trace {
  readonly conversation: string
  readonly message: string
  /** Text of the message. */
  readonly asked: string
  /** The recall that showed the blocks, as its answer names it. */
  readonly recallId?: string | undefined
  /** The blocks in the order in which they were shown. */
  readonly blocks: readonly ShownBlock[]
  readonly did: readonly Step[]
  /** The end of the agent's words. */
  readonly answer: string
  /** The user's next message. */
  readonly reply: string
}

/**
 * The bounds of a trace are characters of one input, characters of the end of the answer and of the beginning of the reply, and steps, of
 * which the oldest go first.
 */
export const TRACE_BOUNDS = { inputCharacters: 2_000, answerCharacters: 1_000, steps: 200 } as const

/** A command line that runs elfmem, or names it as a word by itself. */
const RUNS_MEMORY = /(?:^|[\s;&|]|npm:|bin\/)elfmem(?:@\S*)?(?:\s|$)/

/** Returns the beginning of a trace, for the blocks that were recalled for a message. */
export function beganTrace(
  began: Pick<Trace, 'conversation' | 'message' | 'asked' | 'blocks' | 'recallId'>,
): Trace {
  const { conversation, message, recallId } = began
  const blocks = [...new Map(began.blocks.map(({ id, content }) => [id, { id, content }])).values()]
  const asked = own(began.asked)
  return { conversation, message, asked, blocks, ...defined({ recallId }), did: [], answer: '', reply: '' }
}

/**
 * Returns the trace with one more event. Long texts are cut. Fenced memory in a text is not the agent's word, and the memory's own tools
 * report by themselves, so both are left out.
 */
export function withEvent(trace: Trace, event: TraceEvent): Trace {
  const { inputCharacters, answerCharacters, steps } = TRACE_BOUNDS
  if (event.kind === 'answer') {
    const answer = [trace.answer, own(event.text)].filter((text) => text !== '').join('\n')
    return { ...trace, answer: answer.slice(-answerCharacters) }
  }
  if (event.kind === 'reply') return { ...trace, reply: own(event.text).slice(0, answerCharacters) }
  if (/elfmem/i.test(event.tool) || (event.isCommand && RUNS_MEMORY.test(event.input))) return trace
  const step = { ...event, input: own(event.input).slice(0, inputCharacters) }
  return { ...trace, did: [...trace.did, step].slice(-steps) }
}

function own(text: string): string {
  return withoutFences(text).text
}

/**
 * The signals of a trace have the verdict that each gives, and the number of reports that it counts for. The weights were chosen on
 * simulated worlds (docs/benchmarks.md): other blocks may have led to the same, and half of the cited blocks were of use.
 */
export const SIGNALS = {
  /** A command failed, a part of the block was used, and the same command passed. */
  check: { says: 'helped', weight: 0.75 },
  /** The answer cites the block. */
  citation: { says: 'helped', weight: 0.5 },
  /** The user's next message is a correction and names a part of the block that was used. */
  correction: { says: 'misled', weight: 0.5 },
} as const

export type SignalName = keyof typeof SIGNALS

/** A verdict is the judgement of a trace about one block. */
export interface Verdict {
  readonly id: string
  readonly says: 'helped' | 'misled'
  /** Number of reports, above 0, at most 1: one trace is no more than one report. */
  readonly weight: number
  /** The signals that agree with the verdict, each once. */
  readonly signals: readonly SignalName[]
  /** Parts of the block that the command, edit, answer or correction has. */
  readonly evidence: readonly string[]
}

/** A signal about a block, and the parts of the block that the text of the signal has. */
interface Mark {
  readonly id: string
  readonly signal: SignalName
  readonly evidence: readonly string[]
}

/**
 * Returns the verdicts of a trace, one for each block that the answer cites, or whose identifier, path or number stands in a command or an
 * edit before a failed command passed, or in a correction of the user. A correction decides, since the user knew most; each signal counts
 * once a block. A block without a signal gets no verdict. Makes a few passes over the texts.
 *
 * @param isCorrection true if the user's message says that the answer before it was wrong
 */
export function verdictsOf(trace: Trace, isCorrection: (reply: string) => boolean): Verdict[] {
  const shown = shownBlocks(trace)
  const cited = citedIn(trace.answer, shown.ids).map(
    (id): Mark => ({ id, signal: 'citation', evidence: [id] }),
  )
  const marks = [...checks(trace, shown), ...cited]
  if (trace.reply !== '' && isCorrection(trace.reply)) marks.push(...corrections(trace, shown))
  return [...Map.groupBy(marks, ({ id }) => id)].map(([id, own]) => {
    const { says } = SIGNALS[(own.at(-1) as Mark).signal]
    const agreeing = own.filter(({ signal }) => SIGNALS[signal].says === says)
    const signals = [...new Set(agreeing.map(({ signal }) => signal))]
    const weight = signals.reduce((sum, signal) => sum + SIGNALS[signal].weight, 0)
    const evidence = [...new Set(agreeing.flatMap((mark) => mark.evidence))]
    return { id, says, weight: Math.min(1, weight), signals, evidence }
  })
}

/** Returns marks of the blocks named in calls between a failed command and its later pass, or in the passing command itself. */
function checks({ did }: Trace, shown: Shown): Mark[] {
  return repairsIn(did).flatMap(({ since }) => since.flatMap((used) => usesIn(used, shown)))
}

/** A repair is a command that failed and later passed, with the successful calls since it failed; the passing one is the last. */
interface Repair {
  readonly command: string
  readonly since: readonly Step[]
}

function repairsIn(did: readonly Step[]): Repair[] {
  const repairs: Repair[] = []
  /** Successful calls since a command failed, by the command. */
  const failing = new Map<string, Step[]>()
  for (const step of did) {
    const { input, isCommand, ok } = step
    if (!ok) {
      if (isCommand) failing.set(input, [])
      continue
    }
    for (const since of failing.values()) since.push(step)
    if (!isCommand) continue
    const since = failing.get(input)
    if (since !== undefined) repairs.push({ command: input, since })
    failing.delete(input)
  }
  return repairs
}

/** A lesson says that a check failed and passed after a change. */
export interface Lesson {
  /** The command. */
  readonly failed: string
  /** Paths of the files that were changed in between, each once. */
  readonly changed: readonly string[]
  /** Ids of the shown blocks that were used in between. */
  readonly blocks: readonly string[]
}

/** Returns the lesson of the last check of a trace that passes after a change; undefined if there is none. */
export function lessonOf(trace: Trace): Lesson | undefined {
  const lessons = repairsIn(trace.did).flatMap(({ command, since }) => {
    const changed = [...new Set(since.flatMap(({ edited }) => edited ?? []))]
    return changed.length === 0 ? [] : [{ failed: command, changed, since }]
  })
  const last = lessons.at(-1)
  if (last === undefined) return undefined
  const shown = shownBlocks(trace)
  const used = last.since.flatMap((step) => usesIn(step, shown)).map(({ id }) => id)
  return { failed: last.failed, changed: last.changed, blocks: [...new Set(used)] }
}

function usesIn({ edited = '', input }: Step, shown: Shown): Mark[] {
  const named = namedIn(shown, `${edited}\n${input}`)
  const cited = citedIn(withoutBrackets(input), shown.ids)
  return marksOf('check', shown, (id) => [...(cited.includes(id) ? [id] : []), ...(named.get(id) ?? [])])
}

function marksOf(signal: SignalName, { ids }: Shown, evidenceOf: (id: string) => readonly string[]): Mark[] {
  const marks = ids.map((id): Mark => ({ id, signal, evidence: evidenceOf(id) }))
  return marks.filter(({ evidence }) => evidence.length > 0)
}

/** Returns marks of blocks that a correction names. Parts that were not used do not count: to name them says that they were right. */
function corrections({ did, answer, reply }: Trace, shown: Shown): Mark[] {
  const inputs = did.flatMap(({ edited = '', input }) => [edited, input])
  const done = namedIn(shown, [...inputs, answer].join('\n'))
  const named = namedIn(shown, reply)
  const cited = citedIn(withoutBrackets(reply), shown.ids)
  return marksOf('correction', shown, (id) => {
    const evidence = (named.get(id) ?? []).filter((token) => done.get(id)?.includes(token))
    return cited.includes(id) ? [...evidence, id] : evidence
  })
}

/** Removes brackets: in a command they are code, and in a message of the user they name no places, so that only ids are citations. */
function withoutBrackets(text: string): string {
  return text.replaceAll('[', ' ')
}

/** The blocks of a trace, prepared for comparisons with many texts. */
interface Shown {
  /** Ids in the order in which they were shown. */
  readonly ids: readonly string[]
  /** The block by each identifier that only this block has and the question lacks. */
  readonly byIdentifier: ReadonlyMap<string, string>
}

function shownBlocks({ blocks, asked }: Trace): Shown {
  const byIdentifier = new Map<string, string>()
  const shared = new Set(identifiersIn(asked))
  for (const { id, content } of blocks)
    for (const token of identifiersIn(content)) {
      const before = byIdentifier.get(token)
      if (before === undefined) byIdentifier.set(token, id)
      else if (before !== id) shared.add(token)
    }
  for (const token of shared) byIdentifier.delete(token)
  return { ids: blocks.map(({ id }) => id), byIdentifier }
}

/** Returns the blocks whose identifiers, paths or numbers stand in a text, with these. Makes one pass over the text. */
function namedIn({ byIdentifier }: Shown, text: string): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>()
  for (const token of [...identifiersIn(text)].sort()) {
    const id = byIdentifier.get(token)
    if (id !== undefined) found.set(id, [...(found.get(id) ?? []), token])
  }
  return found
}

/** A run of characters of words, paths, addresses and flags. */
const TOKEN = /[\p{L}\p{N}_.~/@\\:-]+/gu
/** Numbers with commas between thousands; the commas are removed. */
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g
/** Signs that belong to the sentence around a token, or to a path from elsewhere. */
const OUTER_SIGNS = /^[.:/\\~@-]+|[.:/\\~@-]+$/g
const FLAG = /^--\p{L}[\p{L}\p{N}-]+$/u
/** Any of these patterns makes a token an identifier, path or number. */
const IDENTIFIERS: readonly RegExp[] = [
  FLAG,
  /[\p{L}\p{N}]_+[\p{L}\p{N}]/u,
  // Smaller numbers stand everywhere.
  /^\p{Nd}(?:\P{Nd}*\p{Nd}){2}/u,
  /^(?=...)\p{L}.*\p{Nd}/u,
  // `openMemory` matches, and not `iPhone`.
  /^\p{Ll}{2,}\p{N}*\p{Lu}/u,
  // `MaxRetryCount` matches, and not `GitHub`.
  /^(?=.*\p{L}\p{Lu}\p{Ll})(?:\P{Lu}*\p{Lu}){3}/u,
  /[\p{L}\p{N}]{2}\.[\p{L}\p{N}]{2}/u,
  /[\p{L}\p{N}]@[\p{L}\p{N}]/u,
  // Two slashes make a path: both sides of a single one may be plain words, as in "and/or".
  /[/\\].*[/\\]/u,
]

/**
 * Returns the identifiers, paths and numbers of a text in lower case, each once: words that name one thing. It also returns the ends of a
 * path (`ship.sh` of `scripts/ship.sh`) and the parts of an address (`4210` of `localhost:4210`). A number needs three digits. Makes one
 * pass over the text.
 */
export function identifiersIn(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  const plain = normalised(text, 'NFKC').replace(THOUSANDS, (number) => number.replaceAll(',', ''))
  for (const [token] of plain.matchAll(TOKEN)) {
    // Longer tokens are encoded data.
    if (token.length > 200) continue
    for (const form of formsOf(token))
      if (IDENTIFIERS.some((pattern) => pattern.test(form))) found.add(form.toLowerCase())
  }
  return found
}

/** Returns a token and the shorter forms by which it may be named. */
function formsOf(token: string): readonly string[] {
  if (FLAG.test(token)) return [token]
  const whole = token.replace(OUTER_SIGNS, '')
  const labels = whole.split(/[/\\]+/)
  const ends = labels.slice(-6).map((_, at, last) => last.slice(at).join('/'))
  const parts = [...labels, ...whole.split(/[/\\:@]+/)].map((part) => part.replace(OUTER_SIGNS, ''))
  return [whole.replaceAll('\\', '/'), ...ends, ...parts]
}

/**
 * Numbers between brackets, as in [2] or [1, 3], if they can be a citation: behind a space or a sign of a sentence, and before no sign that
 * makes them a link or a part of code.
 */
const NUMBERS = /(?<![^\s.,;!?"'”’»(])\[ ?(\d{1,3}(?: ?[,;] ?\d{1,3}){0,20}) ?\](?![(:[])/g
/** Text between backquotes, which is code. */
const QUOTED_CODE = /`[^`]*`/g
/** Text before brackets that makes them a value of a program. */
const ASSIGNED = /(?:=|[\p{L}\p{N}_]\()\s*$/u
/** A block's id or its first eight characters, standing alone. */
const ID = /(?<![0-9a-z])[0-9a-f]{8}(?:[0-9a-f]{8})?(?![0-9a-z])/g

/**
 * Returns the ids that an answer cites, in the order of `shown`: by their place in `shown`, from `[1]`, or by the id. Nothing in code is a
 * citation. Makes one pass over the answer.
 */
export function citedIn(answer: string, shown: readonly string[]): string[] {
  const prose = answer.replace(QUOTED_CODE, ' ')
  const places = new Set(
    [...prose.matchAll(NUMBERS)]
      .filter(({ index }) => !ASSIGNED.test(prose.slice(Math.max(0, index - 4), index)))
      .flatMap(([, numbers = '']) => numbers.split(/[,;]/).map(Number)),
  )
  const named = new Set(prose.toLowerCase().match(ID))
  return shown.filter((id, i) => places.has(i + 1) || named.has(id) || named.has(id.slice(0, 8)))
}
