import { ElfmemError } from '../errors.ts'
import { codePointLength, contentId, normaliseContent, splitWhitespace, trimWhitespace } from './text.ts'

/** Where a block stands on the data's way. */
export type BlockStatus = 'inbox' | 'active' | 'archived'

/** Why a block was archived: it faded, a newer or equal one took its place, or somebody asked. */
export type ArchiveReason = 'decayed' | 'superseded' | 'forgotten'

/**
 * One thing remembered. `content` is exactly what the caller gave; nothing ever rewrites it silently.
 *
 * Hours are active hours of the memory's own clock (`advance`), never wall time.
 */
export interface Block {
  /** Opaque: first 16 hex of the hash of content and scope for a first copy, another for a later life of the same text. */
  readonly id: string
  readonly content: string
  /** A model's or host's digest; helps to find and to rank, never replaces `content`. */
  readonly summary?: string
  /** In which situation a future agent should recall this. */
  readonly cue?: string
  readonly category: string
  /** Normalised, unique, sorted. */
  readonly tags: readonly string[]
  /** Who said it or where it comes from, for example a speaker, a tool or a file. */
  readonly source?: string
  /** Who speaks in it (`SourceClass`): decides what the block may be shown as. */
  readonly sourceClass: SourceClass
  /** The project or conversation it is kept apart for; absent in a block of the whole store. Never changes. */
  readonly scope?: string
  readonly status: BlockStatus
  readonly archiveReason?: ArchiveReason
  /** The block that took this one's place. */
  readonly supersededBy?: string
  /** The block this one is to replace, as whoever remembered it said; proposed, decided with `resolve`. */
  readonly supersedes?: string
  /** When what it says begins to hold, as it was given or read from its text (`validity.ts`), ISO-8601 UTC; absent: not said. */
  readonly validFrom?: string
  /** The first time at which it holds no more, as it was given or read, ISO-8601 UTC; absent: not said. */
  readonly validUntil?: string
  /** When the block that took this one's place began to hold, ISO-8601 UTC. */
  readonly supersededAt?: string
  /** When it was archived, ISO-8601 UTC; absent while it is not. */
  readonly archivedAt?: string
  /** When it entered the store, ISO-8601 UTC. */
  readonly createdAt: string
  /** When what it says was said or happened, ISO-8601 UTC; equals `createdAt` unless the caller knew better. */
  readonly occurredAt: string
  /** The date of its newest occurrence, ISO-8601 UTC; absent while `occurredAt` dates it. */
  readonly lastAt?: string
  /** When its newest words arrived, ISO-8601 UTC, and never before what arrived earlier; absent while `createdAt` says it. */
  readonly lastToldAt?: string
  /** The times it was said again, in the order of their arrival; only in blocks that were read by their ids or in pages. */
  readonly occurrences?: readonly Occurrence[]
  /** The conversation, document or working session it belongs to. */
  readonly session: string
  /** Its place in that session, from 0. */
  readonly position: number
  /** How strongly it expresses the agent's identity, 0..1; absent until a model or host judged it. */
  readonly alignment?: number
  /** When a model or host judged it last, ISO-8601 UTC. */
  readonly scoredAt?: string
  /** It was promoted by rule because a model failed, and is judged when one answers again. */
  readonly judgementPending?: true
  /** Sum of outcome signals in its favour (Beta evidence, without any prior). */
  readonly successes: number
  /** Sum of outcome signals against it. */
  readonly failures: number
  /** How often it was shown, used or promoted. Not a ranking signal of query frames. */
  readonly reinforcementCount: number
  /** Hours. The decay of the block counts from here. */
  readonly lastReinforcedAt: number
  /** Hours of the last outcome that said it helped, or of its promotion. */
  readonly lastUsefulAt: number
  /** Per active hour (`tierLambda`). */
  readonly decayLambda: number
  /** Estimated tokens of `content`. */
  readonly tokenCount: number
}

/** A time at which the text of a block was said again. The first time stands in the block itself. */
export interface Occurrence {
  readonly blockId: string
  /** When it was said or happened, ISO-8601 UTC; equals `createdAt` unless the caller gave a date. */
  readonly at: string
  /** When it was remembered, ISO-8601 UTC. */
  readonly createdAt: string
  readonly source?: string
  readonly sourceClass: SourceClass
  readonly session: string
  /** The end that another block had given the block before: from then until `at` it did not hold. ISO-8601 UTC. */
  readonly endedAt?: string
}

/** The fields that decide if and where a block is shown, without its texts. */
export type BlockFacts = Pick<
  Block,
  | 'id'
  | 'tags'
  | 'category'
  | 'source'
  | 'sourceClass'
  | 'scope'
  | 'status'
  | 'session'
  | 'position'
  | 'createdAt'
  | 'occurredAt'
  | 'lastAt'
  | 'lastToldAt'
  | 'successes'
  | 'failures'
  | 'reinforcementCount'
  | 'lastReinforcedAt'
  | 'lastUsefulAt'
  | 'decayLambda'
>

/** The fields by which recall finds and ranks a block; made from its text once, at promotion. */
export interface BlockIndex {
  readonly id: string
  /** The vectors of the content; absent while the embedder failed, then only words find the block. */
  readonly vectors?: ContentVectors
  /** Stems of cue, summary, content and source, space-separated, repeats kept; a line a passage. */
  readonly terms: string
  /** The sum of the `PassageFlag`s of each passage, as a hexadecimal digit a passage. */
  readonly flags: string
  /** The words of each name, space-separated, with a tab between names; a line a passage. Absent where there are none. */
  readonly names?: string
}

/** The vectors of one content. */
export interface ContentVectors {
  /** Unit vector of the content: the normalised mean of its passages, where it has several. */
  readonly vector: Float32Array
  /** Unit vectors of its passages as int8, one after another; absent for a content of one. */
  readonly passages?: Uint8Array
}

/** Properties of a passage that change its rank, as bits. */
export const PassageFlag = { asks: 1, timed: 2, standing: 4, prefers: 8 } as const

/** Origin of a ground: it was given when the block was remembered, or a host judged so. */
export type GroundFoundBy = 'given' | 'host'

/** A block and another that it rests on. */
export interface Ground {
  readonly blockId: string
  readonly ground: string
  readonly foundBy: GroundFoundBy
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** A block that holds no more, and on which another rests. */
export interface OutdatedGround {
  readonly ground: Block
  /** Ids from the block's own ground to this one, which is the last. */
  readonly path: readonly string[]
  /** Origin of the last step of the path. */
  readonly foundBy: GroundFoundBy
}

/** A text, and the scope it is said in, if any. */
type ScopedText = Pick<Block, 'content' | 'scope'>
type Sha256Hex = (text: string) => string

/**
 * Returns the id a text gets where it can: the hash of its lower-cased content (Python elfmem). In a scope that of the content
 * and the scope, so that the same text in two scopes is two blocks.
 */
export function firstId({ content, scope }: ScopedText, sha256Hex: Sha256Hex): string {
  if (scope === undefined) return contentId(content, sha256Hex)
  return sha256Hex(salted(normaliseContent(content), scope)).slice(0, 16)
}

/** Returns the ids of a text whose first id is taken, as by one in other case: that of its exact words, then those of seven later lives. */
export function otherIds(text: ScopedText, sha256Hex: Sha256Hex): string[] {
  const lower = salted(normaliseContent(text.content), text.scope)
  const later = Array.from({ length: 7 }, (_, n) => sha256Hex(`${lower}\0${n + 1}`).slice(0, 16))
  return [sha256Hex(salted(`${text.content}\0exact`, text.scope)).slice(0, 16), ...later]
}

function salted(text: string, scope: string | undefined): string {
  return scope === undefined ? text : `${text}\0scope ${scope}`
}

/** The category of the texts that named items are found by. */
export const ITEM = 'item'

/** The category of what was said in a conversation. */
export const TURN = 'turn'

/** True if no dream takes a block for a repetition: messages and turns repeat themselves and mean it, and two items are two. */
export function isKeptAsSaid(category: string): boolean {
  return ['message', TURN, ITEM].includes(category)
}

/** True if a block is the text of an item, which may let go of it. */
export function isTextOfItem(category: string): boolean {
  return category === ITEM || category === TURN
}

/** True if one of two blocks is the text of a named item and the other is not: an item may let go of its own text alone. */
export function areApart(one: string, other: string): boolean {
  return (one === ITEM) !== (other === ITEM)
}

/** Longest category, tag and scope, in code points. */
export const LABEL_LENGTH_MAX = 128

/** The category of a block whose caller named none. */
export const DEFAULT_CATEGORY = 'knowledge'

const SHAPE = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/

/**
 * Returns the one spelling of a category: trimmed, lower case, words of `a-z 0-9 . _ -` joined by `/`, 128 code points at most.
 * Throws `INVALID_INPUT` otherwise.
 */
export function normaliseCategory(category: string): string {
  const normalised = trimWhitespace(category).toLowerCase()
  if (SHAPE.test(normalised) && codePointLength(normalised) <= LABEL_LENGTH_MAX) return normalised
  throw new ElfmemError(
    'INVALID_INPUT',
    'A category is a short lower-case word such as "decision" or "work/notes".',
    {
      recovery: `Use letters, digits, ".", "_", "-" and "/", at most ${LABEL_LENGTH_MAX}; say more with tags.`,
    },
  )
}

/** Matches control and format characters, halves of characters, and every kind of space: no scope has them. */
const UNFIT = /[\p{C}\p{Z}]/u

/** The rule for a scope, for messages. */
export const SCOPE_RULE = `1 to ${LABEL_LENGTH_MAX} characters without spaces, such as project-a or github.com/x/y`

/**
 * Returns the one spelling of a scope: ends trimmed, composed (NFC). Case counts, because ids of users and conversations differ
 * by it and two scopes must never become one.
 */
export function spellScope(scope: string): string {
  const trimmed = scope.trim()
  // A longer text is too long in any spelling, because no sign is composed of more than four.
  return codePointLength(trimmed) > 4 * LABEL_LENGTH_MAX ? trimmed : trimmed.normalize('NFC')
}

/** True if a scope in its one spelling can be kept. */
export function isScope(scope: string): boolean {
  return scope !== '' && codePointLength(scope) <= LABEL_LENGTH_MAX && !UNFIT.test(scope)
}

/** Throws `OUT_OF_SCOPE` unless what is bound to one scope is asked for the same. */
export function mustBeSameScope(bound: string, asked: string): void {
  if (asked === bound) return
  throw new ElfmemError('OUT_OF_SCOPE', `This memory was opened for the scope ${bound} alone.`, {
    recovery: 'Leave scope out, or open the memory for the other scope or for none.',
    details: { scope: bound, asked },
  })
}

/** Returns the scope in its one spelling; throws `INVALID_INPUT` when it is none. */
export function normaliseScope(scope: string): string {
  const spelled = spellScope(scope)
  if (isScope(spelled)) return spelled
  throw new ElfmemError('INVALID_INPUT', `${JSON.stringify(scope)} is no scope.`, {
    recovery: `A scope has ${SCOPE_RULE}.`,
    details: { scope },
  })
}

/** Tags that a block has at most; more describe nothing. */
export const TAGS_MOST = 32

/** The tag of a core invariant: permanent, guaranteed in the self frame, given only by an explicit trusted act. */
export const CONSTITUTIONAL_TAG = 'self/constitutional'

/** The identity tags an analysis may speak of; the first is granted by nobody's analysis, the goal by the host's alone. */
export const MODEL_TAGS = [
  CONSTITUTIONAL_TAG,
  'self/constraint',
  'self/value',
  'self/style',
  'self/goal',
  'self/context',
] as const

/**
 * Returns the one spelling of a tag: ends trimmed, lower case, white space inside collapsed to one space.
 * Throws `INVALID_INPUT` when nothing is left or more than 128 code points are.
 */
export function normaliseTag(tag: string): string {
  const normalised = spelled(tag)
  if (normalised !== '' && codePointLength(normalised) <= LABEL_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A tag has 1 to ${LABEL_LENGTH_MAX} characters.`, {
    recovery: 'Shorten the tag, or put the long text into the content.',
    details: { length: codePointLength(normalised) },
  })
}

/** Returns the tags in their one spelling, unique and sorted by code unit, as a block keeps them. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag))].sort()
}

/** Returns the part before a tag's first `/`; undefined for a tag without one. */
export function tagNamespace(tag: string): string | undefined {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : undefined
}

/** True if a normalised tag fits a pattern: literal, or a prefix when the pattern ends with `*`. Nothing else is special. */
export function matchesTag(pattern: string, tag: string): boolean {
  return pattern.endsWith('*') ? tag.startsWith(pattern.slice(0, -1)) : tag === pattern
}

/** True if a normalised tag says who the agent is (`self/…`). */
export function isIdentityTag(tag: string): boolean {
  return tagNamespace(tag) === 'self'
}

/** True if a normalised tag needs a trusted source: `self/constitutional` and everything under `peer/` (W5). */
export function isProtectedTag(tag: string): boolean {
  return tag === CONSTITUTIONAL_TAG || tagNamespace(tag) === 'peer'
}

/** True if any of a block's tags is `self/constitutional`. */
export function isConstitutional(tags: readonly string[]): boolean {
  return tags.includes(CONSTITUTIONAL_TAG)
}

/** True if a model may grant a normalised tag: it says neither what the agent is bound to nor what it is to want. */
export function grantableByModel(tag: string): boolean {
  return !isProtectedTag(tag) && tag !== 'self/goal'
}

/**
 * Parts the tags of an analysis: those of `MODEL_TAGS` that are not protected, normalised and unique, and as they were given
 * the others, which are refused. Never throws.
 */
export function grantableTags(tags: readonly string[]): {
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
} {
  const known: readonly string[] = MODEL_TAGS
  const mayGrant = (tag: string) => known.includes(spelled(tag)) && !isProtectedTag(spelled(tag))
  return {
    accepted: [...new Set(tags.filter(mayGrant).map(spelled))],
    refused: tags.filter((tag) => !mayGrant(tag)),
  }
}

function spelled(tag: string): string {
  return splitWhitespace(tag).join(' ').toLowerCase()
}

/**
 * Who speaks in a block, the most trusted first: the owner, the agent itself, a model that wrote for it, a tool, what
 * somebody else wrote or said, another agent, a file of memories from elsewhere.
 */
export const SOURCE_CLASSES = ['user', 'agent', 'model', 'tool', 'document', 'peer', 'import'] as const
/** The class of whoever speaks in a block; it decides how far the block is trusted. */
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** The classes whose words may say who the agent is. */
export const OWN_CLASSES: readonly SourceClass[] = ['user', 'agent']

/** Labels of a source that mean the owner. */
const OWNER_LABELS: ReadonlySet<string> = new Set(['user', 'human', 'owner', 'me'])
/** Labels of a source that mean the agent, besides its name. */
const AGENT_LABELS: ReadonlySet<string> = new Set(['self', 'agent', 'assistant', 'api', 'cli', 'mcp'])

/** True if a block's words may say who the agent is. */
export function isOwn({ sourceClass }: Speaking): boolean {
  return OWN_CLASSES.includes(sourceClass)
}

interface Speaking {
  readonly sourceClass: SourceClass
}

/** A block, or the class of its speaker. */
type Speaker = SourceClass | Speaking

/**
 * True if one speaker is trusted as much as another, or more. Nothing that is trusted less hides, replaces, rewrites,
 * archives or takes back what is trusted more, nor stands over it.
 */
export function mayCover(one: Speaker, other: Speaker): boolean {
  return rankOf(one) <= rankOf(other)
}

function rankOf(speaker: Speaker): number {
  return SOURCE_CLASSES.indexOf(typeof speaker === 'string' ? speaker : speaker.sourceClass)
}

/** Returns the class of what derives from both: nothing is trusted more than what it was made of. */
export function leastTrusted(one: SourceClass, other: SourceClass): SourceClass {
  return mayCover(one, other) ? other : one
}

/** The fields of a block that tell who speaks in it. */
interface Said {
  readonly source?: string
  readonly category: string
  readonly tags: readonly string[]
  /** The class declared by whoever brings the block; if absent, the source decides. */
  readonly declared?: SourceClass | undefined
}

/**
 * Returns who speaks in a block that comes in. A message is a peer's whatever is declared. A source that is neither the owner
 * nor the agent, nor begins with the name of a class (`tool: grep`), is somebody else: `document`.
 *
 * @param highest what whoever brings it may claim at most
 */
export function sourceClassOf(
  { declared, source, category, tags }: Said,
  { agentName, highest }: { readonly agentName: string; readonly highest: SourceClass },
): SourceClass {
  const claimed = leastTrusted(declared ?? classOfLabel(source, agentName), highest)
  return isMessage({ category, tags }) ? leastTrusted(claimed, 'peer') : claimed
}

function isMessage({ category, tags }: Pick<Said, 'category' | 'tags'>): boolean {
  return category === 'message' || tags.some((tag) => tagNamespace(tag) === 'peer')
}

function classOfLabel(source: string | undefined, agentName: string): SourceClass {
  const label = source?.trim().toLowerCase() ?? ''
  if (label === '' || AGENT_LABELS.has(label) || label === agentName.trim().toLowerCase()) return 'agent'
  if (OWNER_LABELS.has(label)) return 'user'
  const [first] = label.split(/[:/]/, 1)
  return SOURCE_CLASSES.find((each) => each === first?.trim() && !OWN_CLASSES.includes(each)) ?? 'document'
}

/**
 * How a source is named to a reader: the class first, then its own label, so that no label is read as anybody else's
 * word, however it is spelt. Undefined for the agent's own words without a label.
 */
export function sourceName({
  sourceClass,
  source,
}: Speaking & { readonly source?: string }): string | undefined {
  const label = source?.trim() ?? ''
  if (label === '') return sourceClass === 'agent' ? undefined : sourceClass
  if (!label.toLowerCase().startsWith(sourceClass)) return `${sourceClass}: ${label}`
  // A label may begin with the class itself: "tool: grep".
  const [, rest] = /^[:/](.*)$/s.exec(label.slice(sourceClass.length)) ?? []
  if (rest !== undefined && rest.trim() !== '') return `${sourceClass}: ${rest.trim()}`
  return label.length === sourceClass.length ? sourceClass : `${sourceClass}: ${label}`
}

/** True if a block says who the agent is: a tag under `self/` and the agent's own words. */
export function isIdentity({ tags, sourceClass }: Speaking & Pick<Said, 'tags'>): boolean {
  return isOwn({ sourceClass }) && tags.some(isIdentityTag)
}

/**
 * Decides what happens to words that a living block says already:
 *
 * - `merge`: nothing is added but what may be merged; the block keeps its class.
 * - `raise`: the owner says the same as a less trusted block, which counts as the owner's from now on.
 * - `apart`: a block of its own beside the less trusted one.
 *
 * A message and a block that claims another's place are not raised: the owner said the words, not the claim.
 *
 * An echo are words that a recall has just shown; words that insist say who the agent is, and are never left to less trust.
 */
export function meetingOf(
  known: Said & Speaking & { readonly supersedes?: string },
  {
    sourceClass,
    isEcho = false,
    insists = false,
  }: Speaking & { readonly isEcho?: boolean | undefined; readonly insists?: boolean | undefined },
): 'merge' | 'raise' | 'apart' {
  if (isEcho || mayCover(known, sourceClass)) return 'merge'
  if (sourceClass !== 'user') return insists ? 'apart' : 'merge'
  return isMessage(known) || known.supersedes !== undefined ? 'apart' : 'raise'
}

/** Returns the most trusted of blocks with one statement, and the first of equally trusted ones. */
export function mostTrusted<T extends Speaking>(blocks: readonly T[]): T | undefined {
  return blocks.reduce<T | undefined>(
    (best, block) => (best !== undefined && mayCover(best, block) ? best : block),
    undefined,
  )
}
